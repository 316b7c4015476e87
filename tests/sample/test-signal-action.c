/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whose the signal is: ours and the program's, the program's alone, or nobody's on a kernel that would interrupt
 * calls. */

#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "base/jank-error.h"
#include "sampled.h"
#include "test.h"

static gint n_program_handled;

static void
program_handler (int signal)
{
  g_atomic_int_inc (&n_program_handled);
}

static void
program_action (int signal, siginfo_t *info, void *context)
{
  g_assert_nonnull (context);
  if (info->si_code == SI_QUEUE && info->si_value.sival_int == 5)
    g_atomic_int_inc (&n_program_handled);
}

static const struct sigaction program_actions[] = {
  { .sa_handler = program_handler },
  { .sa_sigaction = program_action, .sa_flags = SA_SIGINFO | SA_ONSTACK },
  { .sa_handler = program_handler, .sa_flags = SA_RESETHAND },
  { .sa_handler = SIG_IGN },
  { .sa_handler = SIG_DFL },
};
static const gint expected_handled[] = { 50, 50, 1, 0, 0 };

/* What the program has for the signal gets all of its own signals, and none of ours. */
static void
test_passed_on (void)
{
  g_autoptr (Worker) worker = worker_new (worker_compute, NULL);
  g_autoptr (JankThread) thread = new_thread (worker);
  gint64 until_ns = jank_clock_now_ns () + AWAIT_NS;

  for (guint k = 0; k < G_N_ELEMENTS (program_actions); k++)
    {
      g_autoptr (JankSignalSampler) sampler = NULL;

      sigaction (SIGURG, &program_actions[k], NULL);
      sampler = jank_signal_sampler_new (0);
      g_atomic_int_set (&n_program_handled, 0);
      for (guint i = 0; i < 50; i++)
        {
          g_assert_cmpint (pthread_sigqueue (worker_get_info (worker)->pthread, SIGURG, (union sigval) { 5 }), ==, 0);
          take (sampler, thread);
          jank_signal_sampler_release (sampler);
        }
      while (g_atomic_int_get (&n_program_handled) < expected_handled[k])
        g_assert_cmpint (jank_clock_now_ns (), <, until_ns);
      g_assert_cmpint (g_atomic_int_get (&n_program_handled), ==, expected_handled[k]);
    }
}

/* One that ends the program, for which the program has nothing. */
static void
test_fatal (void)
{
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (SIGRTMIN + 3);
  g_autoptr (Worker) worker = worker_new (worker_compute, NULL);
  JankThread *thread = new_thread (worker);

  take (sampler, thread);
  jank_signal_sampler_release (sampler);
  kill (getpid (), SIGRTMIN + 3);
  g_usleep (AWAIT_NS / 1000);
}

TEST (fatal_apart)
{
  if (g_test_subprocess ())
    {
      test_fatal ();
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_assert_true (g_test_trap_reached_timeout () == FALSE && !g_test_trap_has_passed ());
}

/* The program may take the signal for itself later: from then on it is the program's alone, and that is told once. */
static void
test_taken_over (void)
{
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0);
  g_autoptr (Worker) worker = worker_new (worker_compute, NULL);
  g_autoptr (JankThread) thread = new_thread (worker);
  g_autoptr (GError) error = NULL;
  guint64 n_before;

  take (sampler, thread);
  jank_signal_sampler_release (sampler);
  n_before = jank_signal_sampler_get_counts (sampler)->n_no_answer; /* of a busy machine */
  g_assert_null (jank_signal_sampler_take_error (sampler));
  sigaction (SIGURG, &program_actions[0], NULL);
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (GError) next_error = NULL;

      g_assert_cmpint (jank_signal_sampler_take (sampler, thread, NULL, NULL, 0), ==, JANK_ANSWER_NONE);
      next_error = jank_signal_sampler_take_error (sampler);
      g_assert_true ((next_error != NULL) == (i == 0));
    }
  g_assert_cmpuint (jank_signal_sampler_get_counts (sampler)->n_no_answer, ==, n_before + 1);
  g_assert_cmpint (g_atomic_int_get (&n_program_handled), ==, 0);
}

TEST (releases)
{
  g_assert_true (jank_signal_sampler_is_safe_on ("6.18.44-amd64"));
  g_assert_true (jank_signal_sampler_is_safe_on ("5.10.0"));
  g_assert_true (jank_signal_sampler_is_safe_on ("10.0-rc1"));
  g_assert_false (jank_signal_sampler_is_safe_on ("5.9.16"));
  g_assert_false (jank_signal_sampler_is_safe_on ("4.19.0-27-amd64"));
  g_assert_false (jank_signal_sampler_is_safe_on ("2.6.78"));
  g_assert_false (jank_signal_sampler_is_safe_on (""));
}

/* Where the kernel would interrupt calls nothing is installed, and nobody is asked. */
static void
test_old_kernel (void)
{
  g_autoptr (JankSignalSampler) sampler = NULL;
  g_autoptr (Worker) worker = worker_new (worker_compute, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (JankThread) thread = new_thread (worker);
  struct sigaction current;

  g_assert_cmpint (personality (UNAME26), >=, 0);
  sampler = jank_signal_sampler_new (0);
  g_assert_cmpint (jank_signal_sampler_take (sampler, thread, NULL, NULL, 0), ==, JANK_ANSWER_NONE);
  error = jank_signal_sampler_take_error (sampler);
  g_assert_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, "5.10"));
  sigaction (SIGURG, NULL, &current);
  g_assert_true (current.sa_handler == SIG_DFL);
}

/* It leaves the program's signals with what they had, in a process of its own. */
static void
run_apart (void (*func) (void))
{
  if (g_test_subprocess ())
    {
      func ();
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

TEST (passed_on_apart)
{
  run_apart (test_passed_on);
}

TEST (taken_over_apart)
{
  run_apart (test_taken_over);
}

TEST (old_kernel_apart)
{
  run_apart (test_old_kernel);
}

TESTS ("/sample/signal-action")
