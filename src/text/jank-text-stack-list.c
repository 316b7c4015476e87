/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The section of the heaviest stack, with calls that lead nowhere else folded. The command's alone. */

#include "text/jank-text-report-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "blame/jank-culprit-private.h"

#define SHARE_COLUMNS 6
#define GAP 2
#define MIN_FUNCTION_COLUMNS 16
#define FOLD_EDGE 2 /* callers of a long run that stay on either side */
#define MIN_FOLD  4
#define MIN_BRIEF_FOLD 2
#define MAX_BRIEF 16 /* lines */

/* A call on the heaviest stack, from the dispatch of the main loop inward. */
typedef struct
{
  const JankTextRow *row;
  gboolean           is_folded; /* of a library, and neither innermost nor called by the program */
} PathStep;

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

/* The heaviest stack for whoever does not know the libraries: from the dispatch inward, and with the program's calls
 * alone. rows: of jank_text_heaviest(), which must outlive it. Returns: (transfer full) (element-type PathStep),
 * innermost first */
static GArray *
find_path (const JankReport *report, const GArray *rows)
{
  guint n = count_inside (report, rows);
  GArray *path = g_array_sized_new (FALSE, FALSE, sizeof (PathStep), n);

  for (guint i = 0; i < n; i++)
    {
      const JankTextRow *row = &g_array_index (rows, JankTextRow, i);
      gboolean is_called = i + 1 < n && !g_array_index (rows, JankTextRow, i + 1).call->platform;
      PathStep step = { row, row->call->platform && !row->is_culprit && !is_called && i > 0 };

      g_array_append_val (path, step);
    }
  return path;
}

/* "primes.py:123", or the name of the file that holds the call. Returns: (transfer full) */
static char *
jank_text_place (const JankNamedCall *call)
{
  g_autofree char *file = jank_text_file_name (call->file);

  return call->file != NULL ? g_strdup_printf ("%s:%u", file, call->line)
                            : g_strdup (call->holder);
}

static guint
function_columns (GArray *rows, const JankTextStyle *style)
{
  guint n_function = MIN_FUNCTION_COLUMNS, n_place = 0, n_room;

  for (guint i = 0; i < rows->len; i++)
    {
      const JankNamedCall *call = g_array_index (rows, JankTextRow, i).call;
      g_autofree char *place = jank_text_place (call);

      n_function = MAX (n_function, jank_text_width (call->name));
      n_place = MAX (n_place, jank_text_width (place));
    }
  n_room = style->n_columns - MIN (style->n_columns, 2 * SHARE_COLUMNS + 3 * GAP + n_place);
  return MIN (n_function, MAX (n_room, MIN_FUNCTION_COLUMNS));
}

static void
add_share (GString *out, const JankTextStyle *style, double share)
{
  g_autofree char *text = share >= 0.005 ? jank_text_share (share) : g_strdup ("");

  jank_text_append_right (out, style, text, SHARE_COLUMNS, NULL);
}

static void
add_call (GString *out, const JankTextStyle *style, const JankTextRow *row, guint n_columns)
{
  g_autofree char *place = jank_text_place (row->call);
  const char *name = row->call->name;

  /* Of a file with a long name only its offsets differ. */
  if (jank_text_width (name) > n_columns && g_str_has_prefix (name, place) && name[strlen (place)] == '+')
    name += strlen (place);
  add_share (out, style, row->step.share);
  add_share (out, style, row->step.self_share);
  jank_text_append (out, style, !row->is_culprit ? "  " : style->ascii ? " >" : " ▶", JANK_TEXT_RED);
  jank_text_append_left (out, style, name, n_columns, row->is_culprit ? JANK_TEXT_BOLD : NULL);
  g_string_append (out, "  ");
  jank_text_append (out, style, place, JANK_TEXT_DIM);
  jank_text_end_line (out);
}

static void
add_title (GString *out, JankReport *report, const JankTextStyle *style)
{
  g_autofree char *title = g_strdup_printf (
    g_dngettext (GETTEXT_PACKAGE, "Heaviest stack, innermost first (%u sample, confidence %d %%)",
                 "Heaviest stack, innermost first (%u samples, confidence %d %%)", report->heaviest.n_samples),
    report->heaviest.n_samples, (gint) (report->heaviest.confidence * 100.0 + 0.5));

  jank_text_add_title (out, style, title);
}

/* From which row on they are the culprit's callers. */
static guint
find_callers (GArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    if (g_array_index (rows, JankTextRow, i).is_culprit)
      return i + 1;
  return rows->len;
}

