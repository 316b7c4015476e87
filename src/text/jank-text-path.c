/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The heaviest stack for who does not know the libraries: from the dispatch inward, and with the program's calls alone. */

#include "config.h"

#include "text/jank-text-report-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-text-clean-private.h"
#include "blame/jank-culprit-private.h"

/* A name may be longer than anybody reads. */
#define MAX_NAME_BYTES 240

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

/* As `show` has it: blank where nobody knows. */
static void
append_share (GString *out, double share)
{
  if (share >= 0.005)
    g_string_append_printf (out, " %3.0f %%", 100.0 * share);
  else
    g_string_append (out, "      ");
}

static void
append_call (GString *out, const JankTextRow *row)
{
  g_autofree char *place = jank_text_place (row->call), *name = jank_text_cut (row->call->name, MAX_NAME_BYTES);

  append_share (out, row->step.share);
  append_share (out, row->step.self_share);
  g_string_append_printf (out, " %s%s%s%s%s\n", row->is_culprit ? "▶" : " ", name, *place != '\0' ? " (" : "", place,
                          *place != '\0' ? ")" : "");
}

static void
append_remark (GString *out, const char *text)
{
  g_string_append_printf (out, "              %s\n", text);
}

/* One call takes no more room than the words that it is left out. */
static void
append_folded (GString *out, guint n_calls, const JankTextRow *last)
{
  g_autofree char *text = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "… %u more call of libraries",
                                                        "… %u more calls of libraries", n_calls), n_calls);

  if (n_calls == 1)
    append_call (out, last);
  else if (n_calls > 1)
    append_remark (out, text);
}

void
jank_text_append_path (GString *out, JankReport *report, gboolean native, guint max_calls)
{
  g_autoptr (JankNamedStacks) names = jank_named_stacks_new (report);
  g_autoptr (GArray) rows = NULL, path = NULL;
  const JankTextRow *last = NULL;
  gboolean is_own = FALSE;
  guint n_folded = 0, n_calls = 0, i;

  if (native)
    jank_named_stacks_keep_native (names);
  rows = jank_text_heaviest (names);
  path = jank_text_path (report, rows);
  for (i = 0; i < path->len && n_calls < max_calls; i++)
    {
      const JankTextStep *step = &g_array_index (path, JankTextStep, i);

      if (step->is_folded && !native)
        {
          n_folded++;
          last = step->row;
          continue;
        }
      append_folded (out, n_folded, last);
      append_call (out, step->row);
      is_own = !step->row->call->platform;
      n_folded = 0;
      n_calls++;
    }
  /* How the loop came to the program's function is plumbing. */
  if (!is_own)
    append_folded (out, n_folded, last);
  if (i < path->len)
    append_remark (out, "…");
  if (report->heaviest.stack != JANK_REPORT_NO_INDEX &&
      !((JankReportStack *) g_ptr_array_index (report->stacks, report->heaviest.stack))->complete)
    append_remark (out, _("(callers not read)"));
}
