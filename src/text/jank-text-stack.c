/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The heaviest stack, innermost call first. Each call has the share of the stall in which its function was on the
 * stack, and the share in the function itself, where the heaviest path knows them. */

#include "text/jank-text-report-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "report/jank-report-places-private.h"
#include "symbols/jank-function-name-private.h"

#define SHARE_COLUMNS 6
#define GAP 2
#define MIN_FUNCTION_COLUMNS 16
#define FOLD_EDGE 2 /* callers of a long run that stay on either side */
#define MIN_FOLD  4
#define MIN_BRIEF_FOLD 2
#define MAX_BRIEF 16 /* lines */

char *
jank_text_function (JankReport *report, guint call)
{
  g_autofree char *symbol = jank_report_call_to_text (report, call);

  return jank_function_name (symbol);
}

char *
jank_text_name_function (JankReport *report, guint call, const char *function)
{
  const JankReportCall *named = call < report->calls->len ? g_ptr_array_index (report->calls, call) : NULL;
  /* A gist has no calls: "handler of …", "callback of …", "method of …". */
  gboolean is_function = strstr (function, " of ") == NULL &&
                         (named == NULL || (named->name_from != JANK_NAME_FROM_CALLER &&
                                            named->name_from != JANK_NAME_FROM_COLLECTOR));

  return g_strconcat (function, is_function ? "()" : NULL, NULL);
}

/* Innermost. Returns: (nullable) */
static const JankReportCall *
find_function (JankReport *report, const JankReportSample *sample, guint function)
{
  const JankReportStack *stack = jank_report_get_stack (report, sample->stack);

  for (guint i = 0; stack != NULL && i < stack->calls->len; i++)
    if (jank_report_same_function (report, g_array_index (stack->calls, guint, i), function))
      return jank_report_get_call (report, g_array_index (stack->calls, gint, i));
  return NULL;
}

gboolean
jank_text_has_function (JankReport *report, const JankReportSample *sample, guint call)
{
  return find_function (report, sample, call) != NULL;
}

gboolean
jank_text_has_culprit (JankReport *report, const JankReportSample *sample, const JankReportStep *step)
{
  const JankReportCall *call = find_function (report, sample, (guint) step->call);

  if (call == NULL || report->culprit.inlined_into == NULL)
    return call != NULL;
  for (guint i = 0; i < call->inlined->len; i++)
    if (g_strcmp0 (((JankReportInlined *) g_ptr_array_index (call->inlined, i))->symbol, report->culprit.function) == 0)
      return TRUE;
  return FALSE;
}

const JankReportStep *
jank_text_get_step (JankReport *report, gint at)
{
  const GArray *path = report->heaviest.path, *branches = report->heaviest.branches;

  if (at == JANK_REPORT_NO_INDEX)
    return NULL;
  return (guint) at < path->len ? &g_array_index (path, JankReportStep, at)
                                : &g_array_index (branches, JankReportBranch, (guint) at - path->len).step;
}

/* The branch of a function that leaves a step, or JANK_REPORT_NO_INDEX. */
static gint
find_branch (JankReport *report, gint from, guint call)
{
  for (guint i = 0; i < report->heaviest.branches->len; i++)
    {
      const JankReportBranch *branch = &g_array_index (report->heaviest.branches, JankReportBranch, i);

      if (branch->from == from && jank_report_same_function (report, (guint) branch->step.call, call))
        return (gint) (report->heaviest.path->len + i);
    }
  return JANK_REPORT_NO_INDEX;
}

/* Both are walked from the outside inward: each recursion of a function has a step of its own. */
GArray *
jank_text_find_steps (JankReport *report, const GArray *calls)
{
  gint last = JANK_REPORT_NO_INDEX;
  const gint none = JANK_REPORT_NO_INDEX;
  GArray *steps = g_array_sized_new (FALSE, FALSE, sizeof (gint), calls->len);
  guint next = 0;

  for (guint i = 0; i < calls->len; i++)
    g_array_append_val (steps, none);
  for (guint i = calls->len; i > 0; i--)
    {
      guint call = g_array_index (calls, guint, i - 1);

      for (guint j = next; j < report->heaviest.path->len; j++)
        {
          if (!jank_report_same_function (report, (guint) jank_report_get_step (report, (gint) j)->call, call))
            continue;
          g_array_index (steps, gint, i - 1) = last = (gint) j;
          next = j + 1;
          break;
        }
      if (g_array_index (steps, gint, i - 1) == none)
        g_array_index (steps, gint, i - 1) = find_branch (report, last, call);
      if (g_array_index (steps, gint, i - 1) >= (gint) report->heaviest.path->len)
        {
          last = g_array_index (steps, gint, i - 1);
          next = report->heaviest.path->len;
        }
    }
  return steps;
}

GArray *
jank_text_heaviest_calls (JankReport *report)
{
  const JankReportStack *stack = jank_report_get_stack (report, report->heaviest.stack);
  GArray *calls = g_array_new (FALSE, FALSE, sizeof (guint));

  if (stack != NULL)
    return g_array_append_vals (calls, stack->calls->data, stack->calls->len);
  for (guint i = report->heaviest.path->len; i > 0; i--)
    g_array_append_val (calls, jank_report_get_step (report, (gint) i - 1)->call);
  return calls;
}