/* Returns: how many calls from there on are in the midst of libraries' */
static guint
count_foldable (GArray *rows, guint callers, guint at)
{
  guint end;

  if (at < callers + FOLD_EDGE)
    return 0;
  for (end = at - FOLD_EDGE; end < rows->len; end++)
    if (!g_array_index (rows, JankTextRow, end).call->platform)
      break;
  return end > at + FOLD_EDGE ? end - at - FOLD_EDGE : 0;
}

/* path (nullable): of a brief stack. Returns: how many calls from there on one line stands for */
static guint
count_folded (GArray *rows, GArray *path, guint callers, guint at)
{
  guint n = path == NULL ? count_foldable (rows, callers, at) : 0;

  while (path != NULL && at + n < path->len && g_array_index (path, PathStep, at + n).is_folded)
    n++;
  return n >= (path == NULL ? MIN_FOLD : MIN_BRIEF_FOLD) ? n : 0;
}

/* text: (transfer full) */
static void
add_remark (GString *out, const JankTextStyle *style, char *text)
{
  jank_text_append_left (out, style, "", 2 * SHARE_COLUMNS + GAP, NULL);
  jank_text_append (out, style, text, JANK_TEXT_DIM);
  jank_text_end_line (out);
  g_free (text);
}

/* Above the innermost call. */
static void
add_kernel (GString *out, JankReport *report, const JankTextStyle *style)
{
  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = jank_report_get_sample (report, i);

      if (sample->kernel == NULL || sample->stack != report->heaviest.stack)
        continue;
      add_remark (out, style, strcmp (sample->kernel, "unknown") == 0 ? g_strdup (_("in the kernel"))
                              : g_strdup_printf (_("in the kernel (%s)"), sample->kernel));
      return;
    }
}

static void
add_calls (GString *out, JankReport *report, const JankTextStyle *style, GArray *rows)
{
  g_autoptr (GArray) path = style->brief && !style->native ? find_path (report, rows) : NULL;
  guint n_columns = function_columns (rows, style), callers = style->native ? rows->len : find_callers (rows);
  guint n_rows = path != NULL ? path->len : rows->len, n_lines = 0;

  /* Without the calls that led from the dispatch to the program's first function. */
  while (path != NULL && n_rows > 0 && g_array_index (path, PathStep, n_rows - 1).is_folded)
    n_rows--;
  if (path != NULL && (n_rows == 0 || g_array_index (path, PathStep, n_rows - 1).row->call->platform))
    n_rows = path->len;
  jank_text_append_right (out, style, C_("column", "share"), SHARE_COLUMNS, JANK_TEXT_DIM);
  jank_text_append_right (out, style, C_("column", "self"), SHARE_COLUMNS, JANK_TEXT_DIM);
  g_string_append (out, "  ");
  jank_text_append_left (out, style, C_("column", "function"), n_columns + GAP, JANK_TEXT_DIM);
  jank_text_append (out, style, C_("column", "file"), JANK_TEXT_DIM);
  jank_text_end_line (out);

  add_kernel (out, report, style);
  for (guint i = 0; i < n_rows; i++)
    {
      guint n_folded = count_folded (rows, path, callers, i);

      if (n_folded > 0)
        add_remark (out, style, g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "… %u more call of libraries",
                                                              "… %u more calls of libraries", n_folded), n_folded));
      i += n_folded;
      if (style->brief && n_lines++ == MAX_BRIEF)
        {
          add_remark (out, style, g_strdup ("…"));
          return;
        }
      if (i < n_rows)
        add_call (out, style, &g_array_index (rows, JankTextRow, i), n_columns);
    }
}

void
jank_text_add_stack (GString *out, JankReport *report, const JankTextStyle *style)
{
  g_autoptr (JankNamedStacks) names = jank_named_stacks_new (report);
  g_autoptr (GArray) rows = NULL;
  guint n_hidden = 0;
  const JankReportStack *stack = jank_report_get_stack (report, report->heaviest.stack);

  if (style->native)
    jank_named_stacks_keep_native (names);
  rows = jank_text_heaviest (names);
  if (rows->len == 0)
    return;

  for (guint i = 0; !style->brief && i < rows->len; i++)
    n_hidden += g_array_index (rows, JankTextRow, i).n_hidden;
  add_title (out, report, style);
  add_calls (out, report, style, rows);

  if (n_hidden > 0)
    add_remark (out, style, g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                                          "(and %u call of the interpreter: --native)",
                                                          "(and %u calls of the interpreter: --native)", n_hidden),
                                             n_hidden));
  if (stack != NULL && !stack->complete)
    add_remark (out, style, g_strdup (_("(callers not read)")));
  if (report->heaviest.unanswered != NULL)
    add_remark (out, style, g_strdup (_("(JavaScript: no answer since the call into native code began)")));
}
