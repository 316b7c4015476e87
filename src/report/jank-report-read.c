/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What only the readers of a report ask of it, and the figures of two processes of a session as those of one. */

#include "report/jank-report-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/jank-order-private.h"
#include "json/jank-json-private.h"
#include "symbols/jank-function-name-private.h"

static const JankReportThread *
jank_report_get_link (JankReport *report, guint i)
{
  return jank_report_find_thread (report, g_array_index (report->locks.chain, gint, i));
}

gint
jank_report_find_closing (JankReport *report)
{
  const GArray *chain = report->locks.chain;
  const JankReportThread *last = jank_report_get_link (report, chain->len - 1);

  if (!report->locks.deadlock || last->wait == NULL)
    return 0;
  for (guint i = 0; i + 1 < chain->len; i++)
    if (jank_report_get_link (report, i) == last)
      return 0;
  return last->wait->lock.owner;
}

gboolean
jank_report_has_callee (JankReport *self)
{
  return self->culprit.callee != NULL && jank_report_is_creation (self->culprit.function);
}

char *
jank_report_name_culprit (const char *function, const char *callee, double callee_share)
{
  g_autofree char *called = NULL, *type = NULL;

  if (callee == NULL || !jank_report_is_creation (function))
    return jank_function_name (function);
  function += strlen (JANK_REPORT_SLOT);
  type = g_strndup (function, (gsize) (strrchr (function, '.') - function));
  called = jank_function_name (callee);
  /* Translators: a class of objects, a function, and its share of the time. */
  return g_strdup_printf (_("creating %s: %s() %d %%"), type, called, (gint) (callee_share * 100.0 + 0.5));
}

const char *
jank_severity_to_nick (JankSeverity severity)
{
  g_assert ((guint) severity < JANK_SEVERITY_FROZEN + 1);
  return jank_severity_nicks[severity];
}

gboolean
jank_report_chain_leaves (const JankReportChain *self)
{
  const JankReportLink *first = g_ptr_array_index (self->links, 0);

  for (guint i = 1; i < self->links->len; i++)
    if (((JankReportLink *) g_ptr_array_index (self->links, i))->pid != first->pid)
      return TRUE;
  return jank_report_chain_is_deadlock (self);
}

static gint64
jank_report_get_middle (JankReport *self, guint i)
{
  gint64 before_ns = jank_report_get_sample (self, i - 1)->at_ns, after_ns = jank_report_get_sample (self, i)->at_ns;

  return before_ns + (after_ns - before_ns) / 2;
}

/* Merged samples keep the first one's time, so the next span begins where the weight of the last one ends, if that is
 * later than the middle. After a stop the middle is later. */
GArray *
jank_report_get_sample_spans (JankReport *self)
{
  GArray *spans = g_array_sized_new (FALSE, FALSE, sizeof (JankReportSpan), self->samples->len);
  gint64 length_ns = jank_report_get_length_ns (self);
  JankReportSpan span = { 0, 0 };

  for (guint i = 0; i < self->samples->len; i++)
    {
      const JankReportSample *sample = jank_report_get_sample (self, i);

      span.from_ns = i > 0 ? MIN (MAX (span.to_ns, jank_report_get_middle (self, i)), length_ns) : 0;
      span.to_ns = span.from_ns + MIN (sample->weight_ns, length_ns - span.from_ns);
      g_array_append_val (spans, span);
    }
  return spans;
}

gboolean
jank_report_is_in_callback (JankReport *self)
{
  g_autofree JankCulpritStep *steps = jank_report_make_steps (self);
  gboolean runs = FALSE;

  for (guint i = 0; i < self->heaviest.path->len; i++)
    runs |= g_strcmp0 (steps[i].function, "g_main_loop_run") == 0 ||
            g_strcmp0 (steps[i].function, "g_main_context_iteration") == 0;
  return runs && !jank_culprit_is_in_poll (steps, self->heaviest.path->len);
}

/* The average of a and b, weighted by time. */
static double
jank_report_frame_clock_weigh (double a, gint64 a_ns, double b, gint64 b_ns)
{
  double whole = (double) a_ns + (double) b_ns;

  return whole > 0.0 ? (a * (double) a_ns + b * (double) b_ns) / whole : 0.0;
}

