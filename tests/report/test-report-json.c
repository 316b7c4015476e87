/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Report to JSON and back, and everything that is not a report. */

#include <string.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "report-fixture.h"
#include "test.h"
#include "json/jank-json-private.h"
#include "report/jank-report-json-private.h"

#define ID "20261121-153012-4242-1"

static void
assert_round_trip (JankReport *report)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *once = jank_report_generate_json (report, FALSE);
  g_autofree char *pretty = jank_report_generate_json (report, TRUE);
  g_autoptr (JankReport) read = jank_report_from_json (once, strlen (once), &error);
  g_autoptr (JankReport) read_pretty = NULL;
  g_autofree char *twice = NULL, *thrice = NULL;

  g_assert_no_error (error);
  twice = jank_report_generate_json (read, FALSE);
  g_assert_cmpstr (once, ==, twice);
  read_pretty = jank_report_from_json (pretty, strlen (pretty), &error);
  g_assert_no_error (error);
  thrice = jank_report_generate_json (read_pretty, FALSE);
  g_assert_cmpstr (once, ==, thrice);
}

TEST (round_trip)
{
  g_autoptr (JankReport) full = report_fixture_new (ID);
  g_autoptr (JankReport) bare = report_fixture_new_bare (ID);

  assert_round_trip (full);
  assert_round_trip (bare);
}

/* What was read is written, in each field of the schema. */
TEST (complete)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autofree char *text = report_fixture_dup_json (), *written = jank_report_to_json (report);
  g_autoptr (JsonNode) expected = json_from_string (text, NULL), found = json_from_string (written, NULL);

  g_assert_true (json_node_equal (expected, found));
}

/* The same as a variant, and the parts that have functions of their own. */
static void
check_variant (JankReport *report)
{
  g_autoptr (GVariant) variant = jank_report_to_variant (report);
  g_autoptr (JsonNode) node = json_gvariant_serialize (variant);
  g_autofree char *expected = jank_report_to_json (report);
  g_autofree char *text = jank_json_generate (node, JANK_JSON_COMPACT);

  g_assert_cmpstr (g_variant_get_type_string (variant), ==, "a{sv}");
  g_assert_false (g_variant_is_floating (variant));
  g_assert_cmpstr (text, ==, expected);
}

TEST (variant)
{
  g_autoptr (JankReport) full = report_fixture_new (ID);
  g_autoptr (JankReport) bare = report_fixture_new_bare (ID);

  check_variant (full);
  g_assert_cmpstr (jank_report_get_culprit_module (full), ==, full->culprit.module);
  g_assert_cmpstr (jank_report_get_culprit_file (full), ==, full->culprit.file);
  g_assert_cmpuint (jank_report_get_culprit_line (full), ==, full->culprit.line);
  g_assert_cmpstr (jank_report_get_culprit_reason (full), ==, full->culprit.reason);
  g_assert_nonnull (full->culprit.reason);

  check_variant (bare);
  g_assert_null (jank_report_get_culprit_module (bare));
  g_assert_null (jank_report_get_culprit_file (bare));
  g_assert_cmpuint (jank_report_get_culprit_line (bare), ==, 0);
  g_assert_null (jank_report_get_culprit_reason (bare));
}

/* Each row has its own place of the size that its type needs: two rows of one place would pass every round trip. */
static void
check_rows (const JankTable *table, gsize base, GHashTable *places)
{
  static const guint sizes[] = {
    [JANK_STRING] = sizeof (char *), [JANK_INDEX] = sizeof (gint), [JANK_NUMBER] = sizeof (double),
    [JANK_NICK] = sizeof (gint), [JANK_TIME] = sizeof (gint64), [JANK_POINTER] = sizeof (gpointer),
    [JANK_ARRAY] = sizeof (gpointer), [JANK_COLUMN] = sizeof (gpointer), [JANK_VALUES] = sizeof (gpointer),
    [JANK_INTS] = sizeof (gpointer),
  };

  for (guint i = 0; i < table->n_fields; i++)
    {
      const JankField *field = &table->fields[i];
      g_autoptr (GHashTable) parts = g_hash_table_new (NULL, NULL);

      if (field->type == JANK_OBJECT || field->type == JANK_INLINE)
        check_rows (field->table, base + field->offset, places);
      else if (field->type != JANK_COLUMN || field->column == 0)
        g_assert_true (g_hash_table_add (places, GSIZE_TO_POINTER (base + field->offset)));
      if (field->type < G_N_ELEMENTS (sizes) && sizes[field->type] != 0)
        g_assert_cmpuint (field->size, ==, sizes[field->type]);
      if (field->type == JANK_INT)
        g_assert_true (field->size == sizeof (gint) || field->size == sizeof (gint64));
      if (field->type == JANK_POINTER || field->type == JANK_ARRAY || field->type == JANK_VALUES || field->column == 1)
        check_rows (field->table, 0, parts);
    }
}

