/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch run`: stdin, stdout and the exit status belong to the command; jankwatch writes to stderr:
 * lines the moment the command stalls, and the rest after it has ended. */

#include "cli/cli.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n.h>

#include "cli/ci-files.h"
#include "compare/jank-gate-private.h"
#include "settings/jank-settings-private.h"
#include "text/jank-text-report-private.h"
#include "watched.h"

static void
print_report (WatchedRun *run)
{
  const JankSessionStall *worst = run_summary_worst (run);
  g_autoptr (JankReport) report = worst != NULL ? watched_run_load (run, worst) : NULL;
  JankTextStyle style = cli_text_style (stderr, 80);
  g_autofree char *text = NULL;

  if (report == NULL)
    return;
  text = jank_text_report (report, &style);
  g_printerr ("\n%s", text);
}

/* Returns: FALSE if the file json cannot be written */
static gboolean
tell (WatchedRun *run, char **command, const char *json, gboolean with_report)
{
  g_autofree char *text = NULL, *line = NULL;

  if (run->summary == NULL || run->why_not_run != NULL)
    return TRUE;
  run_calls_resolve (run);
  run_summary_print (run);
  if (with_report)
    print_report (run);
  if (json == NULL)
    return TRUE;
  jank_session_summary_set_command (run->summary, command, run->exit_status);
  text = jank_session_summary_to_json (run->summary, TRUE);
  line = g_strconcat (text, "\n", NULL);
  return cli_write (json, line, strlen (line));
}

/* Which settings there are for the programs that are watched. Returns: (transfer full) */
static char *
describe_settings (void)
{
  JankTextStyle style = cli_text_style (stdout, 80);
  g_autoptr (GString) out = g_string_new (_("Settings in JANKWATCH_CONFIG, with their defaults:"));
  g_autofree char *list = jank_settings_list_defaults ();

  jank_text_end_line (out);
  jank_text_append_left (out, &style, "", 2, NULL);
  jank_text_append_wrapped (out, &style, list, 2, 2, NULL);
  return g_string_free (g_steal_pointer (&out), FALSE);
}

/* The limits of --fail-if, and what each run had. */
typedef struct
{
  GArray *gates;     /* (owned) (element-type JankGate) */
  char  **texts;     /* (owned) (nullable): of the gates */
  GArray *figures;   /* (owned) (element-type double): those of each run, one behind the other */
  gint    n_repeats; /* wanted */
  gint    n_runs;    /* that have figures */
  char   *why_empty; /* (owned) (nullable): the first run that cannot be judged */
} Gates;

static void
gates_clear (Gates *self)
{
  g_array_unref (self->gates);
  g_strfreev (self->texts);
  g_array_unref (self->figures);
  g_free (self->why_empty);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Gates, gates_clear)

static gboolean
gates_parse (Gates *self, GError **error)
{
  JankGate gate;

  for (guint i = 0; self->texts != NULL && self->texts[i] != NULL; i++)
    {
      if (!jank_gate_parse (self->texts[i], &gate, error))
        return FALSE;
      g_array_append_val (self->gates, gate);
    }
  return TRUE;
}

static void
gates_add_run (Gates *self, const WatchedRun *run)
{
  if (self->why_empty == NULL)
    self->why_empty = run->why_not_run != NULL ? g_strdup (run->why_not_run)
                      : run->summary != NULL ? run_summary_explain_empty (run) : g_strdup (_("Nothing was watched"));
  if (run->summary == NULL)
    return;
  for (guint i = 0; i < self->gates->len; i++)
    {
      double figure = jank_gate_get_figure (&g_array_index (self->gates, JankGate, i), run->summary);

      g_array_append_val (self->figures, figure);
    }
  self->n_runs++;
}

/* Of a gate, what half of the runs did not exceed. Returns: FALSE when a run has no such figure */
static gboolean
gates_get_figure (const Gates *self, guint i, double *ret_figure)
{
  g_autofree double *all = g_new (double, MAX (self->n_runs, 1));

  for (gint run = 0; run < self->n_runs; run++)
    {
      all[run] = g_array_index (self->figures, double, (guint) run * self->gates->len + i);
      if (isnan (all[run]))
        return FALSE;
    }
  if (self->n_runs > 0)
    *ret_figure = jank_gate_get_median (all, (guint) self->n_runs);
  return self->n_runs > 0;
}

static void
gates_judge (const Gates *self, guint i, CiFiles *files)
{
  const JankGate *gate = &g_array_index (self->gates, JankGate, i);
  g_autofree char *figure_text = NULL, *text = NULL;
  double figure = NAN;
  gboolean is_known = gates_get_figure (self, i, &figure);

  if (is_known && !jank_gate_exceeds (gate, figure))
    {
      ci_files_judge (files, self->texts[i], JANK_EXPORT_PASSED, NULL);
      return;
    }
  figure_text = is_known || self->why_empty == NULL ? jank_gate_describe (gate, figure) : g_strdup (self->why_empty);
  text = !is_known || self->n_runs == 1 ? g_strdup (figure_text)
                                        : g_strdup_printf (_("%s (median of %d runs)"), figure_text, self->n_runs);
  ci_files_judge (files, self->texts[i], is_known ? JANK_EXPORT_FAILED : JANK_EXPORT_CANNOT_TELL, text);
}

/* Each report once, though it is of many stalls. */
static void
add_to_files (CiFiles *files, WatchedRun *run)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; run->summary != NULL && i < run->summary->stalls->len; i++)
    {
      const JankSessionStall *stall = g_ptr_array_index (run->summary->stalls, i);
      JankReport *report = g_hash_table_add (known, stall->id) && jank_store_has (run->store, stall->id)
                           ? watched_run_load (run, stall) : NULL;

      if (report != NULL)
        g_ptr_array_add (files->reports, report);
    }
}

/* status: of the last run */
static void
write_files (CiFiles *files, const Gates *gates, int status)
{
  g_autofree char *text = g_strdup_printf (_("The command ended with status %d"), status);

  ci_files_add_check (files, "exit-status", status == CLI_FINE ? JANK_EXPORT_PASSED : JANK_EXPORT_FAILED, text);
  if (gates->why_empty != NULL)
    ci_files_add_check (files, "watched", JANK_EXPORT_CANNOT_TELL, gates->why_empty);
  ci_files_write (files, gates->gates->len > 0);
}

/* Returns: (transfer full): as in JANKWATCH_CONFIG */
static char *
join_settings (gboolean overlay, gboolean sources, char **set)
{
  g_autoptr (GStrvBuilder) parts = g_strv_builder_new ();
  g_auto (GStrv) all = NULL;

  if (overlay)
    g_strv_builder_add (parts, "overlay");
  if (sources)
    g_strv_builder_add (parts, "sources");
  if (set != NULL)
    g_strv_builder_addv (parts, (const char **) set);
  all = g_strv_builder_end (parts);
  return g_strjoinv (",", all);
}

/* Returns: FALSE after printing what is wrong */
static gboolean
check_settings (char **set)
{
  for (guint i = 0; set != NULL && set[i] != NULL; i++)
    {
      g_auto (GStrv) pair = g_strsplit (set[i], "=", 2);
      g_autoptr (GError) error = NULL;

      if (pair[0] == NULL || pair[1] == NULL || strchr (set[i], ',') != NULL)
        cli_fail_usage ("run", _("--set needs NAME=VALUE without a comma, not ‘%s’"), set[i]);
      else if (!jank_settings_check (pair[0], pair[1], &error))
        cli_fail_usage ("run", "%s", error->message);
      else
        continue;
      return FALSE;
    }
  return TRUE;
}

int
command_run (int argc, char **argv)
{
  g_auto (Gates) gates = { g_array_new (FALSE, FALSE, sizeof (JankGate)), NULL,
                           g_array_new (FALSE, FALSE, sizeof (double)), 1, 0, NULL };
  g_auto (CiFiles) files = ci_files ();
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) set = NULL;
  gboolean with_report = FALSE, overlay = FALSE, quiet = FALSE, sources = FALSE, strict = FALSE;
  g_autofree char *json = NULL, *store = NULL, *settings = NULL, *description = describe_settings ();
  const GOptionEntry entries[] = {
    { "fail-if", 0, 0, G_OPTION_ARG_STRING_ARRAY, &gates.texts,
      N_("Exit with 3 if LIMIT is exceeded (as “longest>100ms”), with 4 if it cannot be measured"), N_("LIMIT") },
    CI_FILES_OPTIONS (&files),
    { "json", 0, 0, G_OPTION_ARG_FILENAME, &json, N_("Write the summary to FILE as JSON"), N_("FILE") },
    { "overlay", 0, 0, G_OPTION_ARG_NONE, &overlay, N_("Show the frame rate in the command's windows"), NULL },
    { "quiet", 0, 0, G_OPTION_ARG_NONE, &quiet, N_("Print nothing while the command runs"), NULL },
    { "repeat", 0, 0, G_OPTION_ARG_INT, &gates.n_repeats, N_("Run COMMAND N times; limits apply to the median"),
      N_("N") },
    { "report", 0, 0, G_OPTION_ARG_NONE, &with_report, N_("Also show the report of the worst stall"), NULL },
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &set, N_("Change a setting for this run; can be repeated"),
      N_("NAME=VALUE") },
    { "sources", 0, 0, G_OPTION_ARG_NONE, &sources, N_("Also show the time spent in each source"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &store, N_("Save the reports in DIR"), N_("DIR") },
    { "strict", 0, 0, G_OPTION_ARG_NONE, &strict,
      N_("Also list potentially blocking calls on the main thread, even fast ones"), NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = cli_context_new (
    "run", _("[--] COMMAND…"),
    _("Runs COMMAND and reports its stalls. Wrappers (env, xvfb-run, scripts) and the GTK programs it starts are "
      "followed. The exit status is COMMAND's, or 3 or 4 if a --fail-if limit is exceeded or unknown."), entries, NULL);
  char **command;
  int status = CLI_FINE;

  g_option_context_set_strict_posix (context, TRUE);
  g_option_context_set_description (context, description);
  if (!cli_parse (context, &argc, &argv))
    return CLI_USAGE;
  command = argv + (argc > 1 && strcmp (argv[1], "--") == 0 ? 2 : 1);
  if (*command == NULL)
    return cli_fail_usage ("run", _("Name a command to run"));
  if (!cli_check_store ("run", store) || !ci_files_check (&files, "run"))
    return CLI_USAGE;
  if (!gates_parse (&gates, &error))
    return cli_fail_usage ("run", "%s", error->message);
  if (gates.n_repeats < 1 || (gates.n_repeats > 1 && json != NULL))
    return cli_fail_usage ("run", gates.n_repeats < 1
                           ? _("--repeat needs a number of at least 1") : _("Choose one of --json and --repeat"));

  settings = join_settings (overlay, sources, set);
  if (!check_settings (set))
    return CLI_USAGE;
  for (gint i = 0; i < gates.n_repeats && status == CLI_FINE; i++)
    {
      g_autoptr (WatchedRun) run = watched_run (command, store, *settings != '\0' ? settings : NULL,
                                               NULL, !quiet, strict);

      if (run == NULL)
        return CLI_FAILED;
      status = run->exit_status;
      if (!tell (run, command, json, with_report) && status == CLI_FINE)
        status = CLI_FAILED;
      gates_add_run (&gates, run);
      if (ci_files_is_wanted (&files))
        add_to_files (&files, run);
    }
  for (guint i = 0; i < gates.gates->len; i++)
    gates_judge (&gates, i, &files);
  write_files (&files, &gates, status);
  /* A limit of a program that did not run is unknown, whatever the command's own status is. */
  return status != CLI_FINE && (gates.texts == NULL || gates.why_empty == NULL) ? status : files.status;
}
