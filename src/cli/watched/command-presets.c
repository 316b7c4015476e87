/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch presets`: lists the rules of other monitors, or compares them on one recorded run. */

#include "cli/cli.h"

#include <glib/gi18n.h>

#include "base/jank-clock-private.h"
#include "cli/table.h"
#include "replay/jank-replay-private.h"
#include "json/jank-json-private.h"

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

/* A stall, for every rule compared: few people notice shorter delays. */
#define STALL_NS (100 * JANK_NS_PER_MS)

static const CliColumn columns[] = {
  { NC_("column", "Preset"), FALSE, 0, 0 }, { NC_("column", "After"), FALSE, 0, 0 },
  { NC_("column", "Found"), TRUE, 0, 0 },   { NC_("column", "Missed"), TRUE, 0, 0 },
  { NC_("column", "Invented"), TRUE, 0, 0 }, { NC_("column", "Culprit"), TRUE, 0, 0 },
  { NC_("column", "Delay"), TRUE, 0, 0 },
};

#define MAX_LENGTHS 12

static JankReplay *
presets_replay (const JankEvents *events, guint preset)
{
  JankRule rule;

  jank_rule_init_preset (&rule, preset);
  return jank_replay (&rule, events, STALL_NS);
}

static void
add_row (CliTable *table, const JankEvents *events, guint preset)
{
  g_autoptr (JankReplay) result = presets_replay (events, preset);

  cli_table_take (table, g_strdup (jank_preset_get (preset)->nick));
  cli_table_take (table, g_strdup (jank_preset_get (preset)->system));
  cli_table_take (table, g_strdup_printf ("%u", result->n_found));
  cli_table_take (table, g_strdup_printf ("%u", result->n_missed));
  cli_table_take (table, g_strdup_printf ("%u", result->n_invented));
  cli_table_take (table, result->n_judged > 0 ? g_strdup_printf ("%u/%u", result->n_right, result->n_judged)
                                              : g_strdup ("-"));
  cli_table_take (table, result->n_found > 0 ? jank_text_duration (result->median_delay_ns) : g_strdup ("-"));
}

/* Prints an explanation, wrapped. */
static void
append_note (GString *out, const JankTextStyle *style, const char *text)
{
  jank_text_append_wrapped (out, style, text, 0, 0, JANK_TEXT_DIM);
}

static void
append_stalls (GString *out, const JankEvents *events)
{
  g_autoptr (JankReplay) result = presets_replay (events, JANK_PRESET_DEFAULT);
  g_autofree char *length = jank_text_duration (events->ended_ns - events->began_ns);
  gulong n_stalls = result->truths->len;
  gulong n_frames = events->frames->len;
  g_autofree char *stalls = g_strdup_printf (
    g_dngettext (GETTEXT_PACKAGE, "%lu stall of 100 ms or longer in %s", "%lu stalls of 100 ms or longer in %s",
                 n_stalls),
    n_stalls, length);
  g_autofree char *frames = g_strdup_printf (
    g_dngettext (GETTEXT_PACKAGE, "%lu frame was drawn.", "%lu frames were drawn.", n_frames), n_frames);
  g_autoptr (GString) lengths = g_string_new (NULL);
  g_autofree char *text = NULL;

  for (guint i = 0; i < MIN (result->truths->len, MAX_LENGTHS); i++)
    {
      const JankTruth *truth = &g_array_index (result->truths, JankTruth, i);
      g_autofree char *of_one = jank_text_duration (truth->ended_ns - truth->began_ns);

      jank_text_append_item (lengths, of_one);
    }
  if (result->truths->len > MAX_LENGTHS)
    jank_text_append_item (lengths, "…");
  /* Translators: “3 stalls …”, and the length of each. */
  text = lengths->len > 0 ? g_strdup_printf (_("%s: %s."), stalls, lengths->str) : g_strdup_printf (_("%s."), stalls);
  g_string_append_printf (out, "%s\n%s\n\n", text, frames);
}

static void
print_table (const JankEvents *events)
{
  JankTextStyle style = cli_text_style (stdout, 80);
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (CliTable) table = cli_table_new (columns, G_N_ELEMENTS (columns));

  append_stalls (out, events);
  g_print ("%s", out->str);
  g_string_assign (out, "\n");
  for (guint preset = 0; jank_preset_get (preset) != NULL; preset++)
    add_row (table, events, preset);
  cli_table_print (table);
  append_note (out, &style, _("Invented: reported although the loop was busy for less than 100 ms."));
  append_note (out, &style,
               _("Culprit: how often the report names the same function as all stacks of the stall together. The "
                              "default reads all of them."));
  append_note (out, &style, _("Delay: from the beginning of a stall to its report; the median."));
  g_print ("%s", out->str);
}

/* What each report would have said when it was made, and when its stall was over; not those that say the same again. */
static void
add_reports (JsonObject *object, const JankEvents *events, const JankReplay *result)
{
  JsonArray *array = jank_json_add_array (object, "reports");
  JsonObject *report = NULL;

  for (guint i = 0; i < result->verdicts->len; i++)
    {
      const JankVerdict *verdict = &g_array_index (result->verdicts, JankVerdict, i);

      if (verdict->final && report != NULL)
        jank_json_add_text (report, "culprit_at_end", jank_events_get_name (events, verdict->culprit));
      if (verdict->again)
        continue;
      report = jank_json_append_object (array);
      jank_json_add_count (report, "began_ns", verdict->began_ns - events->began_ns);
      jank_json_add_count (report, "at_ns", verdict->at_ns - events->began_ns);
      jank_json_add_count (report, "n_stacks", verdict->n_stacks);
      jank_json_add_text (report, "culprit", jank_events_get_name (events, verdict->culprit));
    }
}

static void
add_preset (JsonArray *array, const JankEvents *events, guint preset)
{
  g_autoptr (JankReplay) result = presets_replay (events, preset);
  JsonObject *object = jank_json_append_object (array);

  jank_json_add_text (object, "preset", jank_preset_get (preset)->nick);
  jank_json_add_text (object, "system", jank_preset_get (preset)->system);
  jank_json_add_count (object, "n_found", result->n_found);
  jank_json_add_count (object, "n_missed", result->n_missed);
  jank_json_add_count (object, "n_invented", result->n_invented);
  jank_json_add_count (object, "n_culprits", result->n_judged);
  jank_json_add_count (object, "n_culprits_right", result->n_right);
  jank_json_add_count (object, "median_delay_ns", result->median_delay_ns);
  jank_json_add_count (object, "n_stacks", (gint64) result->n_stacks);
  jank_json_add_count (object, "n_pings", (gint64) result->n_pings);
  if (result->least_fps_milli >= 0)
    jank_json_add_number (object, "least_fps", (double) result->least_fps_milli / 1000.0);
  add_reports (object, events, result);
}

static void
add_stalls (JsonObject *root, const JankEvents *events)
{
  g_autoptr (JankReplay) result = presets_replay (events, JANK_PRESET_DEFAULT);
  JsonArray *array = jank_json_add_array (root, "stalls");

  for (guint i = 0; i < result->truths->len; i++)
    {
      const JankTruth *truth = &g_array_index (result->truths, JankTruth, i);
      JsonObject *object = jank_json_append_object (array);

      jank_json_add_count (object, "began_ns", truth->began_ns - events->began_ns);
      jank_json_add_count (object, "duration_ns", truth->ended_ns - truth->began_ns);
      jank_json_add_text (object, "culprit", jank_events_get_name (events, truth->culprit));
    }
}

static void
print_comparison_json (const JankEvents *events)
{
  JsonObject *root = json_object_new ();
  g_autoptr (JsonNode) node = json_node_init_object (json_node_alloc (), root);
  JsonArray *presets;

  jank_json_add_count (root, "duration_ns", events->ended_ns - events->began_ns);
  jank_json_add_count (root, "n_frames", events->frames->len);
  add_stalls (root, events);
  presets = jank_json_add_array (root, "presets");
  for (guint preset = 0; jank_preset_get (preset) != NULL; preset++)
    add_preset (presets, events, preset);
  json_object_unref (root);
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

static int
presets_compare (const char *path, gboolean json)
{
  g_autoptr (JankEvents) events = read_events (path);

  if (events == NULL)
    return CLI_FAILED;
  if (json)
    print_comparison_json (events);
  else
    print_table (events);
  return CLI_FINE;
}

int
command_presets (int argc, char **argv)
{
  gboolean json = FALSE;
  g_autofree char *record = NULL;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print JSON"), NULL },
    { "replay", 0, 0, G_OPTION_ARG_FILENAME, &record,
      N_("Compare what each preset reports of the run recorded in FILE"), N_("FILE") },
    { NULL },
  };
  g_autoptr (GOptionContext) context = cli_option_context_new (
    "presets", NULL,
    _("Lists the monitors whose rules jankwatch knows, for the setting “preset”. With --replay it shows how all of "
      "them would have done on a run recorded by the setting “events”."), entries);

  if (!cli_parse (context, &argc, &argv))
    return CLI_USAGE;
  if (argc > 1)
    return cli_fail_usage ("presets", _("Unexpected argument ‘%s’"), argv[1]);
  if (record != NULL)
    return presets_compare (record, json);
  if (json)
    print_json ();
  else
    print_list ();
  return CLI_FINE;
}
