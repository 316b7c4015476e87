/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The heaviest stack for whoever does not know the libraries: from the dispatch inward, and with the program's calls
 * alone. */

#include "text/jank-text-report-private.h"

#include "blame/jank-culprit-private.h"

/* Returns: how many of the rows, from the innermost on, are inside the dispatch */
static guint
count_inside (const JankReport *report, const GArray *rows)
{
  g_autofree JankCulpritStep *steps = g_new0 (JankCulpritStep, rows->len + 1);
  guint first;

  for (guint i = 0; i < rows->len; i++)
    {
      const JankNamedCall *call = g_array_index (rows, JankTextRow, rows->len - 1 - i).call;

      steps[i] = (JankCulpritStep) { call->name, call->module != NULL ? call->module->path : NULL, FALSE };
    }
  first = jank_culprit_find_first (steps, rows->len, jank_report_kind_is_stall (report->kind));
  return first < rows->len ? rows->len - first : rows->len;
}

GArray *
jank_text_path (const JankReport *report, const GArray *rows)
{
  guint n = count_inside (report, rows);
  GArray *path = g_array_sized_new (FALSE, FALSE, sizeof (JankTextStep), n);

  for (guint i = 0; i < n; i++)
    {
      const JankTextRow *row = &g_array_index (rows, JankTextRow, i);
      gboolean is_called = i + 1 < n && !g_array_index (rows, JankTextRow, i + 1).call->platform;
      JankTextStep step = { row, row->call->platform && !row->is_culprit && !is_called && i > 0 };

      g_array_append_val (path, step);
    }
  return path;
}
