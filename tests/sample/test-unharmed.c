/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread alternates computing with calls that a signal would cut short, while it is sampled as fast as can be:
 * every call gives what it gives unwatched, and waits for as long. So does exec(). */

#include <signal.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "calls.h"
#include "sample/jank-sampler-private.h"
#include "worker.h"

#define MOST_LESS   17 /* microseconds by which it computes for less, in turns: calls begin at any time after a
                          sample */
#define EXEC_LINKS  10 /* of a chain */

static void
compute (gint64 length_ns)
{
  gint64 until_ns = jank_clock_now_ns () + length_ns;

  while (jank_clock_now_ns () < until_ns)
    ;
}

typedef struct
{
  gint64  interval_ns, compute_ns;
  guint   n;       /* of calls[] */
  guint64 n_calls, n_differ;
} Calls;

static void
worker_call (Worker *self, gpointer data)
{
  Calls *test = data;

  for (guint i = 0; !worker_is_stopped (self); i = (i + 1) % test->n)
    {
      CallResult result;

      compute (test->compute_ns - (gint64) (test->n_calls++ % MOST_LESS) * JANK_NS_PER_US);
      if (call_make (&calls[i], &result))
        continue;
      test->n_differ++;
      g_test_message ("%s gave %ld, %s, after %" G_GINT64_FORMAT " µs", calls[i].name, result.value,
                      g_strerror (result.error), result.took_ns / 1000);
    }
}

/* As fast as can be, or every interval. */
static void
sample_worker (Worker *worker, gint64 interval_ns, gint64 seconds)
{
  g_autoptr (JankSampler) sampler = jank_sampler_new (0);
  gint64 until_ns = jank_clock_now_ns () + seconds * JANK_NS_PER_S;
  guint64 n_taken = 0;

  g_assert_true (jank_sampler_set_thread (sampler, worker_get_info (worker), WORKER_TASKS, NULL));
  while (jank_clock_now_ns () < until_ns)
    {
      JankSample sample;

      if (jank_sampler_take (sampler, &sample))
        n_taken++;
      jank_sample_clear (&sample);
      g_usleep ((gulong) (interval_ns / 1000));
    }
  g_test_message ("%" G_GUINT64_FORMAT " samples, %" G_GUINT64_FORMAT " by signal", n_taken,
                  jank_signal_sampler_get_counts (jank_sampler_get_signals (sampler))->n_sent);
  g_assert_cmpuint (jank_signal_sampler_get_counts (jank_sampler_get_signals (sampler))->n_sent, >=, (guint64) seconds);
}

/* As the soak suite says. */
static gint64
get_number (const char *variable, gint64 usual)
{
  return g_getenv (variable) != NULL ? g_ascii_strtoll (g_getenv (variable), NULL, 10) : usual;
}

static void
test_calls (gconstpointer data)
{
  Calls test = *(const Calls *) data;
  Worker *worker;

  if (HAS_TSAN)
    {
      g_test_skip ("a thread sanitizer delivers signals late");
      return;
    }
  worker = worker_new (worker_call, &test);
  sample_worker (worker, test.interval_ns, get_number ("SECONDS", 2));
  worker_free (worker);
  g_test_message ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " calls differ", test.n_differ, test.n_calls);
  g_assert_cmpuint (test.n_calls, >=, test.n);
  g_assert_cmpuint (test.n_differ, ==, 0);
}

static gpointer
sample_thread (gpointer data)
{
  /* One that ends the program which has no handler for it. */
  JankSampler *sampler = jank_sampler_new (SIGRTMAX);
  JankSample sample;

  jank_sampler_set_thread (sampler, data, WORKER_TASKS, NULL);
  for (;;)
    {
      jank_sampler_take (sampler, &sample);
      jank_sample_clear (&sample);
    }
  return NULL;
}

/* A program that replaces itself while it computes, sampled. */
static int
run_link (const char *program, gint64 n_left)
{
  g_autofree char *left = g_strdup_printf ("%d", (int) n_left - 1);
  JankThreadInfo info;

  jank_thread_describe_self (&info);
  g_thread_unref (g_thread_new ("sampler", sample_thread, &info));
  compute (2 * JANK_NS_PER_MS + (getpid () * 7919 + n_left * 104729) % (6 * JANK_NS_PER_MS));
  if (n_left > 0)
    execl (program, program, "--link", left, NULL);
  return n_left == 0 ? 42 : 1;
}

static void
test_exec (gconstpointer data)
{
  const char *program = data;
  const char *argv[] = { program, "--link", G_STRINGIFY (EXEC_LINKS), NULL };
  gint64 n_chains = get_number ("CHAINS", 20);

  for (gint64 i = 0; i < n_chains; i++)
    {
      int status = -1;

      g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &status, NULL));
      g_assert_cmpint (status, ==, 42 << 8);
    }
  g_test_message ("%d execs", (int) n_chains * EXEC_LINKS);
}

int
main (int argc, char **argv)
{
  Calls fastest = { 0, 200 * JANK_NS_PER_US, n_calls };
  Calls brief = { 0, 100 * JANK_NS_PER_US, N_CALLS_THAT_ONLY_WAIT };
  int result;

  if (argc == 3 && g_str_equal (argv[1], "--link"))
    return run_link (argv[0], g_ascii_strtoll (argv[2], NULL, 10));
  g_test_init (&argc, &argv, NULL);
  calls_open (200 * JANK_NS_PER_US);
  g_test_add_data_func ("/sample/unharmed/calls/fastest", &fastest, test_calls);
  g_test_add_data_func ("/sample/unharmed/calls/brief", &brief, test_calls);
  g_test_add_data_func ("/sample/unharmed/exec", argv[0], test_exec);
  result = g_test_run ();
  calls_close ();
  return result;
}
