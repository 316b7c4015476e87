/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "base/jank-clock-private.h"
#include "fixture.h"
#include "test.h"
#include "monitor/jank-tags-private.h"

TEST (times)
{
  g_autofree JankTags *tags = g_new0 (JankTags, 1);
  JankTagSlot read[JANK_TAGS_MAX];
  guint one = jank_tags_push (tags, "document", "a.odt", 100);
  guint two = jank_tags_push (tags, "task", "export", 200);

  g_assert_cmpuint (one, !=, 0);
  g_assert_cmpuint (two, !=, one);
  g_assert_cmpuint (jank_tags_read (tags, 0, 99, read), ==, 0);
  g_assert_cmpuint (jank_tags_read (tags, 0, 150, read), ==, 1);
  g_assert_cmpuint (jank_tags_read (tags, 0, 300, read), ==, 2);
  g_assert_cmpstr (read[0].name, ==, "document");
  g_assert_cmpstr (read[0].value, ==, "a.odt");
  g_assert_cmpstr (read[1].name, ==, "task");

  /* In any order; what held in the past is still known. */
  g_assert_true (jank_tags_pop (tags, one, 400));
  g_assert_false (jank_tags_pop (tags, one, 410));
  g_assert_false (jank_tags_pop (tags, 0, 410));
  g_assert_cmpuint (jank_tags_read (tags, 350, 500, read), ==, 2);
  g_assert_cmpuint (jank_tags_read (tags, 400, 500, read), ==, 1);
  g_assert_cmpstr (read[0].value, ==, "export");
}

TEST (bounds)
{
  g_autofree JankTags *tags = g_new0 (JankTags, 1);
  JankTagSlot read[JANK_TAGS_MAX];
  guint first = 0;

  for (guint i = 0; i < JANK_TAGS_MAX; i++)
    {
      guint id = jank_tags_push (tags, "n", "v", 1000 + i);

      g_assert_cmpuint (id, !=, 0);
      first = i == 0 ? id : first;
    }
  g_assert_cmpuint (jank_tags_push (tags, "n", "one too many", 2000), ==, 0);
  g_assert_true (jank_tags_pop (tags, first, 2001));
  g_assert_cmpuint (jank_tags_push (tags, "n", "in its place", 2002), !=, 0);
  g_assert_cmpuint (jank_tags_read (tags, 2002, 2003, read), ==, JANK_TAGS_MAX);
  g_assert_cmpstr (read[JANK_TAGS_MAX - 1].value, ==, "in its place");
}

/* Whatever is fed to it comes out as UTF-8, and as much of it as fits. */
TEST (texts)
{
  static const char letters[][4] = { "a", "\xc3\xa9", "\xe2\x82\xac" };
  JankTagSlot read[JANK_TAGS_MAX];

  for (guint l = 0; l < G_N_ELEMENTS (letters); l++)
    for (guint n_before = 0; n_before < 4; n_before++)
      {
        g_autofree JankTags *tags = g_new0 (JankTags, 1);
        g_autoptr (GString) text = g_string_new (NULL);

        for (guint i = 0; i < n_before; i++)
          g_string_append_c (text, 'x');
        while (text->len < 300)
          g_string_append (text, letters[l]);
        jank_tags_push (tags, text->str, text->str, 1);
        g_assert_cmpuint (jank_tags_read (tags, 0, 2, read), ==, 1);
        g_assert_true (g_utf8_validate (read[0].name, -1, NULL));
        g_assert_true (g_utf8_validate (read[0].value, -1, NULL));
        g_assert_true (g_str_has_prefix (text->str, read[0].value));
        g_assert_cmpuint (strlen (read[0].name), >=, JANK_TAG_NAME_BYTES - 3);
        g_assert_cmpuint (strlen (read[0].value), >=, JANK_TAG_VALUE_BYTES - 3);
      }
  {
    g_autofree JankTags *tags = g_new0 (JankTags, 1);

    jank_tags_push (tags, "bad", "\xff\xfe and text", 1);
    g_assert_cmpuint (jank_tags_read (tags, 0, 2, read), ==, 1);
    g_assert_true (g_utf8_validate (read[0].value, -1, NULL));
    g_assert_true (g_str_has_suffix (read[0].value, " and text"));
  }
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, in_report)
{
  Work work = { monitor_sleep, 200 * MS };
  g_autofree char *json = NULL;
  g_autoptr (JankTag) before = NULL, during = NULL, dropped = NULL;

  fixture_start (fixture->monitor);
  before = jank_monitor_push_tag (fixture->monitor, "stage", "before");
  jank_tag_pop (before);
  dropped = jank_monitor_push_tag (fixture->monitor, "stage", "dropped");
  g_clear_pointer (&dropped, jank_tag_unref);
  during = jank_monitor_push_tag (fixture->monitor, "document", "large \"one\".odt");
  fixture_run_work (fixture, &work);
  jank_tag_pop (during);
  jank_tag_pop (during);

  json = jank_report_to_json (fixture_await_work (fixture, &work));
  g_assert_nonnull (strstr (json, "{\"name\":\"document\",\"value\":\"large \\\"one\\\".odt\"}"));
  g_assert_null (strstr (json, "\"before\""));
  g_assert_null (strstr (json, "\"dropped\""));
  g_clear_object (&fixture->monitor);
  jank_tag_pop (during); /* which outlives the monitor */
}

static gboolean
tagged_work_cb (gpointer data)
{
  Fixture *fixture = data;
  g_autoptr (JankTag) tag = jank_monitor_push_tag (fixture->monitor, "task", "inside");

  monitor_sleep (200 * MS);
  return G_SOURCE_REMOVE;
}

/* The program takes its tag off before the stall is over for us. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, inside)
{
  GSource *source = g_idle_source_new ();
  g_autofree char *json = NULL;

  fixture_start (fixture->monitor);
  g_source_set_callback (source, tagged_work_cb, fixture, NULL);
  g_source_attach (source, fixture->context);
  g_source_unref (source);
  json = jank_report_to_json (fixture_await (fixture, 0));
  g_assert_nonnull (strstr (json, "{\"name\":\"task\",\"value\":\"inside\"}"));
}

TESTS_AT_HOME ("/monitor/tags")
