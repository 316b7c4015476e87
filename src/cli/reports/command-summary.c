/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch summary`: prints one row a problem, or the calls of all its stalls as one tree. Only reads. */

#include "cli/cli.h"

#include <glib/gi18n.h>

#include "index/jank-problem-private.h"
#include "store/jank-session-private.h"
#include "cli/table.h"
#include "text/jank-flame-tree-private.h"
#include "text/jank-report-lines-private.h"
#include "text/jank-text-report-private.h"

/* Of a tree, what is less is not shown. */
#define MIN_SHARE 0.01
#define SHARE_COLUMNS 7

/* Of a screen, that are no rows: what the table is of, its titles, how many are left, and the shell's prompt. */
#define LOOK_LINES 4

/* Behind each: the same for a person who looks at what was new; a screen of 80 columns has what he decides by. */
#define NEVER G_MAXUINT
static const struct { CliColumn column; guint look_columns, look_least; } columns[] = {
  { { NC_("column", "Count"), TRUE, 45, 0 }, 0, 0 },
  { { NC_("column", "Total"), TRUE, 0, 0 }, 0, 0 },
  { { NC_("column", "p50"), TRUE, 120, 0 }, NEVER, 0 },
  { { NC_("column", "p95"), TRUE, 100, 0 }, NEVER, 0 },
  { { NC_("column", "Longest"), TRUE, 90, 0 }, 90, 0 },
  { { NC_("column", "Hang rate"), TRUE, 140, 0 }, 0, 0 },
  { { NC_("column", "By day"), FALSE, 160, 0 }, 110, 0 },
  { { NC_("column", "First"), FALSE, 200, 0 }, NEVER, 0 },
  { { NC_("column", "Last"), FALSE, 65, 0 }, 0, 0 },
  { { NC_("column", "Versions"), FALSE, 220, 0 }, NEVER, 0 },
  { { NC_("column", "Program"), FALSE, 55, 8 }, 0, 10 },
  { { NC_("column", "Culprit"), FALSE, 0, 12 }, 0, 16 },
  { { NC_("column", "Problem"), FALSE, 0, 16 }, NEVER, 0 },
};

/* Of a JankBy. */
static const char *const command_summary_groups[] = {
  [JANK_BY_FINGERPRINT] = "problem", [JANK_BY_APP] = "app", [JANK_BY_EXTENSION] = "extension",
  [JANK_BY_WINDOW] = "window",
  [JANK_BY_TAG] = "tag", [JANK_BY_SOURCE] = "source", NULL,
};

static const char *const titles[] = {
  [JANK_BY_FINGERPRINT] = NC_("column", "Problem"), [JANK_BY_APP] = NC_("column", "Program"),
  [JANK_BY_EXTENSION] = NC_("column", "Extension"), [JANK_BY_WINDOW] = NC_("column", "Window"),
  [JANK_BY_TAG] = NC_("column", "Tag"), [JANK_BY_SOURCE] = NC_("column", "Source"),
};

/* Returns: (transfer full): a mark for each day that is shown */
static char *
draw_days (const JankProblem *problem, const JankTextStyle *style)
{
  static const char *const bars[] = { "·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
  g_autoptr (GString) text = g_string_new (NULL);
  guint most = 1;

  for (guint i = 0; i < JANK_PROBLEM_N_DAYS; i++)
    most = MAX (most, problem->days[i]);
  for (guint i = 0; i < JANK_PROBLEM_N_DAYS; i++)
    {
      guint64 level = ((guint64) problem->days[i] * 8 + most - 1) / most;

      if (style->ascii)
        g_string_append_c (text, ".12345678"[level]);
      else
        g_string_append (text, bars[level]);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* A guess says so. */
static char *
guess (const JankProblem *problem, gint64 ns)
{
  g_autofree char *text = jank_text_duration (ns);

  return g_strconcat (problem->estimated ? "~" : "", text, NULL);
}

static void
add_row (CliTable *table, const JankProblem *problem, const JankTextStyle *style)
{
  g_autofree char *culprit = jank_row_dup_culprit (problem->longest);

  cli_table_take (table, g_strdup_printf ("%" G_GUINT64_FORMAT, problem->count));
  cli_table_take (table, jank_text_duration (problem->total_ns));
  cli_table_take (table, guess (problem, problem->p50_ns));
  cli_table_take (table, guess (problem, problem->p95_ns));
  cli_table_take (table, jank_text_duration (problem->longest_ns));
  /* Of seconds, a rate per hour says nothing. */
  cli_table_take (table, problem->watched_ns >= JANK_SESSION_RATE_NS
                           ? g_strdup_printf (_("%.1f s/h"), problem->hang_s_per_hour) : g_strdup (""));
  cli_table_take (table, draw_days (problem, style));
  cli_table_take (table, cli_time (problem->first_us, style));
  cli_table_take (table, cli_time (problem->last_us, style));
  cli_table_take (table, jank_text_join (problem->versions, jank_text_version));
  cli_table_take (table, jank_text_join (problem->apps, g_strdup));
  cli_table_take (table, g_steal_pointer (&culprit));
  cli_table_take (table, g_strdup (*problem->key != '\0' ? problem->key : _("(none)")));
}

static void
add_texts (GString *out, const char *name, const GPtrArray *texts)
{
  jank_json_put (out, "%s:[", name);
  for (guint i = 0; i < texts->len; i++)
    jank_json_put (out, "%s", (const char *) g_ptr_array_index (texts, i));
  jank_json_put (out, "]");
}

static void
print_json (GPtrArray *problems, JankBy by)
{
  g_autoptr (GString) out = g_string_new ("[");

  JANK_EACH (const JankProblem, problem, problems)
    {
      g_autofree char *first = jank_json_time_to_text (problem->first_us);
      g_autofree char *last = jank_json_time_to_text (problem->last_us);

      jank_json_put (out, "{'kind':%s,'longest':%s", jank_report_kind_to_nick (problem->longest->kind),
                     problem->longest->id);
      jank_json_put_text (out, by == JANK_BY_FINGERPRINT ? "fingerprint" : command_summary_groups[by], problem->key);
      jank_json_put_text (out, "culprit", problem->longest->culprit);
      jank_json_put (out, "'reports':%li,'count':%li,'total_ns':%li,'p50_ns':%li,'p95_ns':%li,'estimated':%d,"
                          "'longest_ns':%li", (glong) problem->rows->len, (glong) problem->count, problem->total_ns,
                     problem->p50_ns, problem->p95_ns, problem->estimated, problem->longest_ns);
      if (problem->hang_s_per_hour >= 0)
        jank_json_put (out, "'hang_s_per_hour':%g", problem->hang_s_per_hour);
      jank_json_put_text (out, "first", first);
      jank_json_put_text (out, "last", last);
      jank_json_put (out, "'days':[");
      for (guint k = 0; k < JANK_PROBLEM_N_DAYS; k++)
        jank_json_put (out, "%li", (glong) problem->days[k]);
      jank_json_put (out, "]");
      add_texts (out, "apps", problem->apps);
      add_texts (out, "versions", problem->versions);
      jank_json_put (out, "}");
    }
  jank_json_put (out, "]");
  cli_print_json_text (out);
}

/* n_most: so many rows. */
static void
print_table (GPtrArray *problems, JankBy by, gboolean is_look, guint n_most)
{
  JankTextStyle style = cli_table_style ();
  CliColumn shown[G_N_ELEMENTS (columns)];
  g_autoptr (CliTable) table = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      shown[i] = columns[i].column;
      shown[i].n_columns = is_look ? columns[i].look_columns : shown[i].n_columns;
      shown[i].n_least = is_look ? columns[i].look_least : shown[i].n_least;
    }
  shown[G_N_ELEMENTS (shown) - 1].title = titles[by];
  if (by != JANK_BY_FINGERPRINT)
    shown[G_N_ELEMENTS (shown) - 1].n_least = 12;
  table = cli_table_new (shown, G_N_ELEMENTS (shown));

  for (guint i = 0; i < MIN (problems->len, n_most); i++)
    add_row (table, g_ptr_array_index (problems, i), &style);
  cli_table_print (table);
}

/* What people did in all of these sessions. */
static void
print_inputs (GPtrArray *files)
{
  g_auto (JankReportInputs) all = { 0 };
  g_autofree char *text = NULL;

  for (guint i = 0; i < files->len; i++)
    jank_report_inputs_merge (&all, &((JankSessionSummary *) g_ptr_array_index (files, i))->inputs);
  if (all.answered.n == 0)
    return;
  text = jank_text_inputs (&all);
  g_print ("%s\n", text);
}

/* One screen: what was new since the last look, the most time first. since_us: 0: that was never */
static void
print_look (GPtrArray *problems, JankBy by, gint64 since_us)
{
  JankTextStyle style = cli_table_style ();
  g_autofree char *since = since_us > 0 ? cli_time (since_us, &style) : NULL;
  guint n_lines = cli_count_lines (stdout), n_most = n_lines > LOOK_LINES ? n_lines - LOOK_LINES : G_MAXUINT;
  guint n_left = problems->len - MIN (problems->len, n_most);

  if (problems->len == 0)
    g_print (since != NULL ? _("There were no stalls since %s.\n") : _("There are no stalls yet.\n"), since);
  else
    {
      if (since != NULL)
        g_print (_("Stalls since %s:\n"), since);
      else
        g_print (_("Stalls so far:\n"));
      print_table (problems, by, TRUE, n_most);
    }
  if (n_left > 0)
    g_print (g_dngettext (GETTEXT_PACKAGE, "And %u more: “jankwatch summary --by %s” has it.\n",
                          "And %u more: “jankwatch summary --by %s” has them.\n", n_left), n_left,
                          command_summary_groups[by]);
}

static void
append_node (GString *out, const JankTextStyle *style, const JankFlameTree *tree, guint at, guint depth)
{
  const JankFlameNode *node = jank_flame_tree_get (tree, at);
  double total_ns = (double) MAX (jank_flame_tree_get (tree, JANK_FLAME_ROOT)->total_ns, 1);
  g_autofree char *share = jank_text_share ((double) node->total_ns / total_ns);
  g_autofree char *self = node->self_ns > 0 ? jank_text_share ((double) node->self_ns / total_ns) : g_strdup ("");

  if ((double) node->total_ns < MIN_SHARE * total_ns)
    return;
  jank_text_append_right (out, style, share, SHARE_COLUMNS, NULL);
  jank_text_append_right (out, style, self, SHARE_COLUMNS, NULL);
  g_string_append_printf (out, "  %*s", (int) (2 * depth), "");
  jank_text_append (out, style, node->label, node->own ? JANK_TEXT_BOLD : NULL);
  if (*node->module != '\0')
    g_string_append_printf (out, "  %s", node->module);
  g_string_append_c (out, '\n');
  for (guint child = node->first_child; child != JANK_FLAME_NONE;
       child = jank_flame_tree_get (tree, child)->next_sibling)
    append_node (out, style, tree, child, depth + 1);
}

static void
add_node (GString *out, const JankFlameTree *tree, guint at)
{
  const JankFlameNode *node = jank_flame_tree_get (tree, at);

  jank_json_put (out, "{'total_ns':%li,'self_ns':%li", node->total_ns, node->self_ns);
  jank_json_put_text (out, "function", node->label);
  jank_json_put_text (out, "module", node->module);
  jank_json_put (out, "'children':[");
  for (guint child = node->first_child; child != JANK_FLAME_NONE;
       child = jank_flame_tree_get (tree, child)->next_sibling)
    add_node (out, tree, child);
  jank_json_put (out, "]}");
}

static void
print_tree (const CliReports *reports, JankFlameOrder order, gboolean redact, gboolean json)
{
  g_autoptr (JankFlameTree) tree = jank_flame_tree_new (_("All samples"));
  g_autoptr (JankSourceLines) lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
  JankTextStyle style = cli_table_style ();
  g_autoptr (GString) out = g_string_new (NULL);

  progress_begin (_("Reading reports"));
  for (guint i = 0; i < reports->rows->len; i++)
    {
      const JankRow *row = g_ptr_array_index (reports->rows, i);
      g_autoptr (JankReport) report = jank_store_load (reports->store, row->id, NULL);

      if (report == NULL) /* removed meanwhile */
        continue;
      jank_report_fill_lines (report, lines);
      if (redact)
        jank_report_redact (report);
      jank_flame_tree_add_report (tree, report, order);
      progress_step (i + 1, reports->rows->len);
    }
  progress_end ();
  jank_flame_tree_finish (tree);
  if (json)
    {
      add_node (out, tree, JANK_FLAME_ROOT);
      cli_print_json_text (out);
      return;
    }
  jank_text_append_right (out, &style, C_("column", "Total"), SHARE_COLUMNS, JANK_TEXT_BOLD);
  jank_text_append_right (out, &style, C_("column", "Self"), SHARE_COLUMNS, JANK_TEXT_BOLD);
  g_string_append_c (out, '\n');
  append_node (out, &style, tree, JANK_FLAME_ROOT, 0);
  g_print ("%s", out->str);
}

/* Sources without a name go by their callback. */
static void
name_sources (JankStore *store, GPtrArray *rows)
{
  JANK_EACH (JankRow, row, rows)
    {
      g_autoptr (JankReport) report = row->source == NULL ? jank_store_load (store, row->id, NULL) : NULL;

      if (report != NULL && report->source.callback != JANK_REPORT_NO_INDEX)
        row->source = jank_report_call_to_text (report, (guint) report->source.callback);
    }
}

int
command_summary (int argc, char **argv)
{
  gboolean json = FALSE, redact = FALSE, top_down = FALSE, bottom_up = FALSE, look, moves;
  gint64 now_us = g_get_real_time ();
  g_autofree char *folder = NULL, *group = NULL;
  gint by;
  const GOptionEntry entries[] = {
    { "by", 0, 0, G_OPTION_ARG_STRING, &group,
      N_("Group by “problem”, “app”, “extension” (GNOME Shell), “window”, “tag” or “source”"), N_("GROUP") },
    { "top-down", 0, 0, G_OPTION_ARG_NONE, &top_down, N_("Print a call tree of all stalls, callers first"),
      NULL },
    { "bottom-up", 0, 0, G_OPTION_ARG_NONE, &bottom_up, N_("Print that tree, innermost calls first"), NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print JSON"), NULL },
    { "redact", 0, 0, G_OPTION_ARG_NONE, &redact,
      N_("Remove private data (paths, peers, titles) before sharing"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &folder, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (JankFilter) filter = jank_filter_new ();
  g_auto (CliReports) reports = { 0 };
  g_autoptr (GPtrArray) files = NULL, problems = NULL;
  g_autoptr (GError) error = NULL;

  if (!cli_begin (&argc, &argv, NULL, 0, entries, filter,
                  _("Summarizes the stalls of all sessions and programs, one row per problem, the longest total "
                    "first.")))
    return CLI_USAGE;
  by = group != NULL ? cli_find_word (command_summary_groups, group) : JANK_BY_FINGERPRINT;
  if (by < 0)
    return cli_fail_word ("summary", group, command_summary_groups, _("Cannot group by ‘%s’"), group);
  if (top_down && bottom_up)
    return cli_fail_usage ("summary", _("Choose one of --top-down and --bottom-up"));

  look = jank_filter_is_since_last_look (filter, &moves) && !top_down && !bottom_up;
  if (look && group == NULL)
    by = JANK_BY_APP;

  if (!cli_reports_find (&reports, folder, filter, &error))
    return cli_fail (error);
  if (reports.rows->len == 0 && !look)
    cli_warn (_("No report in ‘%s’ matches the filters"), jank_store_get_folder (reports.store));
  if (top_down || bottom_up)
    {
      print_tree (&reports, bottom_up ? JANK_FLAME_BOTTOM_UP : JANK_FLAME_TOP_DOWN, redact, json);
      return CLI_FINE;
    }
  files = jank_index_find_sessions (reports.index, filter);
  cli_name_culprits (reports.store, reports.rows);
  if (by == JANK_BY_SOURCE)
    name_sources (reports.store, reports.rows);
  if (redact)
    cli_redact (reports.rows, files);
  problems = jank_problems_new (reports.rows, files, by);
  if (json)
    print_json (problems, by);
  else if (look)
    print_look (problems, by, jank_filter_load_last_look (filter, jank_store_get_folder (reports.store)));
  else
    {
      if (problems->len > 0)
        print_table (problems, by, FALSE, G_MAXUINT);
      print_inputs (files);
    }
  /* Who looks at some has not seen the others. */
  if (look && moves && !jank_filter_save_last_look (jank_store_get_folder (reports.store), now_us, &error))
    return cli_fail (error);
  return CLI_FINE;
}
