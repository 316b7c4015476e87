/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gtk/inspector/jank-inspector-wait-private.h"

#include <glib/gi18n-lib.h>

#include "text/jank-text-report-private.h"

static char *
jank_inspector_wait_describe_wait (const JankReportWait *wait)
{
  g_autofree char *kind = jank_text_wait_kind (wait);
  const char *target = jank_text_or_empty (wait->target);

  return *target != '\0' ? g_strdup_printf (C_("wait", "%s: %s"), kind, target) : g_steal_pointer (&kind);
}

char *
jank_inspector_wait_describe (JankThreadState state, const JankReportWait *wait)
{
  switch (state)
    {
    case JANK_STATE_COMPUTING:  return g_strdup (_("Computing"));
    case JANK_STATE_PREEMPTED:  return g_strdup (_("Waiting for a CPU"));
    case JANK_STATE_PAGE_FAULT: return g_strdup (_("Memory from disk"));
    case JANK_STATE_BLOCKED:    return wait != NULL ? jank_inspector_wait_describe_wait (wait) : g_strdup (C_("wait", "Blocked"));
    default:                    return g_strdup ("");
    }
}

char *
jank_inspector_wait_summarize (JankReport *report)
{
  g_autoptr (GHashTable) sums = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  const char *longest = "";
  gint64 longest_ns = 0;

  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = g_ptr_array_index (report->samples, i);
      g_autofree char *text = jank_inspector_wait_describe (sample->state, sample->wait);
      gint64 *sum_ns = g_hash_table_lookup (sums, text);
      gpointer key;

      if (*text == '\0')
        continue;
      if (sum_ns == NULL)
        g_hash_table_insert (sums, g_strdup (text), sum_ns = g_new0 (gint64, 1));
      *sum_ns += MIN (MAX (sample->weight_ns, 1), G_MAXINT64 - *sum_ns);
      if (*sum_ns > longest_ns && g_hash_table_lookup_extended (sums, text, &key, NULL))
        {
          longest = key;
          longest_ns = *sum_ns;
        }
    }
  return g_strdup (longest);
}
