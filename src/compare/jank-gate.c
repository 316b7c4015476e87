/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "compare/jank-gate-private.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "base/jank-order-private.h"

#define NO_FRAMES N_("no frame was drawn")

/* missing: why a watched program has no such figure */
static const struct { const char *name, *unit, *missing; } figures[JANK_N_GATE_FIGURES] = {
  [JANK_GATE_LONGEST] = { "longest", "ms", NULL },
  [JANK_GATE_STALLS] = { "stalls", "", NULL },
  [JANK_GATE_STALLED] = { "stalled", "ms", NULL },
  [JANK_GATE_HANG_RATE] = { "hang-rate", "s/h", NULL },
  [JANK_GATE_STARTUP] = { "startup", "ms", NO_FRAMES },
  [JANK_GATE_FPS] = { "fps", "", N_("no animation was drawn") },
  [JANK_GATE_LATE] = { "late", "%", NO_FRAMES },
  [JANK_GATE_HITCH] = { "hitch-ratio", "ms/s", NO_FRAMES },
  [JANK_GATE_INPUT_P98] = { "input-p98", "ms", N_("no click or key was answered") },
  [JANK_GATE_STRICT] = { "strict", "", N_("potentially blocking calls were not recorded; use --strict") },
  [JANK_GATE_REPORTS] = { "others", "", NULL },
};

/* Returns: what a number with unit counts in the figure's, 0: it is none of its units */
static double
find_factor (JankGateFigure figure, const char *unit)
{
  if (*unit == '\0' || strcmp (unit, figures[figure].unit) == 0)
    return 1;
  return strcmp (figures[figure].unit, "ms") == 0 && strcmp (unit, "s") == 0 ? 1000 : 0;
}

gboolean
jank_gate_parse (const char *text, JankGate *ret_gate, GError **error)
{
  gsize n = strcspn (text, "<>");
  const char *number = text[n] != '\0' ? text + n + 1 : "";
  char *end = (char *) number;
  double limit = g_ascii_isdigit (*number) ? g_ascii_strtod (number, &end) : NAN;
  guint figure = 0;

  while (figure < JANK_N_GATE_FIGURES &&
         (strlen (figures[figure].name) != n || strncmp (figures[figure].name, text, n) != 0))
    figure++;
  if (figure < JANK_N_GATE_FIGURES && limit < 1e12 && find_factor (figure, end) > 0)
    {
      *ret_gate = (JankGate) { (JankGateFigure) figure, text[n] == '>', limit * find_factor (figure, end) };
      return TRUE;
    }
  g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID,
               _("‘%s’ is not a limit; use, for example, “longest>100ms”, “late>1%%”, “startup>1.5s” or “fps<50”. "
                 "Metrics: %s"),
               text, "longest, stalls, stalled, hang-rate, startup, fps, late, hitch-ratio, input-p98, strict, others");
  return FALSE;
}

/* Returns: NAN for none */
static double
get_frames (JankGateFigure figure, const JankReportFrameClock *frame_clock)
{
  const JankFrameNumbers *numbers = frame_clock != NULL ? &frame_clock->numbers : NULL;
  double n = 0;

  for (int level = 0; numbers != NULL && level < JANK_FRAME_N_LEVELS; level++)
    n += (double) numbers->counts.buckets[level].frames;
  if (n == 0)
    return NAN;
  if (figure == JANK_GATE_LATE)
    return 100 * (double) numbers->counts.late_program / n;
  return figure == JANK_GATE_HITCH ? numbers->hitch_ms_per_s : numbers->fps > 0 ? numbers->fps : NAN;
}

static double
read_figure (const JankGate *self, const JankSessionSummary *summary)
{
  const JankSessionStall *worst = jank_session_summary_worst (summary);
  guint64 n_others = 0;

  if (summary->processes->len == 0)
    return NAN;
  switch (self->figure)
    {
    case JANK_GATE_LONGEST:   return worst != NULL ? (double) worst->duration_ns / JANK_NS_PER_MS : 0;
    case JANK_GATE_STALLS:    return (double) summary->n_stalls;
    case JANK_GATE_STALLED:   return (double) summary->total_ns / JANK_NS_PER_MS;
    case JANK_GATE_HANG_RATE: return jank_session_hang_rate (&summary->hangs);
    case JANK_GATE_STARTUP:   return summary->startup.frame_ns > 0
      ? (double) summary->startup.frame_ns / JANK_NS_PER_MS : NAN;
    case JANK_GATE_INPUT_P98: return summary->inputs.answered.n > 0
      ? (double) summary->inputs.answered.p98_ns / JANK_NS_PER_MS : NAN;
    case JANK_GATE_STRICT:    return summary->is_strict ? summary->calls->len : NAN;
    case JANK_GATE_REPORTS:
      for (guint kind = 0; kind < JANK_N_REPORT_KINDS; kind++)
        n_others += jank_report_kind_is_stall (kind) ? 0 : summary->n_reports[kind];
      return (double) n_others;
    case JANK_GATE_FPS:
    case JANK_GATE_LATE:
    case JANK_GATE_HITCH:
    case JANK_N_GATE_FIGURES:
    default:                  return get_frames (self->figure, summary->frame_clock);
    }
}

double
jank_gate_get_figure (const JankGate *self, const JankSessionSummary *summary)
{
  double figure = read_figure (self, summary);

  return jank_session_summary_is_empty (summary) && !(self->above && figure > self->limit) ? NAN : figure;
}

gboolean
jank_gate_exceeds (const JankGate *self, double figure)
{
  return self->above ? figure > self->limit : figure < self->limit;
}

JANK_ORDER_RISING (compare_figure_cb, double, [0])

double
jank_gate_get_median (double *all, guint n)
{
  qsort (all, n, sizeof *all, compare_figure_cb);
  return all[(n - 1) / 2];
}

char *
jank_gate_describe (const JankGate *self, double figure)
{
  g_autofree char *number = figure == floor (figure) && figure < 1e9 ? g_strdup_printf ("%.0f", figure)
                                                                     : jank_comparison_number_text (figure, FALSE);
  const char *unit = figures[self->figure].unit;

  if (isnan (figure))
    return figures[self->figure].missing != NULL ? g_strdup (_(figures[self->figure].missing)) : NULL;
  return *unit != '\0' ? g_strdup_printf ("%s %s", number, unit) : g_steal_pointer (&number);
}
