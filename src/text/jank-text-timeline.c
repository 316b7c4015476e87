/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The samples in time: consecutive samples in which the thread did the same share a row, with its beginning, its
 * length and a bar for its share. */

#include "text/jank-text-report-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "json/jank-json-private.h"

#define TIME_COLUMNS 9 /* at least */
#define BAR_COLUMNS 12
#define GAP 2

typedef struct
{
  gint64          from_ns, weight_ns;
  JankThreadState state;
  char           *doing; /* (owned): what the thread did, for people */
  char           *where; /* (owned): in which function */
} Run;

static void
run_clear (gpointer data)
{
  Run *run = data;

  g_free (run->doing);
  g_free (run->where);
}

static char *
doing_text (const JankReportSample *sample)
{
  const char *syscall = jank_text_or_empty (sample->wait != NULL ? sample->wait->syscall : NULL);

  if (sample->stack == JANK_REPORT_NO_INDEX && sample->state == JANK_STATE_UNKNOWN)
    return g_strdup (_("not read"));
  if (sample->state == JANK_STATE_UNKNOWN)
    return g_strdup (_("running"));
  if (sample->state != JANK_STATE_BLOCKED)
    return g_strdup (jank_text_state (sample->state));
  return *syscall != '\0' ? g_strdup_printf (_("blocked in %s"), syscall) : g_strdup (_("blocked"));
}

/* Returns: (transfer full) of Run */
static GArray *
find_runs (JankReport *report)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (Run));
  g_autoptr (GArray) spans = jank_report_get_sample_spans (report);
  g_autoptr (JankNamedStacks) names = jank_named_stacks_new (report);

  g_array_set_clear_func (runs, run_clear);
  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = g_ptr_array_index (report->samples, i);
      Run run = { g_array_index (spans, JankReportSpan, i).from_ns, sample->weight_ns, sample->state,
                  doing_text (sample),
                  jank_text_where (names, sample->stack, sample->wait != NULL ? sample->wait->syscall : NULL) };
      Run *last = runs->len > 0 ? &g_array_index (runs, Run, runs->len - 1) : NULL;

      if (last != NULL && strcmp (last->doing, run.doing) == 0 && strcmp (last->where, run.where) == 0)
        {
          jank_json_sum (&last->weight_ns, run.weight_ns);
          run_clear (&run);
        }
      else
        g_array_append_val (runs, run);
    }
  return runs;
}

/* Wide enough for the longest time, with a gap before it. */
static guint
find_n_time (GArray *runs)
{
  guint n_time = TIME_COLUMNS;

  JANK_EACH_IN (const Run, run, runs)
    {
      g_autofree char *at = jank_text_duration (run->from_ns);
      g_autofree char *length = jank_text_duration (run->weight_ns);

      n_time = MAX (n_time, GAP + MAX (jank_text_width (at), jank_text_width (length)));
    }
  return n_time;
}

static void
add_run (GString *out, const JankTextStyle *style, const Run *run, double share, guint n_time, guint n_doing)
{
  guint n_before = 2 * n_time + GAP + BAR_COLUMNS + GAP + n_doing + GAP;
  g_autofree char *at = jank_text_duration (run->from_ns);
  g_autofree char *length = jank_text_duration (run->weight_ns);
  const char *sgr = jank_text_state_sgr (run->state);
  g_auto (GStrv) parts = g_strsplit (run->where, "→", -1);
  g_autofree char *where = style->ascii ? g_strjoinv ("->", parts) : g_strdup (run->where);

  jank_text_append_right (out, style, at, n_time, JANK_TEXT_DIM);
  jank_text_append_right (out, style, length, n_time, NULL);
  g_string_append (out, "  ");
  jank_text_append_bar (out, style, share, BAR_COLUMNS, sgr);
  g_string_append (out, "  ");
  jank_text_append_left (out, style, run->doing, n_doing, NULL);
  g_string_append (out, "  ");
  jank_text_append_left (out, style, where, MAX (style->n_columns, n_before + 16) - n_before, NULL);
  jank_text_end_line (out);
}

void
jank_text_add_timeline (GString *out, JankReport *report, const JankTextStyle *style)
{
  g_autoptr (GArray) runs = find_runs (report);
  double total_ns = 0.0;
  guint n_time = find_n_time (runs);
  guint n_doing = 0;

  if (runs->len == 0)
    return;
  JANK_EACH_IN (const Run, run, runs)
    {
      total_ns += (double) run->weight_ns;
      n_doing = MAX (n_doing, jank_text_width (run->doing));
    }

  jank_text_add_title (out, style, _("Timeline"));
  jank_text_append_right (out, style, C_("column", "at"), n_time, JANK_TEXT_DIM);
  jank_text_append_right (out, style, C_("column", "for"), n_time, JANK_TEXT_DIM);
  jank_text_end_line (out);
  JANK_EACH_IN (const Run, run, runs)
    add_run (out, style, run, total_ns > 0.0 ? (double) run->weight_ns / total_ns : 0.0, n_time, MIN (n_doing, 26));
}
