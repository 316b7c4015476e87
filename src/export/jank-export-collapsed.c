/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folded stacks, for flamegraph.pl, inferno and many others: "outer;inner 1200000", in nanoseconds, a line a stack. */

#include "export/jank-export-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-hash-private.h"
#include "json/jank-json-private.h"

/* The separator is the one character that a name cannot have. */
static char *
fold (const JankExport *self, const GArray *stack)
{
  GString *line = g_string_new (NULL);

  for (guint i = 0; i < stack->len; i++)
    {
      g_autofree char *name = g_strdup (jank_export_get_function (self,
                                                                  &g_array_index (stack, JankExportCall, i))->name);

      if (i > 0)
        g_string_append_c (line, ';');
      g_string_append (line, g_strdelimit (name, ";", ','));
    }
  return g_string_free (line, FALSE);
}

static GBytes *
jank_export_collapsed_make (const JankExport *self, GError **error)
{
  g_autoptr (GHashTable) times = g_hash_table_new_full (jank_hash_text, g_str_equal, g_free, g_free);
  g_autoptr (GPtrArray) lines = g_ptr_array_new ();
  GString *out = g_string_new (NULL);

  JANK_EACH (const JankExportReport, report, self->reports)
    {
      g_autofree gint64 *stack_ns = g_new0 (gint64, report->stacks->len);

      JANK_EACH_IN (const JankExportSample, sample, report->samples)
        jank_json_sum (&stack_ns[sample->stack], sample->to_ns - sample->from_ns);
      for (guint j = 0; j < report->stacks->len; j++)
        {
          char *line = stack_ns[j] > 0 ? fold (self, g_ptr_array_index (report->stacks, j)) : NULL;
          gint64 *time_ns = line != NULL ? g_hash_table_lookup (times, line) : NULL;

          if (line == NULL)
            continue;
          if (time_ns == NULL)
            {
              g_hash_table_insert (times, line, time_ns = g_new0 (gint64, 1));
              g_ptr_array_add (lines, line);
            }
          else
            g_free (line);
          jank_json_sum (time_ns, stack_ns[j]);
        }
    }
  for (guint i = 0; i < lines->len; i++)
    g_string_append_printf (out, "%s %" G_GINT64_FORMAT "\n", (char *) g_ptr_array_index (lines, i),
                            *(gint64 *) g_hash_table_lookup (times, g_ptr_array_index (lines, i)));
  return g_string_free_to_bytes (out);
}

const JankExportFormat jank_export_collapsed = {
  "collapsed", N_("Folded stacks, for flame graphs (flamegraph.pl, inferno)"), 0, jank_export_collapsed_make,
};
