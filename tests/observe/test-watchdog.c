/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A watcher that sleeps as long as the observed thread shows signs of life, which really come and stop coming. */

#include "config.h"

#include "observe/jank-beat-private.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <glib.h>

#include "base/jank-clock-private.h"

#define MS JANK_NS_PER_MS

/* What the observed thread does: a period every interval_ms, n of them. */
typedef struct
{
  JankBeat beat;
  guint    interval_ms, n;
  gint64   last_began_ns, last_cpu_ns;
} Loop;

static gpointer
loop_thread (gpointer data)
{
  Loop *loop = data;

  for (guint i = 0; i < loop->n; i++)
    {
      loop->last_cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
      jank_beat_begin (&loop->beat);
      loop->last_began_ns = loop->beat.began_ns;
      jank_beat_end (&loop->beat);
      g_usleep (loop->interval_ms * 1000);
    }
  return NULL;
}

static gint64
guard (Loop *loop, gint64 length_ns, gint64 until_ns, JankGuarded *ret_guarded)
{
  g_assert_true (jank_beat_guard (&loop->beat, jank_beat_get_rung (&loop->beat), length_ns, until_ns, ret_guarded));
  return jank_clock_now_ns ();
}

static void
test_silence (void)
{
  Loop loop = { 0 };
  gint64 began_ns = jank_clock_now_ns (), awake_ns;
  JankGuarded guarded;

  jank_beat_init (&loop.beat, G_MAXINT64, 0);
  awake_ns = guard (&loop, 30 * MS, G_MAXINT64, &guarded);
  g_assert_cmpint (awake_ns, >=, began_ns + 30 * MS);
  g_assert_cmpint (guarded.expires_ns, >=, began_ns + 30 * MS);
  g_assert_cmpint (guarded.expires_ns, <=, awake_ns);
  g_assert_cmpint (guarded.kicked_ns, ==, 0);

  /* Never after until_ns, also when that is over. */
  began_ns = jank_clock_now_ns ();
  awake_ns = guard (&loop, 10000 * MS, began_ns + 20 * MS, &guarded);
  g_assert_cmpint (awake_ns, >=, began_ns + 20 * MS);
  g_assert_cmpint (awake_ns, <, began_ns + 5000 * MS);
  awake_ns = guard (&loop, 10000 * MS, 1, &guarded);
  g_assert_cmpint (awake_ns, <, began_ns + 5000 * MS);
  jank_beat_clear (&loop.beat);
}

/* A loop that goes on for a second and then stops is looked at when it has stopped, and not before. Where the machine
 * makes it stand still longer than that, it has stopped: then again. */
static void
test_kicked (void)
{
  Loop loop = { .interval_ms = 5, .n = 200 };
  JankGuarded guarded;
  gint64 awake_ns;
  GThread *thread;
  guint n_awake = 0;

  jank_beat_init (&loop.beat, G_MAXINT64, 0);
  thread = g_thread_new ("loop", loop_thread, &loop);
  do
    {
      awake_ns = guard (&loop, 200 * MS, G_MAXINT64, &guarded);
      n_awake++;
    }
  while (jank_beat_read_live (&loop.beat).n_turns < loop.n);
  g_thread_join (thread);
  g_test_message ("awake %u times in %u turns, %.1f ms after the last", n_awake, loop.n,
                  (awake_ns - loop.last_began_ns) / 1e6);
  g_assert_cmpuint (n_awake, <=, 3);
  g_assert_cmpint (awake_ns, >=, loop.last_began_ns + 100 * MS);
  g_assert_cmpint (guarded.kicked_ns, >, 0);
  g_assert_cmpint (guarded.kicked_ns, <=, loop.last_began_ns);
  g_assert_cmpint (guarded.kicked_ns, >=, loop.last_began_ns - 150 * MS);
  g_assert_cmpint (guarded.cpu_ns, >, 0);
  g_assert_cmpint (guarded.cpu_ns, <=, loop.last_cpu_ns + MS);
  jank_beat_clear (&loop.beat);
}

/* However lively, it is looked at in the end; and kicks cost nothing when nobody is on guard. */
static void
test_until (void)
{
  Loop loop = { .interval_ms = 1, .n = 300 };
  gint64 until_ns = jank_clock_now_ns () + 150 * MS, awake_ns;
  JankGuarded guarded;
  GThread *thread;

  jank_beat_init (&loop.beat, G_MAXINT64, 0);
  thread = g_thread_new ("loop", loop_thread, &loop);
  do
    awake_ns = guard (&loop, 60 * MS, until_ns, &guarded);
  while (awake_ns < until_ns);
  g_assert_cmpuint (jank_beat_read_live (&loop.beat).n_turns, <, loop.n);
  g_thread_join (thread);
  g_assert_cmpint (guarded.expires_ns, <=, until_ns);
  g_assert_cmpint (atomic_load (&loop.beat.watchdog.kick_after_ns), ==, INT64_MAX);
  jank_beat_clear (&loop.beat);
}

static gpointer
ring_thread (gpointer data)
{
  g_usleep (30000);
  jank_beat_ring (data);
  return NULL;
}

