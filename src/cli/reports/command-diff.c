/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch diff`: two sets of sessions, and what may be said of their difference. Only reads. */

#include "cli/cli.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n.h>

#include "cli/ci-files.h"
#include "compare/jank-comparison-private.h"
#include "cli/table.h"
#include "text/jank-report-lines-private.h"

static const CliColumn metric_columns[] = {
  { NC_("column", "Figure"), FALSE, 0 },  { NC_("column", "Unit"), FALSE, 0 },       { NC_("column", "A"), TRUE, 0 },
  { NC_("column", "B"), TRUE, 0 },        { NC_("column", "Change (95 %)"), TRUE, 0 },
  { NC_("column", "Sessions"), TRUE, 100 },
  { NC_("column", "Verdict"), FALSE, 0, 12 },
};
static const CliColumn problem_columns[] = {
  { NC_("column", "Problem"), FALSE, 0 },  { NC_("column", "Verdict"), FALSE, 0 },
  { NC_("column", "A s/h"), TRUE, 120 },   { NC_("column", "B s/h"), TRUE, 120 },
  { NC_("column", "Change (95 %)"), TRUE, 0 }, { NC_("column", "Sessions"), TRUE, 100 },
  { NC_("column", "Culprit"), FALSE, 0, 12 },
};

/* Of a session's file in a store, or of what `run --json` wrote. Returns: (transfer full) (nullable) */
static char *
read_session (const char *path, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  JsonNode *root, *member = NULL;
  const char *name = NULL;

  if (!json_parser_load_from_file (parser, path, error))
    {
      g_prefix_error (error, "%s: ", path);
      return NULL;
    }
  root = json_parser_get_root (parser);
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    member = json_object_get_member (json_node_get_object (root), "session");
  if (member != NULL && JSON_NODE_HOLDS_VALUE (member))
    name = json_node_get_string (member);
  if (name != NULL && jank_session_is_name (name))
    return g_strdup (name);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, _("‘%s’ is not a session file"), path);
  return NULL;
}

/* folder (nullable): of --store; ret_store: (transfer full) (nullable): where the set is, if it is not there. Returns:
 * (transfer full) (nullable): what the set lets pass */
static JankFilter *
read_set (const char *set, const char *folder, char **ret_store, GError **error)
{
  g_autofree char *parent = NULL, *store = NULL, *session = NULL, *name = NULL;
  JankFilter *filter;

  *ret_store = g_strdup (folder);
  if (g_file_test (set, G_FILE_TEST_IS_DIR))
    {
      jank_set_text (ret_store, set);
      return jank_filter_new ();
    }
  if (!g_file_test (set, G_FILE_TEST_EXISTS))
    {
      filter = jank_filter_from_text (set, error);
      if (filter == NULL)
        g_prefix_error (error, _("‘%s’ is not a file, folder or filter: "), set);
      return filter;
    }
  session = read_session (set, error);
  if (session == NULL)
    return NULL;
  parent = g_path_get_dirname (set);
  name = g_path_get_basename (parent);
  store = g_path_get_dirname (parent);
  if (strcmp (name, JANK_SESSION_FOLDER) == 0)
    jank_set_text (ret_store, store);
  filter = jank_filter_new ();
  jank_filter_set (filter, "session", session, NULL);
  return filter;
}

/* ret_files: (transfer full): of the set's sessions */
static gboolean
find_set (CliReports *self, const char *set, const char *folder, GPtrArray **ret_files, GError **error)
{
  g_autofree char *store = NULL;
  g_autoptr (JankFilter) filter = read_set (set, folder, &store, error);

  if (filter == NULL || !cli_reports_find (self, store, filter, error))
    return FALSE;
  *ret_files = jank_index_find_sessions (self->index, filter);
  return TRUE;
}

static void
print_metrics (const JankComparison *comparison)
{
  g_autoptr (CliTable) table = cli_table_new (metric_columns, G_N_ELEMENTS (metric_columns));

  for (guint i = 0; i < JANK_N_METRICS; i++)
    {
      const JankClaim *claim = &comparison->metrics[i];
      gint judgement = jank_comparison_judge (comparison, i);

      cli_table_take (table, g_strdup (jank_metric_nicks[i]));
      cli_table_take (table, g_strdup (jank_metric_units[i]));
      cli_table_take (table, jank_comparison_number_text (claim->a, FALSE));
      cli_table_take (table, jank_comparison_number_text (claim->b, FALSE));
      cli_table_take (table, jank_comparison_change_text (claim, 1));
      cli_table_take (table, g_strdup_printf ("%u, %u", claim->n_a, claim->n_b));
      cli_table_take (table, g_strdup (judgement > 0 ? _("worse") : judgement < 0 ? _("better") : _("cannot tell")));
    }
  cli_table_print (table);
}

static const JankRow *
get_row (const JankDifference *difference)
{
  return difference->longest[difference->longest[1] != NULL];
}

static void
print_problems (const JankComparison *comparison)
{
  g_autoptr (CliTable) table = cli_table_new (problem_columns, G_N_ELEMENTS (problem_columns));

  JANK_EACH (const JankDifference, difference, comparison->differences)
    {
      cli_table_take (table, g_strdup (get_row (difference)->fingerprint));
      cli_table_take (table, g_strdup (jank_comparison_name_change (difference->verdict)));
      cli_table_take (table, jank_comparison_number_text (difference->time.a / 1000, FALSE));
      cli_table_take (table, jank_comparison_number_text (difference->time.b / 1000, FALSE));
      cli_table_take (table, jank_comparison_change_text (&difference->time, 1000));
      cli_table_take (table, g_strdup_printf ("%u/%u, %u/%u", difference->n_with[0], comparison->n_sessions[0],
                                              difference->n_with[1], comparison->n_sessions[1]));
      cli_table_take (table, jank_row_dup_culprit (get_row (difference)));
    }
  if (comparison->differences->len == 0)
    return;
  g_print ("\n");
  cli_table_print (table);
}

/* What is no number is left out. */
static void
add_number (GString *out, const char *name, double number)
{
  if (isfinite (number))
    jank_json_put (out, "%s:%g", name, number);
}

static void
add_claim (GString *out, const JankClaim *claim)
{
  add_number (out, "a", claim->a);
  add_number (out, "b", claim->b);
  add_number (out, "change", claim->change);
  add_number (out, "low", claim->low);
  add_number (out, "high", claim->high);
  jank_json_put (out, "'too_few':%d", claim->too_few);
}

static void
add_difference (GString *out, const JankComparison *comparison, const JankDifference *difference)
{
  jank_json_put (out, "{'verdict':%s,'unit':'ms/h'", jank_change_nicks[difference->verdict]);
  jank_json_put_text (out, "fingerprint", get_row (difference)->fingerprint);
  jank_json_put_text (out, "culprit", get_row (difference)->culprit);
  add_claim (out, &difference->time);
  for (guint at = 0; at < 2; at++)
    {
      double low, high;

      jank_claim_share (difference->n_with[at], comparison->n_sessions[at], &low, &high);
      jank_json_put (out, "%s:%li", at == 0 ? "sessions_a" : "sessions_b", (glong) difference->n_with[at]);
      add_number (out, at == 0 ? "share_a_low" : "share_b_low", low);
      add_number (out, at == 0 ? "share_a_high" : "share_b_high", high);
      if (difference->longest[at] != NULL)
        jank_json_put_text (out, at == 0 ? "longest_a" : "longest_b", difference->longest[at]->id);
    }
  jank_json_put (out, "}");
}

static void
print_json (const JankComparison *comparison, char *const *sets, char **limits, const JankLimitResult *results)
{
  static const char *const judgements[] = { "better", "cannot-tell", "worse" };
  g_autoptr (GString) out = g_string_new ("{");

  for (guint at = 0; at < 2; at++)
    {
      jank_json_put (out, "%s:{'sessions':%li,'watched_ns':%li", at == 0 ? "a" : "b",
                     (glong) comparison->n_sessions[at], comparison->watched_ns[at]);
      jank_json_put_text (out, "set", sets[at]);
      jank_json_put (out, "}");
    }
  jank_json_put (out, "'metrics':[");
  for (guint i = 0; i < JANK_N_METRICS; i++)
    {
      jank_json_put (out, "{'metric':%s,'unit':%s,'sessions_a':%li,'sessions_b':%li,'verdict':%s",
                     jank_metric_nicks[i], jank_metric_units[i], (glong) comparison->metrics[i].n_a,
                     (glong) comparison->metrics[i].n_b, judgements[jank_comparison_judge (comparison, i) + 1]);
      add_claim (out, &comparison->metrics[i]);
      jank_json_put (out, "}");
    }
  jank_json_put (out, "],'problems':[");
  for (guint i = 0; i < comparison->differences->len; i++)
    add_difference (out, comparison, g_ptr_array_index (comparison->differences, i));
  jank_json_put (out, "],'limits':[");
  for (guint i = 0; limits != NULL && limits[i] != NULL; i++)
    {
      jank_json_put (out, "{'result':%s", jank_limit_nicks[results[i]]);
      jank_json_put_text (out, "limit", limits[i]);
      jank_json_put (out, "}");
    }
  jank_json_put (out, "]}");
  cli_print_json_text (out);
}

G_STATIC_ASSERT ((int) JANK_LIMIT_EXCEEDED == (int) JANK_EXPORT_FAILED &&
                 (int) JANK_LIMIT_CANNOT_TELL == (int) JANK_EXPORT_CANNOT_TELL);

/* What is new in B, or slower. */
static void
add_to_files (CiFiles *files, const JankComparison *comparison, JankStore *store)
{
  g_autoptr (JankSourceLines) lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);

  JANK_EACH (const JankDifference, difference, comparison->differences)
    {
      gboolean is_worse = difference->verdict == JANK_CHANGE_NEW || difference->verdict == JANK_CHANGE_SLOWER;
      JankReport *report = is_worse && difference->longest[1] != NULL
                           ? jank_store_load (store, difference->longest[1]->id, NULL) : NULL;

      if (report == NULL)
        continue;
      jank_report_fill_lines (report, lines);
      g_ptr_array_add (files->reports, report);
    }
}

int
command_diff (int argc, char **argv)
{
  gboolean json = FALSE;
  g_autofree char *folder = NULL;
  g_auto (GStrv) limits = NULL;
  g_auto (CiFiles) files = ci_files ();
  const GOptionEntry entries[] = {
    { "fail-if", 0, 0, G_OPTION_ARG_STRING_ARRAY, &limits,
      N_("Exit with 3 if LIMIT is exceeded (as “hang-rate>+10%”), with 4 if there are too few sessions"), N_("LIMIT") },
    CI_FILES_OPTIONS (&files),
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print JSON"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &folder, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  g_auto (CliReports) a = { 0 }, b = { 0 };
  g_autoptr (GPtrArray) files_a = NULL, files_b = NULL;
  g_autoptr (JankComparison) comparison = NULL;
  g_autoptr (GPtrArray) left_out = NULL;
  g_autofree JankLimitResult *results = NULL;

  if (!cli_begin (&argc, &argv, _("A B"), CLI_ANY_WORDS, entries, NULL,
                  _("Compares two sets of sessions: what is new, gone, slower or faster in B. A and B are filters "
                    "(“app=gedit,app-version=1.2”), folders with reports, or session files.")))
    return CLI_USAGE;
  if (argc != 3)
    return cli_fail_usage ("diff", _("Name two sets of sessions"));
  if (!ci_files_check (&files, "diff"))
    return CLI_USAGE;
  for (guint i = 0; limits != NULL && limits[i] != NULL; i++)
    if (!jank_comparison_check (NULL, limits[i], NULL, &error))
      return cli_fail_usage ("diff", "%s", error->message);
  if (!find_set (&a, argv[1], folder, &files_a, &error) || !find_set (&b, argv[2], folder, &files_b, &error))
    return cli_fail (error);

  comparison = jank_comparison_new ((GPtrArray *[]) { a.rows, b.rows }, (GPtrArray *[]) { files_a, files_b });
  cli_name_culprits (a.store, a.rows);
  cli_name_culprits (b.store, b.rows);
  results = g_new0 (JankLimitResult, limits != NULL ? g_strv_length (limits) + 1 : 1);
  left_out = jank_comparison_list_left_out (comparison, argv[1], argv[2]);
  for (guint i = 0; i < left_out->len; i++)
    cli_warn ("%s", (char *) g_ptr_array_index (left_out, i));
  if (!json)
    {
      print_metrics (comparison);
      print_problems (comparison);
    }
  for (guint i = 0; limits != NULL && limits[i] != NULL; i++)
    {
      jank_comparison_check (comparison, limits[i], &results[i], NULL);
      ci_files_judge (&files, limits[i], (JankExportResult) results[i], NULL);
    }
  if (json)
    print_json (comparison, argv + 1, limits, results);
  if (ci_files_is_wanted (&files))
    add_to_files (&files, comparison, b.store);
  ci_files_write (&files, limits != NULL);
  return files.status;
}
