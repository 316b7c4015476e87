/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What only the readers of a report ask of it. */

#include "report/jank-report-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

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