static void
test_rung (void)
{
  Loop loop = { 0 };
  guint32 rung;
  JankGuarded guarded;
  gint64 began_ns = jank_clock_now_ns ();
  GThread *thread;

  jank_beat_init (&loop.beat, G_MAXINT64, 0);
  rung = jank_beat_get_rung (&loop.beat);
  thread = g_thread_new ("ring", ring_thread, &loop.beat);
  g_assert_true (jank_beat_guard (&loop.beat, rung, 60000 * MS, G_MAXINT64, &guarded));
  g_thread_join (thread);
  g_assert_cmpint (jank_clock_now_ns (), >=, began_ns + 30 * MS);
  g_assert_cmpint (jank_clock_now_ns (), <, began_ns + 30000 * MS);
  /* Before it began. */
  g_assert_true (jank_beat_guard (&loop.beat, rung, 60000 * MS, G_MAXINT64, &guarded));
  g_assert_cmpint (jank_clock_now_ns (), <, began_ns + 30000 * MS);
  jank_beat_clear (&loop.beat);
}

typedef struct
{
  JankBeat     beat;
  gulong       ring_after_us;
  _Atomic bool stop;
} Lively;

static gpointer
lively_thread (gpointer data)
{
  Lively *lively = data;

  while (!atomic_load (&lively->stop))
    {
      jank_beat_begin (&lively->beat);
      jank_beat_end (&lively->beat);
    }
  return NULL;
}

static gpointer
ring_lively_thread (gpointer data)
{
  Lively *lively = data;

  g_usleep (lively->ring_after_us);
  jank_beat_ring (&lively->beat);
  return NULL;
}

/* A ring at any moment, while the loop kicks as fast as it can, ends the guard: else only until_ns would. */
static void
test_stress (void)
{
  Lively lively = { 0 };
  GThread *loop;
  JankGuarded guarded;

  jank_beat_init (&lively.beat, G_MAXINT64, 0);
  loop = g_thread_new ("loop", lively_thread, &lively);
  for (guint i = 0; i < 300; i++)
    {
      gint64 began_ns = jank_clock_now_ns ();
      guint32 rung = jank_beat_get_rung (&lively.beat);
      GThread *ring;

      lively.ring_after_us = g_random_int_range (0, 3000);
      ring = g_thread_new ("ring", ring_lively_thread, &lively);
      g_assert_true (jank_beat_guard (&lively.beat, rung, 2 * MS, began_ns + 60000 * MS, &guarded));
      g_assert_cmpint (jank_clock_now_ns (), <, began_ns + 30000 * MS);
      g_thread_join (ring);
    }
  atomic_store (&lively.stop, true);
  g_thread_join (loop);
  jank_beat_clear (&lively.beat);
}

static guint
count_descriptors (void)
{
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (folder) != NULL)
    n++;
  return n;
}

/* The program sees no descriptor, and loses no signal that all of its threads block: it stays to be waited for. */
static void
test_unseen (void)
{
  const struct timespec long_enough = { .tv_sec = 10 };
  guint n_before = count_descriptors ();
  Loop loop = { 0 };
  JankGuarded guarded;
  sigset_t urgent;

  jank_beat_init (&loop.beat, G_MAXINT64, 0);
  guard (&loop, MS, G_MAXINT64, &guarded);
  g_assert_cmpuint (count_descriptors (), ==, n_before);
  sigemptyset (&urgent);
  sigaddset (&urgent, SIGURG);
  pthread_sigmask (SIG_BLOCK, &urgent, NULL);
  g_assert_no_errno (kill (getpid (), SIGURG));
  guard (&loop, 20 * MS, G_MAXINT64, &guarded);
  g_assert_cmpint (sigtimedwait (&urgent, NULL, &long_enough), ==, SIGURG);
  jank_beat_clear (&loop.beat);
}

/* A forked child has a timer of its own under the number of ours. */
static void
test_forked (void)
{
  const struct itimerspec hour = { .it_value = { .tv_sec = 3600 } };
  Loop loop = { 0 };
  JankGuarded guarded;
  int status;
  pid_t pid;

  jank_beat_init (&loop.beat, G_MAXINT64, 0);
  guard (&loop, MS, G_MAXINT64, &guarded);
  pid = fork ();
  if (pid == 0)
    {
      struct sigevent event = { .sigev_notify = SIGEV_NONE };
      struct itimerspec at = { 0 };
      int timer = -1;

      while (timer < loop.beat.watchdog.timer)
        if (syscall (SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) != 0)
          _exit (1);
      syscall (SYS_timer_settime, timer, 0, &hour, NULL);
      loop.beat.watchdog.on_guard = 1;
      loop.beat.watchdog.until_ns = G_MAXINT64;
      jank_watchdog_kick (&loop.beat.watchdog, jank_clock_now_ns ());
      jank_watchdog_ring (&loop.beat.watchdog);
      jank_beat_clear (&loop.beat);
      _exit (syscall (SYS_timer_gettime, timer, &at) == 0 && at.it_value.tv_sec > 3000 ? 0 : 2);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);
  guard (&loop, MS, G_MAXINT64, &guarded);
  jank_beat_clear (&loop.beat);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/observe/watchdog/silence", test_silence);
  g_test_add_func ("/observe/watchdog/kicked", test_kicked);
  g_test_add_func ("/observe/watchdog/until", test_until);
  g_test_add_func ("/observe/watchdog/rung", test_rung);
  g_test_add_func ("/observe/watchdog/stress", test_stress);
  g_test_add_func ("/observe/watchdog/unseen", test_unseen);
  g_test_add_func ("/observe/watchdog/forked", test_forked);
  return g_test_run ();
}