TEST (rows)
{
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);

  check_rows (&jank_report_table, 0, places);
  g_assert_cmpuint (g_hash_table_size (places), >, 50);
}

/* An idle program has no frames per second, not 0. */
TEST (no_fps)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autofree char *text = NULL;

  report->stall.fps = 0;
  report->frame_clock->numbers.fps = report->frame_clock->numbers.fps_low = JANK_FRAME_NO_FPS;
  g_array_set_size (report->frame_clock->windows, 0);
  text = jank_report_to_json (report);
  g_assert_null (strstr (text, "\"fps"));
  g_assert_nonnull (strstr (text, "\"late_program\":9"));
  assert_round_trip (report);
}

TEST (leaves_out)
{
  static const char *const absent[] = {
    "toolkit", "source", "heaviest", "culprit", "process", "repeats", "excluded_ns", "cpu_ns", "session", "tags",
    "frame_clock", "pressure",
  };
  g_autoptr (JankReport) report = report_fixture_new_bare (ID);
  g_autofree char *text = jank_report_to_json (report);

  for (guint i = 0; i < G_N_ELEMENTS (absent); i++)
    {
      g_autofree char *name = g_strdup_printf ("\"%s\"", absent[i]);

      g_assert_null (strstr (text, name));
    }
}

TEST (time)
{
  static const char *const no_times[] = { NULL, "", "T", "T+", "2026-11-21", "2026-11-21T15:30:12+", "-05:30",
                                          "2026-11-21T15:30:12-x:30", "2026-13-41T15:30:12+01:00",
                                          "2026-11-21T15:30:12+-5:30", "2026-11-21T15:30:12+24:00" };
  const gint64 time_us = G_GINT64_CONSTANT (1795275012000042);
  g_autofree char *text = jank_json_time_to_text (time_us);

  g_assert_nonnull (strstr (text, ".000042"));
  g_assert_cmpint (jank_json_time_from_text (text), ==, time_us);
  g_assert_cmpint (jank_json_time_from_text ("2026-11-21T15:30:12.000042Z"), ==, time_us);
  g_assert_cmpint (jank_json_time_from_text ("2026-11-21T21:00:12.000042+05:30"), ==, time_us);
  g_assert_cmpint (jank_json_time_from_text ("2026-11-21T12:00:12.000042-03:30"), ==, time_us);
  for (guint i = 0; i < G_N_ELEMENTS (no_times); i++)
    g_assert_cmpint (jank_json_time_from_text (no_times[i]), ==, 0);
}

TEST (invalid_utf8)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autofree char *text = NULL;

  jank_set_text (&report->app.name, "caf\xe9\n\"\\");
  jank_table_clean (&jank_report_table, report);
  text = jank_report_to_json (report);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_nonnull (strstr (text, "caf??\\\"\\\\"));
  assert_round_trip (report);
}

TEST (severity)
{
  g_assert_cmpint (jank_severity_of (0), ==, JANK_SEVERITY_MINOR);
  g_assert_cmpint (jank_severity_of (250 * JANK_NS_PER_MS - 1), ==, JANK_SEVERITY_MINOR);
  g_assert_cmpint (jank_severity_of (250 * JANK_NS_PER_MS), ==, JANK_SEVERITY_MICROHANG);
  g_assert_cmpint (jank_severity_of (500 * JANK_NS_PER_MS), ==, JANK_SEVERITY_HANG);
  g_assert_cmpint (jank_severity_of (5 * JANK_NS_PER_S), ==, JANK_SEVERITY_FROZEN);
}

