/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread that calls, over and over, what a signal would end early, while it is sampled as fast as can be:
 * it sees no EINTR, and waits for as long as without us. */

#include "config.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "sample/jank-sampler-private.h"
#include "worker.h"

#define SAMPLING_NS JANK_NS_PER_S

/* Some µs of work between two calls, which is when a signal may be sent. */
#define N_PAUSES 100

typedef struct
{
  const char *name;
  int       (*call) (void); /* what the call returns */
  int         expected;
  int         expected_errno;
  gint64      least_ns;     /* that it is to take; a busy machine makes any of it longer */
} Call;

typedef struct
{
  const Call *call;
  guint64     n_calls, n_eintr, n_other, n_early;
} Counts;

static sem_t sem;
static int epoll_fd;

static int
call_usleep (void)
{
  return usleep (20);
}

static int
call_nanosleep (void)
{
  return nanosleep (&(struct timespec) { 0, 20000 }, NULL);
}

static int
call_clock_nanosleep (void)
{
  struct timespec until;

  clock_gettime (CLOCK_MONOTONIC, &until);
  until.tv_nsec += 20000;
  if (until.tv_nsec >= JANK_NS_PER_S)
    {
      until.tv_nsec -= JANK_NS_PER_S;
      until.tv_sec++;
    }
  errno = clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
  return errno;
}

static int
call_poll (void)
{
  return poll (NULL, 0, 1);
}

static int
call_ppoll (void)
{
  return ppoll (NULL, 0, &(struct timespec) { 0, 20000 }, NULL);
}

static int
call_select (void)
{
  return select (0, NULL, NULL, NULL, &(struct timeval) { 0, 20 });
}

static int
call_epoll (void)
{
  struct epoll_event event;

  return epoll_wait (epoll_fd, &event, 1, 1);
}

static int
call_sem (void)
{
  struct timespec until;

  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_nsec += 50000;
  if (until.tv_nsec >= JANK_NS_PER_S)
    {
      until.tv_nsec -= JANK_NS_PER_S;
      until.tv_sec++;
    }
  return sem_timedwait (&sem, &until);
}

static const Call calls[] = {
  { "usleep", call_usleep, 0, 0, 20000 },
  { "nanosleep", call_nanosleep, 0, 0, 20000 },
  { "clock_nanosleep", call_clock_nanosleep, 0, 0, 20000 },
  { "poll", call_poll, 0, 0, JANK_NS_PER_MS },
  { "ppoll", call_ppoll, 0, 0, 20000 },
  { "select", call_select, 0, 0, 20000 },
  { "epoll_wait", call_epoll, 0, 0, JANK_NS_PER_MS },
  { "sem_timedwait", call_sem, -1, ETIMEDOUT, 0 },
};

static void
worker_call (Worker *self, gpointer data)
{
  Counts *counts = data;
  const Call *call = counts->call;

  while (!worker_is_stopped (self))
    {
      gint64 began_ns = jank_clock_now_ns ();
      int result;

      errno = 0;
      result = call->call ();
      counts->n_calls++;
      counts->n_eintr += errno == EINTR;
      counts->n_other += result != call->expected || (errno != call->expected_errno && errno != EINTR);
      counts->n_early += jank_clock_now_ns () - began_ns < call->least_ns;
      for (guint i = counts->n_calls % 16 * N_PAUSES; i > 0; i--)
        __builtin_ia32_pause ();
    }
}

static void
test_call (gconstpointer data)
{
  Counts counts = { .call = data };
  g_autoptr (GError) error = NULL;
  g_autoptr (JankSampler) sampler = jank_sampler_new (0, &error);
  gint64 until_ns = jank_clock_now_ns () + SAMPLING_NS;
  guint64 n_samples = 0;
  Worker *worker;

  g_assert_no_error (error);
  if (HAS_TSAN)
    {
      g_test_skip ("a thread sanitizer delivers signals late");
      return;
    }
  worker = worker_new (worker_call, &counts);
  jank_sampler_set_thread (sampler, worker_get_info (worker), WORKER_TASKS, &error);
  g_assert_no_error (error);
  while (jank_clock_now_ns () < until_ns)
    {
      JankSample sample;

      if (jank_sampler_take (sampler, &sample))
        jank_sample_clear (&sample);
      n_samples++;
    }
  worker_free (worker);

  g_test_message ("%" G_GUINT64_FORMAT " calls, %" G_GUINT64_FORMAT " looks, %" G_GUINT64_FORMAT " signals, %"
                  G_GUINT64_FORMAT " put back, %" G_GUINT64_FORMAT " EINTR", counts.n_calls, n_samples,
                  jank_sampler_get_signal_counts (sampler)->n_sent,
                  jank_sampler_get_signal_counts (sampler)->n_restarted, counts.n_eintr);
  g_assert_cmpuint (counts.n_calls, >, 0);
  g_assert_cmpuint (n_samples, >, 0);
  g_assert_cmpuint (counts.n_eintr, ==, 0);
  g_assert_cmpuint (counts.n_other, ==, 0);
  g_assert_cmpuint (counts.n_early, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sem_init (&sem, 0, 0);
  epoll_fd = epoll_create1 (EPOLL_CLOEXEC);
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autofree char *path = g_strconcat ("/sample/restart/", calls[i].name, NULL);

      g_test_add_data_func (path, &calls[i], test_call);
    }
  return g_test_run ();
}
