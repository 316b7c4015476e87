/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frame statistics for people: one sentence, and a table of the late frames where there are some. Says what
 * was assumed and what could not be seen; says nothing of rates where nothing moved. */

#include "text/jank-text-report-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "json/jank-json-private.h"
#include "symbols/jank-function-name-private.h"

/* A word for the ratio is for a while of use, not for one jerk in three seconds. */
#define BAND_NS (60 * JANK_NS_PER_S)

/* Parts that are less together are noise. */
#define LEAST_NS (24 * JANK_NS_PER_MS)

#define TIME_COLUMNS    12
#define LENGTH_COLUMNS  9
#define DROPPED_COLUMNS 8
#define WHO_COLUMNS     11
#define GAP             2

static void
append_idle (GString *out, const JankFrameNumbers *numbers)
{
  gulong n = (gulong) numbers->counts.frames;

  if (numbers->counts.startup_frames >= numbers->counts.frames)
    g_string_append_printf (out, g_dngettext (GETTEXT_PACKAGE, "%'lu frame, at start-up",
                                              "%'lu frames, all at start-up", n), n);
  else
    g_string_append_printf (out, g_dngettext (GETTEXT_PACKAGE, "%'lu frame, no animation",
                                              "%'lu frames, no animation", n), n);
}

/* Of the frames that were judged, which are in the buckets: others were drawn at start-up, or alone. */
static void
append_rate (GString *out, const JankFrameNumbers *numbers)
{
  double hertz = (double) JANK_NS_PER_S / (double) MAX (numbers->refresh_ns, 1);
  g_autofree char *active = jank_text_duration (numbers->counts.active_ns);
  gulong n = 0;

  for (int level = 0; level < JANK_FRAME_N_LEVELS; level++)
    n += (gulong) numbers->counts.buckets[level].frames;
  if (numbers->fps > 0.0 && numbers->refresh_ns > 0)
    g_string_append_printf (out, g_dngettext (GETTEXT_PACKAGE, "%'lu frame in %s of animation, %.1f FPS at %.3g Hz",
                                              "%'lu frames in %s of animation, %.1f FPS at %.3g Hz", n),
                            n, active, numbers->fps, hertz);
  else
    g_string_append_printf (out, g_dngettext (GETTEXT_PACKAGE, "%'lu frame in %s of animation",
                                              "%'lu frames in %s of animation", n), n, active);
}

static void
append_late (GString *out, const JankFrameNumbers *numbers)
{
  const char *const bands[] = { C_("hitch ratio", "good"), C_("hitch ratio", "warning"),
                                C_("hitch ratio", "critical") };

  g_string_append (out, _("; "));
  if (numbers->counts.late == 0)
    g_string_append (out, _("none late"));
  else
    g_string_append_printf (out, _("%'lu late (%'lu by the program), %'lu dropped, hitch ratio %.1f ms/s"),
                            (gulong) numbers->counts.late, (gulong) numbers->counts.late_program,
                            (gulong) numbers->counts.dropped, numbers->hitch_ms_per_s);
  if (numbers->counts.late > 0 && numbers->counts.active_ns >= BAND_NS)
    g_string_append_printf (out, " (%s)", bands[numbers->hitch_band]);
}

/* Where the display tells when frames were shown. */
static void
append_shown (GString *out, const JankFrameNumbers *numbers)
{
  gulong n = (gulong) numbers->counts.unseen;

  if (numbers->counts.animated > 0)
    g_string_append_printf (out, _("; animation error %.1f ms"),
                            (double) numbers->animation_error_ns / JANK_NS_PER_MS);
  if (n > 0)
    g_string_append_printf (out, g_dngettext (GETTEXT_PACKAGE, "; %'lu frame discarded by the compositor",
                                              "; %'lu frames discarded by the compositor", n), n);
}

char *
jank_text_frames (const JankReportFrameClock *frame_clock)
{
  const JankFrameNumbers *numbers = &frame_clock->numbers;
  GString *out = g_string_new (NULL);

  if (numbers->counts.active_ns == 0)
    {
      append_idle (out, numbers);
      return g_string_free (out, FALSE);
    }
  append_rate (out, numbers);
  append_late (out, numbers);
  if (numbers->refresh_assumed)
    g_string_append_printf (out, "%s%s", _("; "), _("refresh rate assumed"));
  append_shown (out, numbers);
  if (!frame_clock->has_presentation)
    g_string_append_printf (out, "%s%s", _("; "), _("no presentation data"));
  return g_string_free (out, FALSE);
}

/* The culprit where it is on the stack, else the innermost function. Returns: (transfer full) (nullable) */
static char *
function_text (JankReport *report, gint stack_index)
{
  const JankReportStep *culprit = jank_report_get_step (report, jank_report_find_culprit_step (report));
  const JankReportStack *stack = jank_report_get_stack (report, stack_index);
  guint frame;

  if (stack == NULL || stack->calls->len == 0)
    return NULL;
  frame = g_array_index (stack->calls, guint, 0);
  for (guint i = 0; culprit != NULL && i < stack->calls->len; i++)
    if (jank_report_same_function (report, g_array_index (stack->calls, guint, i), (guint) culprit->call))
      frame = (guint) culprit->call;
  return jank_text_function (report, frame);
}