static void
assert_refused (const char *text, JankError code)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (jank_report_from_json (text, strlen (text), &error));
  g_assert_error (error, JANK_ERROR, (gint) code);
}

#define HEAD "{\"schema\":\"jankwatch-report-1\",\"id\":\"" ID "\",\"kind\":\"stall\","
#define STALL "\"stall\":{\"outcome\":\"recovered\",\"duration_ns\":300000000}"

TEST (refuses)
{
  assert_refused ("", JANK_ERROR_INVALID);
  assert_refused ("{", JANK_ERROR_INVALID);
  assert_refused ("[]", JANK_ERROR_INVALID);
  assert_refused ("{}", JANK_ERROR_INVALID);
  assert_refused ("{\"schema\":\"other-1\"}", JANK_ERROR_INVALID);
  assert_refused ("{\"schema\":\"jankwatch-report-2\"}", JANK_ERROR_VERSION);
  assert_refused ("{\"schema\":\"jankwatch-report-10\"}", JANK_ERROR_VERSION);
  assert_refused ("{\"schema\":\"jankwatch-report-1\"}", JANK_ERROR_INVALID);
  assert_refused (HEAD "\"x\":1}", JANK_ERROR_INVALID);
  assert_refused (HEAD "\"stall\":{\"outcome\":\"vanished\"}}", JANK_ERROR_INVALID);
  assert_refused (HEAD STALL ",\"stacks\":[[0]]}", JANK_ERROR_INVALID);
  assert_refused (HEAD STALL ",\"stacks\":[[-1]],\"frames\":[{}]}", JANK_ERROR_INVALID);
  assert_refused (HEAD STALL ",\"stacks\":[7]}", JANK_ERROR_INVALID);
}

/* Of version 0.2: kinds that are no more. */
TEST (former_kinds)
{
  const char *text = "{\"schema\":\"jankwatch-report-1\",\"id\":\"" ID "\",\"kind\":\"nested\"," STALL "}";
  g_autoptr (JankReport) report = jank_report_from_json (text, strlen (text), NULL);

  g_assert_nonnull (report);
  g_assert_cmpint (report->kind, ==, JANK_REPORT_STALL);
}

