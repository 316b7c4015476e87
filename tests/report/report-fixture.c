/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report-fixture.h"

#include <string.h>

#include "report/jank-report-json-private.h"
#include "verdict/jank-verdict-private.h"

#define BARE \
  "{\"schema\":\"jankwatch-report-1\",\"id\":\"bare\",\"kind\":\"stall\",\"app\":{\"pid\":4242},\"stall\":{" \
  "\"began\":\"2026-11-21T15:30:12.123456+00:00\",\"began_monotonic_ns\":4711000000000,\"duration_ns\":1240000000," \
  "\"threshold_ns\":100000000,\"severity\":\"hang\",\"outcome\":\"recovered\"}}"

/* Returns: (transfer full): a file of this folder */
static char *
read_file (const char *name)
{
  g_autofree char *path = g_build_filename (FIXTURE_FOLDER, name, NULL), *text = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&text);
}

static JankReport *
parse (const char *text, const char *id)
{
  g_autoptr (GError) error = NULL;
  JankReport *report = jank_report_from_json (text, strlen (text), &error);

  g_assert_no_error (error);
  jank_set_text (&report->id, id);
  jank_verdict_update (report);
  return report;
}

/* JSON, or the text itself where it is none; "7ms" is 7,000,000 ns. Returns: (transfer full) */
static JsonNode *
parse_value (const char *text)
{
  char *unit = NULL;
  gint64 n = g_ascii_strtoll (text, &unit, 10);
  JsonNode *node = strchr ("[{\"-0123456789tfn", *text) != NULL ? json_from_string (text, NULL) : NULL;

  if (unit != text && g_str_equal (unit, "ms"))
    return json_node_init_int (json_node_alloc (), n * 1000000);
  return node != NULL ? node : json_node_init_string (json_node_alloc (), text);
}

/* path: what is left of it, from this node on */
static void
edit (JsonNode *node, char **path, const char *value)
{
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  JsonObject *object = array == NULL ? json_node_get_object (node) : NULL;

  if (path[0] == NULL)
    {
      g_autoptr (JsonNode) made = parse_value (value);

      json_node_set_array (node, json_node_get_array (made));
    }
  else if (array != NULL && g_str_equal (path[0], "+"))
    json_array_add_element (array, parse_value (value));
  else if (array != NULL)
    {
      gboolean is_each = g_str_equal (path[0], "*");
      guint first = is_each ? 0 : (guint) g_ascii_strtoull (path[0], NULL, 10);
      guint n = json_array_get_length (array);

      g_assert_cmpuint (first, <, n);
      for (guint i = first; i < (is_each ? n : first + 1); i++)
        edit (json_array_get_element (array, i), path + 1, value);
    }
  else if (path[1] == NULL && *value == '\0')
    json_object_remove_member (object, path[0]);
  else if (path[1] == NULL)
    json_object_set_member (object, path[0], parse_value (value));
  else
    {
      if (!json_object_has_member (object, path[0]))
        json_object_set_object_member (object, path[0], json_object_new ());
      edit (json_object_get_member (object, path[0]), path + 1, value);
    }
}

static JankReport *
parse_edited (const char *text, const char *id, const char *edits)
{
  g_autoptr (JsonNode) root = json_from_string (text, NULL);
  g_auto (GStrv) all = g_strsplit (edits, "; ", -1);
  g_autofree char *edited = NULL;

  for (guint i = 0; all[i] != NULL; i++)
    {
      char *equals = strchr (all[i], '=');
      g_auto (GStrv) path = NULL;

      g_assert_nonnull (equals);
      *equals = '\0';
      path = g_strsplit (all[i], ".", -1);
      edit (root, path, equals + 1);
    }
  edited = json_to_string (root, FALSE);
  return parse (edited, id);
}

JankReport *
report_fixture_new (const char *id)
{
  g_autofree char *text = report_fixture_dup_json ();

  return parse (text, id);
}

JankReport *
report_fixture_new_edited (const char *edits)
{
  g_autofree char *text = report_fixture_dup_json ();

  return parse_edited (text, REPORT_FIXTURE_ID, edits);
}

JankReport *
report_fixture_new_bare (const char *id)
{
  return parse (BARE, id);
}

JankReport *
report_fixture_new_bare_edited (const char *edits)
{
  return parse_edited (BARE, REPORT_FIXTURE_ID, edits);
}

char *
report_fixture_dup_json (void)
{
  return read_file ("full.json");
}

JankReportFrameClock *
report_fixture_new_frame_clock (void)
{
  g_autoptr (JankReport) report = report_fixture_new (REPORT_FIXTURE_ID);

  return g_steal_pointer (&report->frame_clock);
}

JankReportChain *
report_fixture_new_chain (void)
{
  g_autofree char *text = read_file ("chain.json");
  JankReportChain *chain = jank_report_chain_from_json (text, strlen (text));

  g_assert_nonnull (chain);
  return chain;
}

void
report_fixture_check_json (JsonNode *root, const char *expected)
{
  g_auto (GStrv) all = g_strsplit (expected, "; ", -1);

  for (guint i = 0; all[i] != NULL; i++)
    {
      g_auto (GStrv) halves = g_strsplit (all[i], "=", 2);
      g_autofree char *path = g_strconcat ("$.", halves[0], NULL), *found = NULL;
      g_autofree char *value = g_strconcat ("[", g_strdelimit (halves[1], "'", '"'), "]", NULL);
      g_autoptr (JsonNode) node = json_path_query (path, root, NULL);

      found = json_to_string (node, FALSE);
      g_test_message ("%s", path);
      g_assert_cmpstr (found, ==, value);
    }
}