/* Phases go by the names of the frame clock's signals. Returns: (transfer full) */
static char *
place_text (JankReport *report, const JankReportLateFrame *late)
{
  JankFramePhase busiest = late->verdict.busiest;
  const char *phase = busiest == JANK_FRAME_BETWEEN ? _("between frames") : jank_frame_phase_nicks[busiest];
  g_autofree char *function = late->culprit[0] != '\0' ? jank_function_name (late->culprit)
                                                       : function_text (report, late->stack);

  return function != NULL ? g_strdup_printf (_("%s: %s"), phase, function) : g_strdup (phase);
}

/* Phases go by the names of the frame clock's signals. Returns: (transfer full) */
static char *
part_text (const JankReportFramePart *part)
{
  g_autofree char *total = jank_text_duration (part->total_ns);
  g_autofree char *function = part->function[0] != '\0' ? jank_function_name (part->function)
                                                        : g_strdup (jank_frame_phase_nicks[part->phase]);

  return part->count <= 1 ? g_strdup_printf ("%s %s", function, total)
                          : g_strdup_printf ("%'lu × %s %s", (gulong) part->count, function, total);
}

char *
jank_text_frame_parts (const JankReportFrameClock *frame_clock, const JankReportLateFrame *late)
{
  g_autoptr (GString) list = g_string_new (NULL);
  gint64 sum_ns = 0;

  /* Phases come last. */
  for (guint turn = 0; turn < 2; turn++)
    JANK_EACH_IN (const JankReportFramePart, part, frame_clock->parts)
      {
        g_autofree char *text = NULL;

        if (part->frame_ns != late->verdict.ended_ns || (part->function[0] == '\0') != (turn == 1))
          continue;
        text = part_text (part);
        jank_json_sum (&sum_ns, part->total_ns);
        jank_text_append_item (list, text);
      }
  return sum_ns >= LEAST_NS ? g_string_free (g_steal_pointer (&list), FALSE) : NULL;
}

static void
add_late_frame (GString *out, JankReport *report, const JankTextStyle *style, const JankReportLateFrame *late)
{
  const guint n_before = TIME_COLUMNS + 2 * LENGTH_COLUMNS + DROPPED_COLUMNS + GAP + WHO_COLUMNS;
  gboolean program = late->verdict.who == JANK_FRAME_LATE_PROGRAM;
  gint64 before_ns = report->stall.began_monotonic_ns - late->verdict.ended_ns;
  g_autofree char *before = before_ns >= 0 ? jank_text_duration (before_ns) : g_strdup (_("this stall"));
  g_autofree char *length = jank_text_duration (late->verdict.judged_ns);
  g_autofree char *over = late->verdict.over_ns > 0 ? jank_text_duration (late->verdict.over_ns) : g_strdup ("");
  g_autofree char *dropped = g_strdup_printf ("%'lu", (gulong) late->verdict.n_dropped);
  g_autofree char *parts = jank_text_frame_parts (report->frame_clock, late);
  g_autofree char *place = parts != NULL ? g_steal_pointer (&parts) : place_text (report, late);

  jank_text_append_right (out, style, before, TIME_COLUMNS, JANK_TEXT_DIM);
  jank_text_append_right (out, style, length, LENGTH_COLUMNS, program ? JANK_TEXT_YELLOW : NULL);
  jank_text_append_right (out, style, over, LENGTH_COLUMNS, NULL);
  jank_text_append_right (out, style, dropped, DROPPED_COLUMNS, NULL);
  g_string_append (out, "  ");
  jank_text_append_left (out, style, program ? _("program") : _("compositor"), WHO_COLUMNS, NULL);
  jank_text_append_left (out, style, place, MAX (style->n_columns, n_before + 16) - n_before, NULL);
  jank_text_end_line (out);
}

void
jank_text_add_late_frames (GString *out, JankReport *report, const JankTextStyle *style)
{
  const GArray *late_frames = report->frame_clock != NULL ? report->frame_clock->late_frames : NULL;

  if (late_frames == NULL || late_frames->len == 0)
    return;
  jank_text_add_title (out, style, _("Late frames"));
  jank_text_append_right (out, style, C_("column", "before"), TIME_COLUMNS, JANK_TEXT_DIM);
  jank_text_append_right (out, style, C_("column", "length"), LENGTH_COLUMNS, JANK_TEXT_DIM);
  /* Translators: how much less work would have been on time. */
  jank_text_append_right (out, style, C_("column", "over"), LENGTH_COLUMNS, JANK_TEXT_DIM);
  jank_text_append_right (out, style, C_("column", "dropped"), DROPPED_COLUMNS, JANK_TEXT_DIM);
  g_string_append (out, "  ");
  jank_text_append_left (out, style, C_("column", "because of"), WHO_COLUMNS, JANK_TEXT_DIM);
  jank_text_append (out, style, C_("column", "busiest"), JANK_TEXT_DIM);
  jank_text_end_line (out);
  for (guint i = 0; i < late_frames->len; i++)
    add_late_frame (out, report, style, &g_array_index (late_frames, JankReportLateFrame, i));
}
