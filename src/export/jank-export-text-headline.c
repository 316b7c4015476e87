/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sentence that says what happened and who did it. Whole sentences go to the translator, so there is
 * one per case instead of one glued from words. */

#include "config.h"

#include "export/jank-export-text-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

const char *
jank_export_text_severity (JankSeverity severity)
{
  switch (severity)
    {
    case JANK_SEVERITY_MINOR:     return C_("severity", "minor");
    case JANK_SEVERITY_MICROHANG: return C_("severity", "microhang");
    case JANK_SEVERITY_HANG:      return C_("severity", "hang");
    case JANK_SEVERITY_FROZEN:    return C_("severity", "frozen");
    default:                      g_assert_not_reached ();
    }
}

const char *
jank_export_text_outcome (JankOutcome outcome)
{
  switch (outcome)
    {
    case JANK_OUTCOME_ONGOING:   return C_("outcome", "ongoing");
    case JANK_OUTCOME_RECOVERED: return C_("outcome", "recovered");
    case JANK_OUTCOME_EXITED:    return C_("outcome", "exited");
    case JANK_OUTCOME_KILLED:    return C_("outcome", "killed");
    default:                     g_assert_not_reached ();
    }
}

gboolean
jank_export_text_same_function (JankReport *report, guint frame_a, guint frame_b)
{
  const JankReportFrame *a = g_ptr_array_index (report->frames, frame_a);
  const JankReportFrame *b = g_ptr_array_index (report->frames, frame_b);

  return a == b || (a->module == b->module && a->offset - a->symbol_offset == b->offset - b->symbol_offset);
}

gboolean
jank_export_text_has_function (JankReport *report, const JankReportSample *sample, guint frame)
{
  const JankReportStack *stack;

  if (sample->stack == JANK_REPORT_NO_INDEX)
    return FALSE;
  stack = g_ptr_array_index (report->stacks, sample->stack);
  for (guint i = 0; i < stack->frames->len; i++)
    if (jank_export_text_same_function (report, g_array_index (stack->frames, guint, i), frame))
      return TRUE;
  return FALSE;
}

gint
jank_export_text_find_culprit (JankReport *report)
{
  if (report->culprit.function == NULL)
    return JANK_REPORT_NO_INDEX;

  for (guint i = report->heaviest.path->len; i > 0; i--)
    {
      gint frame = g_array_index (report->heaviest.path, JankReportStep, i - 1).frame;
      g_autofree char *text = jank_report_frame_to_text (report, (guint) frame);

      if (strcmp (text, report->culprit.function) == 0)
        return (gint) i - 1;
    }
  return JANK_REPORT_NO_INDEX;
}

/* What the culprit's samples say; without a culprit on the path, what all of them say. */
typedef struct
{
  gint64      computing_ns, blocked_ns;
  const char *syscall; /* (nullable): the one in which it waited longest */
} Activity;

static Activity
sum_activity (JankReport *report, const JankReportStep *culprit)
{
  g_autoptr (GHashTable) waits = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  Activity sum = { 0 };
  gint64 longest_ns = 0;

  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = g_ptr_array_index (report->samples, i);
      gint64 *total_ns = sample->state == JANK_STATE_COMPUTING ? &sum.computing_ns : &sum.blocked_ns;
      gint64 *wait_ns;

      if (sample->state == JANK_STATE_UNKNOWN ||
          (culprit != NULL && !jank_export_text_has_function (report, sample, (guint) culprit->frame)))
        continue;
      *total_ns += MIN (sample->weight_ns, G_MAXINT64 - *total_ns);
      if (sample->wait_syscall == NULL)
        continue;

      wait_ns = g_hash_table_lookup (waits, sample->wait_syscall);
      if (wait_ns == NULL)
        g_hash_table_insert (waits, sample->wait_syscall, wait_ns = g_new0 (gint64, 1));
      *wait_ns += MIN (sample->weight_ns, G_MAXINT64 - *wait_ns);
      if (*wait_ns > longest_ns)
        {
          longest_ns = *wait_ns;
          sum.syscall = sample->wait_syscall;
        }
    }
  return sum;
}

