/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table fits 80 columns: a terminal, or a document. */

#include "presets-compare.h"

#include <stdio.h>

#include <glib/gi18n.h>

#include "base/jank-clock-private.h"
#include "cli/cli.h"
#include "replay/jank-replay-private.h"

/* A stall, for every rule compared: few people notice shorter delays. */
#define STALL_NS (100 * JANK_NS_PER_MS)

#define N_COLUMNS 7
static const guint widths[N_COLUMNS] = { 11, 20, 6, 6, 8, 8, 10 };
#define FIRST_NUMBER 2
#define MAX_LENGTHS  12

static JankReplay *
replay (const JankEvents *events, guint preset)
{
  JankRule rule;

  jank_rule_init_preset (&rule, preset);
  return jank_replay (&rule, events, STALL_NS);
}

static void
append_row (GString *out, const JankTextStyle *style, const char *const *row, const char *sgr)
{
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      if (i < FIRST_NUMBER)
        jank_text_append_left (out, style, row[i], widths[i], sgr);
      else
        jank_text_append_right (out, style, row[i], widths[i], sgr);
      jank_text_append (out, style, " ", NULL);
    }
  jank_text_end_line (out);
}

static void
append_preset (GString *out, const JankTextStyle *style, const JankEvents *events, guint preset)
{
  g_autoptr (JankReplay) result = replay (events, preset);
  g_autofree char *found = g_strdup_printf ("%u", result->n_found);
  g_autofree char *missed = g_strdup_printf ("%u", result->n_missed);
  g_autofree char *invented = g_strdup_printf ("%u", result->n_invented);
  g_autofree char *right = result->n_judged > 0 ? g_strdup_printf ("%u/%u", result->n_right, result->n_judged)
                                                : g_strdup ("-");
  g_autofree char *delay = result->n_found > 0 ? jank_text_duration (result->median_delay_ns) : g_strdup ("-");
  const char *const row[N_COLUMNS] = {
    jank_preset_get (preset)->nick, jank_preset_get (preset)->system, found, missed, invented, right, delay,
  };

  append_row (out, style, row, NULL);
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
  g_autoptr (JankReplay) result = replay (events, JANK_PRESET_DEFAULT);
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
  const char *const title[N_COLUMNS] = {
    C_("column", "Preset"), C_("column", "After"), C_("column", "Found"), C_("column", "Missed"),
    C_("column", "Invented"), C_("column", "Culprit"), C_("column", "Delay"),
  };

  append_stalls (out, events);
  append_row (out, &style, title, JANK_TEXT_BOLD);
  for (guint preset = 0; jank_preset_get (preset) != NULL; preset++)
    append_preset (out, &style, events, preset);
  g_string_append_c (out, '\n');
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
  g_autoptr (JankReplay) result = replay (events, preset);
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
  g_autoptr (JankReplay) result = replay (events, JANK_PRESET_DEFAULT);
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
print_json (const JankEvents *events)
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

void
presets_compare_print (const JankEvents *events, gboolean json)
{
  if (json)
    print_json (events);
  else
    print_table (events);
}
