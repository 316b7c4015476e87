/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <sys/syscall.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "sample/jank-sampler-private.h"
#include "test.h"
#include "worker.h"

#define AWAIT_NS (20 * JANK_NS_PER_S)
#define N_BYTES  ((gsize) 256 << 20)

/* Computes inside one system call, then waits in another one. */
static void
worker_call_and_read (Worker *self, gpointer data)
{
  const int *fds = data;
  g_autofree char *bytes = g_malloc (N_BYTES);
  char byte;

  syscall (SYS_getrandom, bytes, N_BYTES, 0);
  while (!worker_is_stopped (self) && read (fds[0], &byte, 1) < 0)
    continue;
}

/* What a thread answers behind the call in which it computed comes before the wait that we find it in. */
TEST (before_wait)
{
  int fds[2];
  JankSampler *sampler = jank_sampler_new (0);
  gint64 until_ns = jank_clock_now_ns () + AWAIT_NS;
  JankSample sample = { .stack = NULL };
  JankThread *thread;
  JankSyscall call;
  Worker *worker;

  g_assert_cmpint (pipe (fds), ==, 0);
  worker = worker_new (worker_call_and_read, fds);
  thread = jank_thread_new (worker_get_info (worker), WORKER_TASKS);
  g_assert_true (jank_sampler_set_thread (sampler, worker_get_info (worker), WORKER_TASKS, NULL));
  while (!sample.in_kernel)
    {
      jank_sample_clear (&sample);
      jank_sampler_take (sampler, &sample);
      g_assert_cmpint (jank_clock_now_ns (), <, until_ns);
    }
  await_call (thread, JANK_SYSCALL_BLOCKED, &call);

  if (HAS_TSAN)
    g_test_skip ("a thread sanitizer delivers signals late");
  else
    {
      g_assert_true (jank_sampler_take (sampler, &sample));
      g_assert_cmpint (sample.method, ==, JANK_SAMPLE_SIGNAL);
      g_assert_cmpint (sample.since_ns, >, 0);
      g_assert_cmpint (sample.since_ns, <, sample.at_ns);
      jank_sample_clear (&sample);
      g_assert_true (jank_sampler_take (sampler, &sample));
      g_assert_cmpint (sample.method, ==, JANK_SAMPLE_BLOCKED);
      g_assert_cmpint (sample.since_ns, ==, 0);
      jank_sample_clear (&sample);
    }
  jank_sampler_free (sampler);
  jank_thread_free (thread);
  g_assert_cmpint (write (fds[1], "", 1), ==, 1);
  worker_free (worker);
  close (fds[0]);
  close (fds[1]);
}

TESTS ("/sample/late")
