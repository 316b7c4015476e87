/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <glib.h>

#include "observe/jank-frame-times-private.h"
#include "test.h"

#define REFRESH_NS 16666667
#define N_STRESS   200000

static void
push (JankFrameTimes *times, gint64 i, bool follows)
{
  jank_frame_times_push (times, &(JankFrameTime) { i * REFRESH_NS, REFRESH_NS, follows });
}

TEST (order)
{
  g_autofree JankFrameTimes *times = g_new0 (JankFrameTimes, 1);
  JankFrameTime frame;

  g_assert_false (jank_frame_times_pop (times, &frame));
  push (times, 1, false);
  push (times, 2, true);
  /* Another window in the same interval. */
  jank_frame_times_push (times, &(JankFrameTime) { 2 * REFRESH_NS + 3000000, REFRESH_NS, true });
  push (times, 3, true);
  for (gint64 i = 1; i <= 3; i++)
    {
      g_assert_true (jank_frame_times_pop (times, &frame));
      g_assert_cmpint (frame.began_ns, ==, i * REFRESH_NS);
      g_assert_cmpint (frame.refresh_ns, ==, REFRESH_NS);
      g_assert_cmpint (frame.follows, ==, i > 1);
    }
  g_assert_false (jank_frame_times_pop (times, &frame));
}

static gpointer
push_many (gpointer data)
{
  for (gint64 i = 1; i <= N_STRESS; i++)
    push (data, i, i % 3 == 0);
  return NULL;
}

/* Whatever arrives is whole, and in order. */
TEST (stress)
{
  g_autofree JankFrameTimes *times = g_new0 (JankFrameTimes, 1);
  g_autoptr (GThread) thread = g_thread_new ("pusher", push_many, times);
  gint64 last = 0;
  guint n = 0;

  while (last < N_STRESS && n + atomic_load (&times->n_dropped) < N_STRESS)
    {
      JankFrameTime frame;

      if (!jank_frame_times_pop (times, &frame))
        continue;
      g_assert_cmpint (frame.began_ns % REFRESH_NS, ==, 0);
      g_assert_cmpint (frame.began_ns / REFRESH_NS, >, last);
      last = frame.began_ns / REFRESH_NS;
      g_assert_cmpint (frame.follows, ==, last % 3 == 0);
      n++;
    }
  g_thread_join (g_steal_pointer (&thread));
  g_assert_cmpuint (n, >, 0);
}

TESTS ("/observe/frame-times")
