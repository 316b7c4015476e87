/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the library that `run --strict` preloads asks, with a thread that answers in the watcher's place. The slot is
 * one for the process, and each test goes on with it as the last one left it. */

#include "sample/jank-strict-slot-private.h"

#include <unistd.h>

#include "base/jank-clock-private.h"
#include "test.h"

/* In the preloaded library's place. */
__attribute__ ((visibility ("default"))) JankStrictSetFunc jank_preload_set_strict;

static const JankStrictFuncs *funcs;
static JankBeat beat;

void
jank_preload_set_strict (const JankStrictFuncs *given)
{
  funcs = given;
}

typedef struct
{
  GThread     *thread; /* answers */
  atomic_bool  is_over;
  atomic_bool  is_exact;
  atomic_uint  n_asked, n_sites;
  char         target[JANK_STRICT_TARGET_BYTES]; /* that was asked for last */
} Fixture;

static gpointer
answer_cb (gpointer data)
{
  Fixture *self = data;

  while (!atomic_load (&self->is_over))
    {
      const JankStrictRequest *request = jank_strict_slot_take ();

      if (request == NULL)
        {
          g_usleep (100);
          continue;
        }
      atomic_fetch_add (&self->n_asked, 1);
      g_strlcpy (self->target, request->target, sizeof self->target);
      jank_strict_slot_get_reply ()->site = atomic_fetch_add (&self->n_sites, 1) + 1;
      jank_strict_slot_get_reply ()->is_exact = atomic_load (&self->is_exact);
      jank_strict_slot_answer ();
    }
  return NULL;
}

static void
set_up (Fixture *self, gconstpointer data)
{
  JankThreadInfo info;

  if (funcs == NULL)
    {
      jank_beat_init (&beat, G_MAXINT64, 0);
      jank_thread_describe_self (&info);
      jank_strict_code_read (&jank_strict_slot_get_reply ()->code, "/proc/self/maps");
      jank_strict_slot_prepare ();
      g_assert_true (jank_strict_slot_is_there ());
      jank_strict_slot_begin (&beat, &info);
      g_assert_nonnull (funcs);
      g_assert_true (jank_strict_slot_is_of (&beat));
    }
  jank_beat_begin (&beat);
  atomic_init (&self->is_exact, true);
  self->thread = g_thread_new ("answers", answer_cb, self);
}

static void
stop (Fixture *self)
{
  atomic_store (&self->is_over, true);
  g_clear_pointer (&self->thread, g_thread_join);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  if (self->thread != NULL)
    stop (self);
  jank_beat_end (&beat);
}

static guint32
ask (const char *function, const char *target)
{
  return funcs->begin (&(JankStrictCall) { JANK_STRICT_SYNC, function, target, -1, NULL });
}

/* A thread that gets no CPU answers another time. */
static guint32
ask_until_answered (const char *function, const char *target)
{
  guint32 site = 0;

  for (guint i = 0; i < 100 && site == 0; i++)
    site = ask (function, target);
  return site;
}

TEST_WITH (Fixture, set_up, tear_down, self, asks_nothing_while_the_loop_waits)
{
  jank_beat_end (&beat);
  g_assert_cmpuint (ask ("lockf", NULL), ==, 0);
  jank_beat_begin (&beat);
  jank_strict_slot_set_on (false);
  g_assert_cmpuint (ask ("lockf", NULL), ==, 0);
  jank_strict_slot_set_on (true);
  g_assert_cmpuint (ask_until_answered ("lockf", NULL), !=, 0);
  g_assert_cmpuint (atomic_load (&self->n_asked), ==, 1);
}

TEST_WITH (Fixture, set_up, tear_down, self, goes_on_when_nobody_answers)
{
  gint64 began_ns = jank_clock_now_ns ();

  stop (self);
  g_assert_cmpuint (ask ("waitid", (const char *) 8), ==, 0);
  g_assert_cmpint (jank_clock_now_ns () - began_ns, >=, 90 * JANK_NS_PER_MS);
  atomic_store (&self->is_over, false);
  self->thread = g_thread_new ("answers", answer_cb, self);
  g_assert_cmpuint (ask_until_answered ("waitid", NULL), !=, 0);
}

TEST_WITH (Fixture, set_up, tear_down, self, knows_remote_folders)
{
  static const char paths[] = "/net/home\0/media/disk x\0";

  g_assert_false (funcs->is_remote ("/net/home/a"));
  jank_strict_slot_set_remote (paths, sizeof paths);
  g_assert_true (funcs->is_remote ("/net/home/a"));
  g_assert_true (funcs->is_remote ("/net/home"));
  g_assert_false (funcs->is_remote ((const char *) 8));
  g_assert_true (funcs->is_remote ("/media/disk x/b/c"));
  g_assert_false (funcs->is_remote ("/net/home2"));
  g_assert_false (funcs->is_remote ("a"));
  g_assert_cmpint (chdir ("/usr/lib"), ==, 0);
  jank_strict_slot_set_remote ("/usr\0", 6);
  g_assert_true (funcs->is_remote ("a"));
  jank_strict_slot_set_remote ("", 1);
  g_assert_false (funcs->is_remote ("/net/home/a"));
}

TESTS ("/sample/strict-slot")