/* The step's share and its self share, in parts as its samples were in the calls that were inlined. */
static void
share_rows (JankReportPlaces *places, const JankReportStep *step, JankTextRow *outermost, guint n_rows)
{
  g_autoptr (GArray) at = n_rows > 1 ? jank_report_places_find (places, (guint) step->call) : NULL;
  JankReportPlace whole = { 0 };

  outermost->step = *step;
  if (at == NULL || at->len == 0)
    return;
  for (guint i = 0; i < at->len; i++)
    {
      whole.total_ns += g_array_index (at, JankReportPlace, i).total_ns;
      whole.self_ns += g_array_index (at, JankReportPlace, i).self_ns;
    }
  for (guint depth = 0; depth < n_rows; depth++)
    {
      JankTextRow *row = outermost - depth;
      gint64 self_ns = jank_report_places_sum (places, at, depth, NULL).self_ns, total_ns = 0;

      for (guint i = 0; i < at->len; i++)
        total_ns += g_array_index (at, JankReportPlace, i).total_ns;
      row->step.share = step->share * (double) total_ns / (double) MAX (whole.total_ns, 1);
      row->step.self_share = step->self_share * (double) self_ns / (double) MAX (whole.self_ns, 1);
      if (depth + 1 < n_rows)
        jank_report_places_keep (places, at, depth,
                                 jank_report_places_get_inlined (places, (guint) step->call, depth)->symbol);
    }
}

static void
mark_culprit (JankReport *report, JankTextRow *outermost, guint n_rows)
{
  g_autofree char *name = jank_function_name (report->culprit.function);
  guint depth = report->culprit.inlined_into != NULL ? n_rows - 1 : 0;

  while (depth > 0 && strcmp ((outermost - depth)->call->name, name) != 0)
    depth--;
  (outermost - depth)->is_culprit = TRUE;
}

/* What was inlined into a call of the stack, then the call itself. on_path (nullable): the step of that function,
 * whose line is the sentence's, too; what was inlined is told as the stack has it. */
static void
add_rows (GArray *rows, JankNamedStacks *names, JankReportPlaces *places, guint call, const JankReportStep *on_path,
          gboolean is_culprit)
{
  const GArray *named = jank_named_stacks_get_call (names, call);
  JankReportStep step = { .call = (gint) call };

  if (on_path != NULL)
    {
      step = *on_path;
      if (named->len > 1)
        step.call = (gint) call;
      named = jank_named_stacks_get_call (names, (guint) step.call);
    }
  for (guint k = named->len; k > 0; k--)
    {
      JankTextRow row = { .call = &g_array_index (named, JankNamedCall, k - 1) };

      g_array_append_val (rows, row);
    }
  if (on_path != NULL)
    share_rows (places, &step, &g_array_index (rows, JankTextRow, rows->len - 1), named->len);
  if (is_culprit)
    mark_culprit (jank_named_stacks_get_report (names), &g_array_index (rows, JankTextRow, rows->len - 1), named->len);
}

static gboolean
is_folded (JankNamedStacks *names, guint call)
{
  return g_array_index (jank_named_stacks_get_call (names, call), JankNamedCall, 0).folded;
}

GArray *
jank_text_heaviest (JankNamedStacks *names)
{
  JankReport *report = jank_named_stacks_get_report (names);
  g_autoptr (JankReportPlaces) places = jank_report_places_new (report);
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (JankTextRow));
  g_autoptr (GArray) calls = jank_text_heaviest_calls (report);
  g_autoptr (GArray) steps = jank_text_find_steps (report, calls),
      hidden = jank_named_stacks_find_hidden (names, calls);
  gint culprit = jank_report_find_culprit_step (report);
  guint n_hidden = 0;
  double self_share = 0;

  for (guint i = 0; i < calls->len; i++)
    {
      gint at = g_array_index (steps, gint, i);
      const JankReportStep *step = jank_text_get_step (report, at);
      JankTextRow *last;

      /* Its time is that of the script's call which it works for. */
      if (g_array_index (hidden, gboolean, i) && at != culprit)
        {
          n_hidden += !is_folded (names, g_array_index (calls, guint, i));
          self_share += step != NULL ? step->self_share : 0;
          continue;
        }
      add_rows (rows, names, places, g_array_index (calls, guint, i), step, at == culprit);
      last = &g_array_index (rows, JankTextRow, rows->len - 1);
      last->n_hidden = n_hidden;
      last->step.self_share += self_share;
      n_hidden = 0;
      self_share = 0;
    }
  if (rows->len > 0)
    g_array_index (rows, JankTextRow, rows->len - 1).n_hidden += n_hidden;
  return rows;
}

char *
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

  while (path != NULL && at + n < path->len && g_array_index (path, JankTextStep, at + n).is_folded)
    n++;
  return n >= (path == NULL ? MIN_FOLD : MIN_BRIEF_FOLD) ? n : 0;
}

static guint
count_hidden (GArray *rows)
{
  guint n = 0;

  for (guint i = 0; i < rows->len; i++)
    n += g_array_index (rows, JankTextRow, i).n_hidden;
  return n;
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
  g_autoptr (GArray) path = style->brief && !style->native ? jank_text_path (report, rows) : NULL;
  guint n_columns = function_columns (rows, style), callers = style->native ? rows->len : find_callers (rows);
  guint n_rows = path != NULL ? path->len : rows->len, n_lines = 0;

  /* Without the calls that led from the dispatch to the program's first function. */
  while (path != NULL && n_rows > 0 && g_array_index (path, JankTextStep, n_rows - 1).is_folded)
    n_rows--;
  if (path != NULL && (n_rows == 0 || g_array_index (path, JankTextStep, n_rows - 1).row->call->platform))
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
  guint n_hidden;
  const JankReportStack *stack = jank_report_get_stack (report, report->heaviest.stack);

  if (style->native)
    jank_named_stacks_keep_native (names);
  rows = jank_text_heaviest (names);
  if (rows->len == 0)
    return;

  n_hidden = style->brief ? 0 : count_hidden (rows);
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
