/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the charts are drawn from: no display. */

#include <gio/gio.h>

#include "base/jank-clock-private.h"
#include "frames/jank-frame-history-private.h"
#include "gtk/inspector/jank-inspector-briefs-private.h"
#include "gtk/inspector/jank-inspector-editor-private.h"
#include "test.h"

#define MS JANK_NS_PER_MS
#define REFRESH_NS 16666667

static const int window_a, window_b;

static JankFrameEvent
make_event (gint64 begin_ns, gint64 paint_ns, gint64 gap_busy_ns, JankFrameFlags flags)
{
  return (JankFrameEvent) {
    .begin_ns = begin_ns,
    .end_ns = begin_ns + paint_ns + 1 * MS,
    .phase_ns = { [JANK_FRAME_PAINT] = paint_ns, [JANK_FRAME_AFTER_PAINT] = 1 * MS },
    .refresh_ns = REFRESH_NS,
    .gap_busy_ns = gap_busy_ns,
    .flags = flags,
  };
}

static void
add (JankFrameHistory *history, gint64 begin_ns, gint64 paint_ns, gint64 gap_busy_ns, JankFrameFlags flags,
     const int *window)
{
  JankFrameEvent event = make_event (begin_ns, paint_ns, gap_busy_ns, flags);

  jank_frame_history_add (history, &event, window);
}

TEST (history_late)
{
  g_autoptr (JankFrameHistory) history = jank_frame_history_new (8);
  const JankFrameEntry *entry;

  add (history, 1000 * MS, 2 * MS, 0, 0, &window_a);
  add (history, 1016 * MS, 2 * MS, 0, JANK_FRAME_ANIMATING, &window_a);
  add (history, 1116 * MS, 2 * MS, 95 * MS, JANK_FRAME_ANIMATING, &window_a);
  add (history, 2000 * MS, 2 * MS, 0, 0, &window_a);
  g_assert_cmpuint (jank_frame_history_get_n (history), ==, 4);

  entry = jank_frame_history_get (history, 0);
  g_assert_cmpint (entry->interval_ns, ==, 16 * MS);
  g_assert_cmpint (entry->band, ==, JANK_FRAME_BAND_ON_TIME);
  g_assert_cmpint (entry->part_ns[JANK_PART_PAINT], ==, 2 * MS);
  g_assert_cmpint (entry->part_ns[JANK_PART_OTHER], ==, 1 * MS);

  entry = jank_frame_history_get (history, 1);
  g_assert_cmpint (entry->interval_ns, ==, 100 * MS);
  g_assert_cmpint (entry->band, ==, JANK_FRAME_BAND_VERY_LATE);
  g_assert_cmpint (entry->part_ns[JANK_PART_OTHER], ==, 96 * MS);
  g_assert_cmpint (jank_frame_entry_work_ns (entry), ==, 98 * MS);

  /* The clock came to rest. */
  entry = jank_frame_history_get (history, 2);
  g_assert_cmpint (entry->interval_ns, ==, 0);
  g_assert_cmpint (entry->band, ==, JANK_FRAME_BAND_ON_TIME);
}

TEST (history_windows)
{
  g_autoptr (JankFrameHistory) history = jank_frame_history_new (8);

  add (history, 1000 * MS, 2 * MS, 0, 0, &window_a);
  add (history, 1008 * MS, 2 * MS, 0, 0, &window_b);
  add (history, 1016 * MS, 2 * MS, 0, JANK_FRAME_ANIMATING, &window_a);
  add (history, 1024 * MS, 2 * MS, 0, JANK_FRAME_ANIMATING, &window_b);
  g_assert_cmpint (jank_frame_history_get (history, 0)->interval_ns, ==, 16 * MS);
  g_assert_cmpint (jank_frame_history_get (history, 1)->interval_ns, ==, 16 * MS);
}

