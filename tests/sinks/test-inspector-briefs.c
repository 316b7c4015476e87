/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-clock-private.h"
#include "sinks/jank-sinks-private.h"
#include "test.h"

#define MS JANK_NS_PER_MS

static void
assert_found (JankInspectorBriefs *briefs, gint64 began_ms, gint64 ended_ms, const char *text, gint64 busy_ms)
{
  gint64 busy_ns = -1;
  g_autofree char *found = jank_inspector_briefs_find (briefs, began_ms * MS, ended_ms * MS, &busy_ns);

  g_assert_cmpstr (found, ==, text);
  g_assert_cmpint (busy_ns, ==, text != NULL ? busy_ms * MS : -1);
}

TEST (find)
{
  g_autoptr (JankInspectorBriefs) briefs = jank_inspector_briefs_new ();

  assert_found (briefs, 0, 1000, NULL, 0);
  jank_inspector_briefs_add (briefs, 100 * MS, 130 * MS, "load_words", "strlen");
  jank_inspector_briefs_add (briefs, 130 * MS, 150 * MS, "draw", "draw");
  jank_inspector_briefs_add (briefs, 150 * MS, 170 * MS, NULL, "poll\xff");
  jank_inspector_briefs_add (briefs, 170 * MS, 190 * MS, NULL, NULL);
  assert_found (briefs, 90, 110, "load_words → strlen", 30);
  assert_found (briefs, 120, 145, "draw", 20);
  assert_found (briefs, 151, 152, "poll?", 20);
  assert_found (briefs, 170, 190, NULL, 0);
  assert_found (briefs, 80, 100, NULL, 0);
}

static gpointer
add_func (gpointer data)
{
  for (gint64 i = 0; i < 20000; i++)
    jank_inspector_briefs_add (data, i * MS, (i + 1) * MS, i % 2 == 0 ? "even" : "odd", "leaf");
  return NULL;
}

/* What is found is whole, whoever adds meanwhile. */
TEST (two_threads)
{
  g_autoptr (JankInspectorBriefs) briefs = jank_inspector_briefs_new ();
  GThread *thread = g_thread_new ("adds", add_func, briefs);
  gint64 busy_ns = MS;
  guint n = 0;

  while (n < 2000)
    {
      g_autofree char *text = jank_inspector_briefs_find (briefs, 0, 20000 * MS, &busy_ns);

      if (text == NULL)
        continue;
      n++;
      g_assert_true (g_str_equal (text, "even → leaf") || g_str_equal (text, "odd → leaf"));
      g_assert_cmpint (busy_ns, ==, MS);
    }
  g_thread_join (thread);
}

TESTS ("/sinks/inspector-briefs")
