/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a watcher cannot do: the program refuses a system call or the signal. */

#include "config.h"

#include <signal.h>
#include <stddef.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "test.h"
#include "watched.h"

#define FILTERED_NS (2 * JANK_NS_PER_S)

static void
end_by_timer_settime (void)
{
  struct sock_filter steps[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_settime, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = { G_N_ELEMENTS (steps), steps };

  g_assert_no_errno (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  g_assert_no_errno (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
}

static gboolean
filter_cb (gpointer data)
{
  gboolean *is_filtered = data;

  if (!*is_filtered)
    end_by_timer_settime ();
  *is_filtered = TRUE;
  return G_SOURCE_CONTINUE;
}

static void
test_filtered_subprocess (Watched *fixture, gconstpointer data)
{
  GSource *source = g_timeout_source_new (10);
  gint64 began_ns = jank_clock_now_ns ();
  gboolean is_filtered = FALSE;

  watched_start (fixture, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  g_source_set_callback (source, filter_cb, &is_filtered, NULL);
  g_source_attach (source, fixture->context);
  while (jank_clock_now_ns () - began_ns < FILTERED_NS)
    g_main_context_iteration (fixture->context, TRUE);
  g_source_destroy (source);
  g_source_unref (source);
  g_assert_true (is_filtered);
}

/* A program that gives up a system call of which it knows nothing, and then keeps its pace, is not made to make it. */
static void
test_filtered (void)
{
  g_test_trap_subprocess ("/watch/refused/call/subprocess", 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

/* A program that blocks our signal for all of a stall. */
static void
masked_compute (gint64 duration_ns)
{
  sigset_t all, old;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  watched_compute (duration_ns);
  pthread_sigmask (SIG_SETMASK, &old, NULL);
}

TEST_WITH (Watched, watched_set_up, watched_tear_down, fixture, masked)
{
  Work work = { masked_compute, 300 * MS };
  Said one;

  watched_start (fixture, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  watched_run (fixture, &work);
  one = watched_await_work (fixture, &work);
  watched_stop (fixture);
  g_assert_cmpuint (one.stall.n_lost, >, 0);
  g_assert_cmpuint (fixture->counts.signals.n_no_answer, ==, 1);
  g_assert_cmpint (ABS (one.weights_ns - one.duration_ns), <=, MS);
}

#define ADD(path, func) WATCHED_ADD ("/watch/refused/" path, NULL, func)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  tests_add_all ("/watch/refused");
  ADD ("call/subprocess", test_filtered_subprocess);
  g_test_add_func ("/watch/refused/call", test_filtered);
  return g_test_run ();
}