/* "compute_primes() in jankwatch-demo"; the function alone when it has no name, for then it names the file. */
static char *
describe_function (JankReport *report)
{
  g_autofree char *function = jank_text_clean (report->culprit.function);
  g_autofree char *file = jank_text_file_name (report->culprit.module);

  if (strstr (function, "+0x") != NULL || g_str_has_prefix (function, "0x"))
    return g_steal_pointer (&function);
  if (*file == '\0')
    return g_strdup_printf ("%s()", function);
  return g_strdup_printf (_("%s() in %s"), function, file);
}

/* A function outside the program's own file says little without the source that led there. */
static char *
describe_culprit (JankReport *report)
{
  g_autofree char *function = describe_function (report);
  g_autofree char *source = jank_text_clean (report->source.name);

  if (*source == '\0' || g_strcmp0 (report->culprit.module, report->app.exe) == 0)
    return g_steal_pointer (&function);
  return g_strdup_printf (_("%s, from %s,"), function, source);
}

/* Returns: (nullable): without a culprit */
static char *
describe_cause (JankReport *report)
{
  gint step = jank_export_text_find_culprit (report);
  const JankReportStep *culprit =
    step != JANK_REPORT_NO_INDEX ? &g_array_index (report->heaviest.path, JankReportStep, step) : NULL;
  Activity activity = sum_activity (report, culprit);
  g_autofree char *who = NULL, *share = NULL, *syscall = NULL;

  if (report->culprit.function == NULL)
    return NULL;

  who = describe_culprit (report);
  share = jank_text_share (culprit != NULL ? culprit->share : report->heaviest.share);
  if (activity.blocked_ns <= activity.computing_ns)
    return activity.computing_ns > 0 ? g_strdup_printf (_("%s was computing for %s of it"), who, share)
                                     : g_strdup_printf (_("%s was running for %s of it"), who, share);

  syscall = jank_text_clean (activity.syscall);
  return *syscall != '\0' ? g_strdup_printf (_("%s was blocked in %s for %s of it"), who, syscall, share)
                          : g_strdup_printf (_("%s was blocked for %s of it"), who, share);
}

static char *
describe_stall (JankReport *report)
{
  g_autofree char *length = jank_text_duration (report->stall.duration_ns);
  const char *severity = jank_export_text_severity (report->stall.severity);
  gboolean startup = report->kind == JANK_REPORT_STARTUP;

  switch (report->stall.outcome)
    {
    case JANK_OUTCOME_ONGOING:
      return startup ? g_strdup_printf (_("Start-up has kept the main loop for %s so far (%s)"), length, severity)
                     : g_strdup_printf (_("Main loop has been stalled for %s so far (%s)"), length, severity);
    case JANK_OUTCOME_EXITED:
      return startup ? g_strdup_printf (_("Program ended itself after %s of start-up (%s)"), length, severity)
                     : g_strdup_printf (_("Main loop stalled for %s (%s) until the program ended itself"),
                                        length, severity);
    case JANK_OUTCOME_KILLED:
      return startup
        ? g_strdup_printf (_("Program was killed or crashed after at least %s of start-up (%s)"), length, severity)
        : g_strdup_printf (_("Main loop stalled for at least %s (%s) until the program was killed or crashed"),
                           length, severity);
    case JANK_OUTCOME_RECOVERED:
      return startup ? g_strdup_printf (_("Start-up kept the main loop for %s (%s)"), length, severity)
                     : g_strdup_printf (_("Main loop stalled for %s (%s)"), length, severity);
    default:
      g_assert_not_reached ();
    }
}

char *
jank_export_text_headline (JankReport *report)
{
  g_autofree char *what = describe_stall (report);
  g_autofree char *why = describe_cause (report);

  if (why == NULL)
    return g_strdup_printf (_("%s; no stack could be read"), what);
  return g_strdup_printf (_("%s: %s"), what, why);
}