TEST (history_full)
{
  g_autoptr (JankFrameHistory) history = jank_frame_history_new (8);

  for (int i = 0; i < 20; i++)
    add (history, i * 16 * MS, 2 * MS, 0, JANK_FRAME_ANIMATING, &window_a);
  g_assert_cmpuint (jank_frame_history_get_n (history), ==, 8);
  g_assert_cmpuint (jank_frame_history_get_n_added (history), ==, 20);
  g_assert_cmpint (jank_frame_history_get (history, 0)->begin_ns, ==, 12 * 16 * MS);
  g_assert_cmpuint (jank_frame_history_find (history, 14 * 16 * MS), ==, 2);
  g_assert_cmpuint (jank_frame_history_find (history, 0), ==, 0);
  g_assert_cmpuint (jank_frame_history_find (history, G_MAXINT64), ==, 8);

  jank_frame_history_grow (history, 32);
  add (history, 20 * 16 * MS, 2 * MS, 0, JANK_FRAME_ANIMATING, &window_a);
  g_assert_cmpuint (jank_frame_history_get_n (history), ==, 21);
  for (guint i = 13; i < 21; i++)
    g_assert_cmpint (jank_frame_history_get (history, i)->begin_ns, ==, (gint64) i * 16 * MS);
}

static void
check_command (const char *editor, const char *expected)
{
  g_auto (GStrv) command = jank_inspector_editor_command (editor, "/a b/$l.c", 12);
  g_autofree char *joined = command != NULL ? g_strjoinv ("|", command) : NULL;

  g_assert_cmpstr (joined, ==, expected);
}

TEST (editor)
{
  check_command ("gnome-text-editor", "gnome-text-editor|/a b/$l.c|+12");
  check_command ("code", "code|--goto|/a b/$l.c:12");
  check_command ("mousepad", "mousepad|--line=12|/a b/$l.c");
  check_command ("ed", NULL);
}

static void
assert_found (gint64 began_ms, gint64 ended_ms, const char *text, gint64 busy_ms)
{
  gint64 busy_ns = -1;
  g_autofree char *found = jank_inspector_briefs_find (began_ms * MS, ended_ms * MS, &busy_ns);

  g_assert_cmpstr (found, ==, text);
  g_assert_cmpint (busy_ns, ==, text != NULL ? busy_ms * MS : -1);
}

TEST (briefs)
{
  assert_found (0, 1000, NULL, 0);
  jank_inspector_briefs_add (100 * MS, 130 * MS, "load_words", "strlen");
  jank_inspector_briefs_add (130 * MS, 150 * MS, "draw", "draw");
  jank_inspector_briefs_add (150 * MS, 170 * MS, NULL, "poll\xff");
  jank_inspector_briefs_add (170 * MS, 190 * MS, NULL, NULL);
  assert_found (90, 110, "load_words → strlen", 30);
  assert_found (120, 145, "draw", 20);
  assert_found (151, 152, "poll?", 20);
  assert_found (170, 190, NULL, 0);
  assert_found (80, 100, NULL, 0);
}

static gpointer
add_func (gpointer data)
{
  for (gint64 i = 1000; i < 21000; i++)
    jank_inspector_briefs_add (i * MS, (i + 1) * MS, i % 2 == 0 ? "even" : "odd", "leaf");
  return NULL;
}

/* What is found is whole, whoever adds meanwhile. */
TEST (briefs_of_two_threads)
{
  GThread *thread = g_thread_new ("adds", add_func, NULL);
  gint64 busy_ns = MS;
  guint n = 0;

  while (n < 2000)
    {
      g_autofree char *text = jank_inspector_briefs_find (1000 * MS, 21000 * MS, &busy_ns);

      if (text == NULL)
        continue;
      n++;
      g_assert_true (g_str_equal (text, "even → leaf") || g_str_equal (text, "odd → leaf"));
      g_assert_cmpint (busy_ns, ==, MS);
    }
  g_thread_join (thread);
}

TESTS ("/inspector/models")