/* The buckets count the judged frames. */
static double
jank_report_frame_clock_find_fps (const JankFrameNumbers *numbers)
{
  double n_judged = 0.0;

  for (int level = 0; level < JANK_FRAME_N_LEVELS; level++)
    n_judged += (double) numbers->counts.buckets[level].frames;
  if (n_judged == 0.0 || numbers->counts.active_ns < JANK_NS_PER_S)
    return JANK_FRAME_NO_FPS;
  return n_judged * (double) JANK_NS_PER_S / (double) numbers->counts.active_ns;
}

static void
jank_report_frame_clock_merge_numbers (JankFrameNumbers *self, const JankFrameNumbers *other)
{
  gint64 self_ns = self->counts.active_ns, other_ns = other->counts.active_ns;
  guint64 *sums = (guint64 *) &self->counts;

  if (other->counts.frames > self->counts.frames)
    {
      self->p50_ns = other->p50_ns;
      self->p90_ns = other->p90_ns;
      self->p95_ns = other->p95_ns;
      self->p99_ns = other->p99_ns;
      self->fps_low = other->fps_low;
      self->refresh_ns = other->refresh_ns;
      self->refresh_assumed = other->refresh_assumed;
    }
  self->animation_error_ns = (gint64) jank_report_frame_clock_weigh ((double) self->animation_error_ns,
                                                                     (gint64) self->counts.animated,
                                                                     (double) other->animation_error_ns,
                                                                     (gint64) other->counts.animated);
  for (gsize i = 0; i < JANK_FRAME_COUNTS_N_WORDS; i++)
    jank_json_sum (&sums[i], ((const guint64 *) &other->counts)[i]);
  self->longest_ns = MAX (self->longest_ns, other->longest_ns);
  self->fps = jank_report_frame_clock_find_fps (self);
  self->fps_now = JANK_FRAME_NO_FPS;
  self->stutter = jank_report_frame_clock_weigh (self->stutter, self_ns, other->stutter, other_ns);
  self->hitch_ms_per_s = jank_report_frame_clock_weigh (self->hitch_ms_per_s, self_ns, other->hitch_ms_per_s, other_ns);
  self->hitch_compositor_ms_per_s =
    jank_report_frame_clock_weigh (self->hitch_compositor_ms_per_s, self_ns, other->hitch_compositor_ms_per_s,
                                   other_ns);
  self->hitch_band = jank_hitch_band (self->hitch_ms_per_s);
}

JANK_ORDER_RISING (jank_report_frame_clock_compare_ended_cb, JankReportLateFrame, ->verdict.ended_ns)

void
jank_report_frame_clock_merge (JankReportFrameClock *self, const JankReportFrameClock *other)
{
  jank_report_frame_clock_merge_numbers (&self->numbers, &other->numbers);
  self->has_presentation = self->has_presentation || other->has_presentation;
  jank_report_frame_clock_append (self, other);
  g_array_sort (self->late_frames, jank_report_frame_clock_compare_ended_cb);
  if (self->late_frames->len > JANK_FRAME_N_LATE)
    g_array_remove_range (self->late_frames, 0, self->late_frames->len - JANK_FRAME_N_LATE);
  if (self->late_frames->len > 0)
    jank_report_frame_parts_keep (self->parts,
                                  g_array_index (self->late_frames, JankReportLateFrame, 0).verdict.ended_ns);
}

static void
jank_report_inputs_merge_times (JankTimeFigures *self, const JankTimeFigures *other)
{
  JankTimeFigures most = other->n > self->n ? *other : *self;

  most.n = self->n;
  jank_json_sum (&most.n, other->n);
  most.longest_ns = MAX (self->longest_ns, other->longest_ns);
  *self = most;
}

void
jank_report_inputs_merge (JankReportInputs *self, JankReportInputs *other)
{
  if (other->answered.longest_ns > self->answered.longest_ns)
    {
      JankReportInteraction longest = self->longest;

      self->longest = other->longest;
      other->longest = longest;
    }
  jank_report_inputs_merge_times (&self->answered, &other->answered);
  jank_report_inputs_merge_times (&self->presented, &other->presented);
  for (guint i = 0; i < JANK_N_INTERACTIONS; i++)
    jank_json_sum (&self->n_of[i], other->n_of[i]);
  jank_json_sum (&self->n_motion, other->n_motion);
  self->band = jank_input_band (self->answered.p98_ns);
  jank_report_inputs_clear (other);
}