/* members: of a report besides its stall, ' for "; expected: as report_fixture_check_json() has it */
static void
check_read (const char *members, const char *expected)
{
  g_autofree char *own = g_strdelimit (g_strdup (members), "'", '"'), *written = NULL;
  g_autofree char *text = g_strconcat (HEAD STALL ",", own, "}", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (JankReport) report = jank_report_from_json (text, strlen (text), &error);
  g_autoptr (JsonNode) root = NULL;

  g_assert_no_error (error);
  assert_round_trip (report);
  written = jank_report_to_json (report);
  root = json_from_string (written, NULL);
  report_fixture_check_json (root, expected);
}

TEST (tolerates)
{
  check_read ("'novelty':{'a':[1,2]},'app':7,'samples':[{'stack':99,'weight_ns':-5,'at_ns':1e300},null],"
              "'frames':[{'module':5,'symbol_offset':9}],'source':{'callback':12},"
              "'heaviest':{'rule':'path','stack':4,'share':7,'path':[{'frame':8},{'frame':0}]}",
              "novelty=; stall.severity='microhang'; stall.cpu_ns=; samples[0].stack=; samples[0].weight_ns=0; "
              "samples[*].at_ns=4611686018427387903,0; frames[0].module=; "
              "frames[0].symbol_offset=0; source.callback=; heaviest.stack=; heaviest.share=1.0; "
              "heaviest.path[*].frame=0");
}

TEST (tolerates_frames)
{
  check_read ("'frame_clock':{'frames':7,'fps':0,'fps_low':-3,'active_ns':1e300,'late':-1,'stutter':9,"
              "'hitch_ms_per_s':1e30,'hitch_band':'good','buckets':{'best':4,'high':{'frames':'x'}},'presentation':1,"
              "'windows':[null,{'name':5}],"
              "'late_frames':[{'stack':0,'busiest':'lunch','who':'nobody'},{'stack':-7},8]},"
              "'tags':[{'name':'a'},3,{'name':'b','value':''}]",
              "frame_clock.fps=; frame_clock.fps_low=; frame_clock.active_ns=4611686018427387903; frame_clock.late=0; "
              "frame_clock.stutter=1.0; frame_clock.hitch_ms_per_s=1000.0; frame_clock.hitch_band='critical'; "
              "frame_clock.presentation=false; frame_clock.windows[*].frames=0,0; "
              "frame_clock.late_frames[*].stack=; frame_clock.late_frames[*].busiest='between','between','between'; "
              "tags[*].name='b'");
}

TEST (long)
{
  g_autofree char *blanks = g_strnfill (JANK_JSON_MAX_BYTES + 1, ' ');

  assert_refused (blanks, JANK_ERROR_INVALID);
}

TEST (syntax)
{
  static const char *const good[] = {
    "0", "-0.5e+10", "null", " true ", "\"\\u00e4\\ud83d\\ude00\\n\"", "[]", "{}", "[[],{},[1,2]]",
    "{\"a\":{\"b\":[]},\"c\":\"]}\\\"\\\\\"}", "\t[ 1 , 2 ]\r\n",
  };
  static const char *const bad[] = {
    "", " ", "nul", "tru", "'a'", "\"", "\"\\\"", "[", "]", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}",
        "{\"a\":1,}",
    "{a:1}", "{1:2}", "[1}", "{\"a\":1]", "1 2", "[] []", "/**/1", "#\n1", "x = 1", "NaN", "\"\xff\"", "\"\\u12\"",
  };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autofree char *text = g_strdup_printf (HEAD STALL ",\"x\":%s}", good[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (JankReport) report = jank_report_from_json (text, strlen (text), &error);

      g_assert_no_error (error);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *text = g_strdup_printf (HEAD STALL ",\"x\":%s}", bad[i]);

      assert_refused (text, JANK_ERROR_INVALID);
    }
}

/* An escape can make what is no text: nobody reads it. */
TEST (no_text)
{
  static const char *const values[] = { "\\ud800", "\\ud800\\u0041", "\\udc00", "\\u0000" };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *text = g_strdup_printf (HEAD STALL ",\"app\":{\"name\":\"a%sb\"}}", values[i]);
      g_autoptr (JankReport) report = jank_report_from_json (text, strlen (text), NULL);

      g_assert_true (report == NULL || report->app.name == NULL || g_utf8_validate (report->app.name, -1, NULL));
    }
}

TEST (bounds)
{
  g_autoptr (GString) deep = g_string_new ("{\"schema\":\"a-1\",\"x\":");
  g_autoptr (GString) many = g_string_new ("{\"schema\":\"a-1\",\"x\":[0");
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 1; i < JANK_JSON_MAX_DEPTH; i++)
    g_string_append (deep, i % 2 == 0 ? "[" : "{\"a\":");
  g_string_append_c (deep, '1');
  for (guint i = JANK_JSON_MAX_DEPTH - 1; i > 0; i--)
    g_string_append_c (deep, i % 2 == 0 ? ']' : '}');
  g_string_append_c (deep, '}');
  node = jank_json_parse (deep->str, deep->len, "a-1", &error);
  g_assert_no_error (error);
  g_assert_nonnull (node);
  g_string_insert (deep, (gssize) strlen ("{\"schema\":\"a-1\",\"x\":"), "[");
  g_string_insert (deep, (gssize) deep->len - 1, "]");
  assert_refused (deep->str, JANK_ERROR_INVALID);

  for (guint i = 0; i < JANK_JSON_MAX_VALUES; i++)
    g_string_append (many, ",0");
  g_string_append (many, "]}");
  g_assert_null (jank_json_parse (many->str, many->len, "a-1", &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_INVALID);
}

TESTS ("/report/json")
