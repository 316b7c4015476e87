/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch presets`: lists the rules of other monitors, or compares them on one run of a command. */

#include "cli/cli.h"

#include <string.h>
#include <glib/gstdio.h>

#include <glib/gi18n.h>

#include "cli/display.h"
#include "cli/locate.h"
#include "presets-compare.h"
#include "rules/jank-rule-private.h"
#include "run-summary.h"
#include "watched-run.h"

#define EVENTS_NAME "events"
#define NAME_COLUMNS 13

/* Prints text on lines of its own, indented below the names. */
static void
append_text (GString *out, const JankTextStyle *style, const char *text, const char *sgr)
{
  jank_text_append_left (out, style, "", NAME_COLUMNS, NULL);
  jank_text_append_wrapped (out, style, text, NAME_COLUMNS, NAME_COLUMNS, sgr);
}

static void
append_preset (GString *out, const JankTextStyle *style, const JankPreset *preset)
{
  g_auto (GStrv) settings = g_strsplit (preset->settings, ",", -1);
  g_autofree char *spaced = g_strjoinv (" ", settings);

  jank_text_append_left (out, style, preset->nick, NAME_COLUMNS, JANK_TEXT_BOLD);
  jank_text_append (out, style, preset->system, NULL);
  jank_text_end_line (out);
  append_text (out, style, _(preset->rule), NULL);
  if (preset->differs != NULL)
    append_text (out, style, _(preset->differs), NULL);
  if (*spaced != '\0')
    append_text (out, style, spaced, JANK_TEXT_DIM);
}

static void
print_list (void)
{
  JankTextStyle style = cli_text_style (stdout, 80);
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; jank_preset_get (i) != NULL; i++)
    append_preset (out, &style, jank_preset_get (i));
  g_print ("%s", out->str);
}

static void
add_numbers (JsonObject *object, const JankRule *rule)
{
  static const char *const kinds[] = { "busy", "waits", "ping", "gap", "fps" };
  static const char *const picks[] = { "path", "last20", "same", "none" };

  jank_json_add_text (object, "kind", kinds[rule->kind]);
  jank_json_add_count (object, "threshold_ns", rule->threshold_ns);
  if (rule->check_ns > 0)
    jank_json_add_count (object, "check_interval_ns", rule->check_ns);
  if (rule->n_waits > 0)
    jank_json_add_count (object, "n_waits", rule->n_waits);
  if (rule->n_refreshes > 0)
    jank_json_add_count (object, "n_refresh_intervals", rule->n_refreshes);
  if (rule->kind == JANK_RULE_KIND_PING)
    jank_json_add_count (object, "ping_interval_ns", rule->ping_interval_ns);
  jank_json_add_text (object, "pick", picks[rule->pick]);
  if (rule->n_stacks > 0)
    jank_json_add_count (object, "n_stacks", rule->n_stacks);
}

static void
print_json (void)
{
  JsonArray *array = json_array_new ();
  g_autoptr (JsonNode) node = json_node_init_array (json_node_alloc (), array);

  for (guint i = 0; jank_preset_get (i) != NULL; i++)
    {
      const JankPreset *preset = jank_preset_get (i);
      JsonObject *object = jank_json_append_object (array);
      JankRule rule;

      jank_rule_init_preset (&rule, i);
      jank_json_add_text (object, "preset", preset->nick);
      jank_json_add_text (object, "system", preset->system);
      jank_json_add_text (object, "rule", _(preset->rule));
      jank_json_add_text (object, "differs", preset->differs != NULL ? _(preset->differs) : NULL);
      jank_json_add_text (object, "settings", preset->settings);
      add_numbers (object, &rule);
    }
  json_array_unref (array);
  cli_print_json (node);
}

/* Returns: (transfer full) (nullable): NULL after printing why */
static JankEvents *
read_events (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  JankEvents *events;
  gsize n_bytes;

  if (!g_file_get_contents (path, &text, &n_bytes, &error))
    {
      cli_warn ("%s", error->message);
      return NULL;
    }
  events = jank_events_parse (text, n_bytes, &error);
  if (events == NULL)
    cli_warn (_("Cannot read the events in ‘%s’: %s"), path, error->message);
  return events;
}

/* Returns: (transfer full) (nullable): path of the events of the process whose loop was busiest */
static char *
find_events (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autofree char *found = NULL;
  goffset largest = -1;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      GStatBuf status;

      if (!g_str_has_prefix (name, EVENTS_NAME "-") || g_stat (path, &status) != 0 || status.st_size <= largest)
        continue;
      largest = status.st_size;
      g_free (found);
      found = g_steal_pointer (&path);
    }
  return g_steal_pointer (&found);
}

/* Removes a folder of ours, which has folders of one level. */
static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        remove_folder (path);
      else
        g_unlink (path);
    }
  g_rmdir (folder);
}

/* Returns: (transfer full) (nullable): NULL after printing why */
static char *
record (char **command, const char *folder, const char *const *environment)
{
  g_autofree char *setting = g_strdup_printf ("%s,events=%s/%s", PRESETS_COMPARE_SETTINGS, folder, EVENTS_NAME);
  g_autofree char *store = g_build_filename (folder, "store", NULL);
  g_autoptr (WatchedRun) run = watched_run (command, store, setting, environment, FALSE, FALSE);
  char *path;

  if (run == NULL || !run->started)
    return NULL;
  path = find_events (folder);
  if (path == NULL)
    run_summary_print_nothing (run);
  return path;
}

static int
compare (char **command, const char *keep, gboolean json, const char *const *environment)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("jankwatch-compare-XXXXXX", &error);
  g_autofree char *path = NULL, *text = NULL;
  g_autoptr (JankEvents) events = NULL;
  int status = CLI_FAILED;
  gsize n_bytes;

  if (folder == NULL)
    return cli_fail (error);
  path = record (command, folder, environment);
  events = path != NULL ? read_events (path) : NULL;
  if (events != NULL)
    {
      presets_compare_print (events, json);
      status = CLI_FINE;
    }
  if (events != NULL && keep != NULL && !g_file_get_contents (path, &text, &n_bytes, &error))
    status = cli_fail (error);
  else if (events != NULL && keep != NULL && !cli_write (keep, text, n_bytes))
    status = CLI_FAILED;
  remove_folder (folder);
  return status;
}

/* Compares the presets on the demo program, which stalls at many lengths. */
static int
compare_demo (const char *keep, gboolean json)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *program = locate_demo (&error);
  g_autoptr (Display) display = NULL;
  char *command[] = { program, (char *) "--auto", (char *) "split", (char *) "--series", NULL };

  if (program != NULL && !display_is_set ())
    display = display_new (&error);
  if (error != NULL)
    return cli_fail (error);
  return compare (command, keep, json, display_get_environment (display));
}

static int
compare_again (const char *path, gboolean json)
{
  g_autoptr (JankEvents) events = read_events (path);

  if (events == NULL)
    return CLI_FAILED;
  presets_compare_print (events, json);
  return CLI_FINE;
}

int
command_presets (int argc, char **argv)
{
  gboolean json = FALSE, wants_comparison = FALSE;
  g_autofree char *keep = NULL, *again = NULL;
  const GOptionEntry entries[] = {
    { "compare", 0, 0, G_OPTION_ARG_NONE, &wants_comparison,
      N_("Run COMMAND once and compare what each preset reports"), NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print JSON"), NULL },
    { "keep", 0, 0, G_OPTION_ARG_FILENAME, &keep, N_("With --compare: keep what was recorded in FILE"), N_("FILE") },
    { "replay", 0, 0, G_OPTION_ARG_FILENAME, &again, N_("Compare what --keep wrote to FILE"), N_("FILE") },
    { NULL },
  };
  g_autoptr (GOptionContext) context = cli_option_context_new (
    "presets", _("[--compare [--] [COMMAND…]]"),
    _("Lists the monitors whose rules jankwatch knows, for the setting “preset”. With --compare it runs COMMAND, or "
      "the demo program, and shows how all of them would have done on it."), entries);
  char **command;

  g_option_context_set_strict_posix (context, TRUE);
  if (!cli_parse (context, &argc, &argv))
    return CLI_USAGE;
  command = argv + (argc > 1 && strcmp (argv[1], "--") == 0 ? 2 : 1);
  if (*command != NULL && !wants_comparison)
    return cli_fail_usage ("presets", _("Unexpected argument ‘%s’"), *command);
  if (again != NULL && (wants_comparison || keep != NULL))
    return cli_fail_usage ("presets", _("--replay goes with neither --compare nor --keep"));

  if (again != NULL)
    return compare_again (again, json);
  if (wants_comparison)
    return *command != NULL ? compare (command, keep, json, NULL) : compare_demo (keep, json);
  if (json)
    print_json ();
  else
    print_list ();
  return CLI_FINE;
}
