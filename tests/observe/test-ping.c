/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdatomic.h>

#include "base/jank-clock-private.h"
#include "observe/jank-ping-private.h"
#include "test.h"

#define MS        JANK_NS_PER_MS

/* When the unanswered ping was sent; 0: there is none. */
static gint64
get_sent (JankPing *ping)
{
  uint64_t word = jank_beat_load (jank_ping_get_beat (ping));

  return jank_beat_word_state (word) != JANK_BEAT_WAITING ? jank_beat_word_ns (word) : 0;
}

static void
wait_for_answer (JankPing *ping)
{
  AWAIT (get_sent (ping) == 0, g_usleep (200));
}

/* The context ends: with a ping under way, without, and under the sender's hands. */
TEST (context_ends)
{
  for (guint round = 0; round < 200; round++)
    {
      GMainContext *context = g_main_context_new ();
      g_autoptr (JankPing) ping = jank_ping_new (context, MS, NULL, NULL);

      if (round % 2 == 0)
        g_assert_true (jank_ping_send (ping));
      g_main_context_unref (context);
      g_assert_cmpint (get_sent (ping), ==, 0);
      g_assert_false (jank_ping_send (ping));
    }
}

static atomic_bool has_ended;

static gpointer
end_context (gpointer data)
{
  GMainContext *context = data;

  for (guint i = 0; i < 20; i++)
    g_main_context_iteration (context, FALSE);
  g_main_context_unref (context);
  atomic_store (&has_ended, TRUE);
  return NULL;
}

TEST (context_ends_elsewhere)
{
  for (guint round = 0; round < 300; round++)
    {
      GMainContext *context = g_main_context_new ();
      g_autoptr (JankPing) ping = jank_ping_new (context, MS, NULL, NULL);
      GThread *thread;

      atomic_store (&has_ended, FALSE);
      thread = g_thread_new ("ender", end_context, context);
      while (!atomic_load (&has_ended))
        jank_ping_send (ping);
      g_assert_cmpint (get_sent (ping), ==, 0);
      g_assert_false (jank_ping_send (ping));
      g_thread_join (thread);
    }
}

static gpointer
run_loop (gpointer loop)
{
  g_main_loop_run (loop);
  return NULL;
}

/* Freed while the loop may be answering. */
TEST (free)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (context, FALSE);
  GThread *thread = g_thread_new ("loop", run_loop, loop);

  for (guint round = 0; round < 300; round++)
    {
      JankPing *ping = jank_ping_new (context, MS, NULL, NULL);

      g_assert_true (jank_ping_send (ping));
      if (round % 3 == 0)
        wait_for_answer (ping);
      jank_ping_free (ping);
    }
  g_main_loop_quit (loop);
  g_thread_join (thread);
}

TESTS ("/observe/ping")
