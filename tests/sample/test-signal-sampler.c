/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "sample/jank-signal-sampler-private.h"
#include "worker.h"

#define AWAIT_NS  (20 * JANK_NS_PER_S)
#define N_EXITS   300
#define N_COPIES  300

static JankThread *
new_thread (Worker *worker)
{
  return jank_thread_new (worker_get_info (worker), WORKER_TASKS);
}

/* Until there is a copy: a busy machine may keep the thread from its CPU. It stays in the slot. */
static void
take (JankSignalSampler *sampler, JankThread *thread)
{
  gint64 until_ns = jank_clock_now_ns () + AWAIT_NS;

  while (jank_signal_sampler_take (sampler, thread) != JANK_ANSWER_COPIED)
    {
      g_assert_cmpint (jank_clock_now_ns (), <, until_ns);
      g_usleep (50);
    }
}

static void
test_copies (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0, &error);
  g_autoptr (Worker) worker = worker_new (worker_compute, NULL);
  const JankThreadInfo *info = worker_get_info (worker);
  const JankStackCopy *copy = &jank_signal_slot.copy;
  JankThread *thread = new_thread (worker);

  g_assert_no_error (error);
  g_assert_cmpint (jank_signal_sampler_get_signal (sampler), <=, SIGRTMAX);
  g_assert_cmpint (jank_signal_sampler_get_signal (sampler), >=, SIGRTMIN);
  for (guint i = 0; i < N_COPIES; i++)
    {
      gint64 before_ns = jank_clock_now_ns ();
      guint64 sp;

      take (sampler, thread);
      sp = copy->regs[JANK_REG_RSP];
      g_assert_cmpuint (copy->known, ==, (1u << JANK_N_REGS) - 1);
      g_assert_cmpuint (sp, >=, info->stack_low);
      g_assert_cmpuint (sp, <, info->stack_base);
      g_assert_cmpuint (copy->address, ==, sp - JANK_RED_ZONE_BYTES);
      g_assert_cmpuint (copy->base, ==, info->stack_base);
      g_assert_cmpuint (copy->n_bytes, ==, MIN (JANK_COPY_MAX_BYTES, info->stack_base - copy->address));
      g_assert_cmpint (jank_signal_slot.entered_ns, >=, before_ns);
      g_assert_cmpint (jank_signal_slot.left_ns, >=, jank_signal_slot.entered_ns);
      g_assert_cmpint (jank_signal_slot.left_ns, <=, jank_clock_now_ns ());
      jank_signal_sampler_release (sampler);
    }
  g_assert_cmpuint (jank_signal_sampler_get_counts (sampler)->n_sent, >=, N_COPIES);
  jank_thread_free (thread);
}

/* More stack than a copy holds. */
static G_GNUC_NO_INLINE void
compute_deep (Worker *self, guint depth)
{
  volatile guint8 bytes[4096];

  memset ((void *) bytes, 1, sizeof bytes);
  if (depth > 0)
    compute_deep (self, depth - 1);
  else
    worker_compute (self, NULL);
  bytes[depth] = 2;
}

static void
worker_deep (Worker *self, gpointer data)
{
  compute_deep (self, 30);
}

static void
test_deep (void)
{
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0, NULL);
  g_autoptr (Worker) worker = worker_new (worker_deep, NULL);
  JankThread *thread = new_thread (worker);

  g_usleep (20000);
  take (sampler, thread);
  g_assert_cmpuint (jank_signal_slot.copy.n_bytes, ==, JANK_COPY_MAX_BYTES);
  g_assert_cmpuint (jank_signal_slot.copy.base - jank_signal_slot.copy.address, >, JANK_COPY_MAX_BYTES);
  jank_signal_sampler_release (sampler);
  jank_thread_free (thread);
}

typedef struct
{
  gint is_masked; /* (atomic) */
  gint n_errors;  /* (atomic) */
} Facts;

static void
worker_masked (Worker *self, gpointer data)
{
  Facts *facts = data;
  sigset_t all;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, NULL);
  g_atomic_int_set (&facts->is_masked, 1);
  worker_compute (self, NULL);
}

/* One fact, however often we look, and nothing is sent that would stay pending. */
static void
test_masked (void)
{
  Facts facts = { 0 };
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0, NULL);
  g_autoptr (Worker) worker = worker_new (worker_masked, &facts);
  JankThread *thread = new_thread (worker);
  const JankSignalCounts *counts = jank_signal_sampler_get_counts (sampler);

  while (!g_atomic_int_get (&facts.is_masked))
    g_usleep (500);
  for (guint i = 0; i < 20; i++)
    g_assert_cmpint (jank_signal_sampler_take (sampler, thread), ==, JANK_ANSWER_NONE);
  g_assert_cmpuint (counts->n_sent, ==, 0);
  g_assert_cmpuint (counts->n_no_answer, ==, 1);
  jank_thread_free (thread);
}

static void
test_blocked (void)
{
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0, NULL);
  g_autoptr (Worker) worker = worker_new (worker_sleep, NULL);
  JankThread *thread = new_thread (worker);
  JankSyscall call;

  await_call (thread, JANK_SYSCALL_BLOCKED, &call);
  for (guint i = 0; i < 200; i++)
    {
      JankAnswer answer = jank_signal_sampler_take (sampler, thread);

      g_assert_cmpint (answer, ==, JANK_ANSWER_BLOCKED);
    }
  g_assert_cmpuint (jank_signal_sampler_get_counts (sampler)->n_sent, ==, 0);
  g_assert_cmpuint (jank_signal_sampler_get_counts (sampler)->n_no_answer, ==, 0);
  jank_thread_free (thread);
}

static gint n_program_handled;

static void
program_handler (int signal)
{
  g_atomic_int_inc (&n_program_handled);
}

static void
take_over (int signal)
{
  struct sigaction action = { .sa_handler = program_handler };

  g_assert_cmpint (sigaction (signal, &action, NULL), ==, 0);
}

/* The program may want the signal for itself: then it is the program's, and another one is ours. */
static void
test_taken_over (void)
{
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0, NULL);
  g_autoptr (Worker) worker = worker_new (worker_compute, NULL);
  JankThread *thread = new_thread (worker);
  int first = jank_signal_sampler_get_signal (sampler);

  take (sampler, thread);
  jank_signal_sampler_release (sampler);
  take_over (first);
  for (guint i = 0; i < 20; i++)
    {
      take (sampler, thread);
      jank_signal_sampler_release (sampler);
    }
  g_assert_cmpint (jank_signal_sampler_get_signal (sampler), !=, first);
  g_assert_cmpint (g_atomic_int_get (&n_program_handled), ==, 0);
  jank_thread_free (thread);
}

/* A signal that the user chose is not replaced: nothing is sent. */
static void
test_chosen_taken_over (void)
{
  int chosen = SIGRTMIN + 2;
  g_autoptr (GError) error = NULL;
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (chosen, &error);
  g_autoptr (Worker) worker = worker_new (worker_compute, NULL);
  JankThread *thread = new_thread (worker);
  guint64 n_sent;

  g_assert_no_error (error);
  g_assert_cmpint (jank_signal_sampler_get_signal (sampler), ==, chosen);
  take (sampler, thread);
  jank_signal_sampler_release (sampler);
  n_sent = jank_signal_sampler_get_counts (sampler)->n_sent;

  take_over (chosen);
  for (guint i = 0; i < 20; i++)
    g_assert_cmpint (jank_signal_sampler_take (sampler, thread), ==, JANK_ANSWER_NONE);
  g_assert_cmpuint (jank_signal_sampler_get_counts (sampler)->n_sent, ==, n_sent);
  g_assert_cmpuint (jank_signal_sampler_get_counts (sampler)->n_no_answer, ==, 1);
  g_assert_cmpint (g_atomic_int_get (&n_program_handled), ==, 0);
  jank_thread_free (thread);
}

static void
test_unavailable (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) none_error = NULL;
  g_autofree char *number = g_strdup_printf ("%d", SIGRTMIN + 4);

  take_over (SIGRTMIN + 4);
  g_assert_null (jank_signal_sampler_new (SIGRTMIN + 4, &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, number));

  /* Ignored is used, too. */
  for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
    g_assert_true (signal (i, SIG_IGN) != SIG_ERR);
  g_assert_null (jank_signal_sampler_new (0, &none_error));
  g_assert_error (none_error, JANK_ERROR, JANK_ERROR_UNAVAILABLE);
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

static void
test_unavailable_apart (void)
{
  run_apart (test_unavailable);
}

static void
test_taken_over_apart (void)
{
  run_apart (test_taken_over);
}

static void
test_chosen_taken_over_apart (void)
{
  run_apart (test_chosen_taken_over);
}

static void
worker_errno (Worker *self, gpointer data)
{
  Facts *facts = data;

  errno = 77;
  while (!worker_is_stopped (self))
    {
      for (guint i = 0; i < 1000; i++)
        __builtin_ia32_pause ();
      if (errno != 77)
        g_atomic_int_inc (&facts->n_errors);
      errno = 77;
      jank_clock_now_ns ();
    }
}

/* errno, and a signal of ours that somebody else sends, to the process or to any thread. */
static void
test_harmless (void)
{
  Facts facts = { 0 };
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0, NULL);
  g_autoptr (Worker) worker = worker_new (worker_errno, &facts);
  JankThread *thread = new_thread (worker);
  int signal = jank_signal_sampler_get_signal (sampler);

  for (guint i = 0; i < N_COPIES; i++)
    {
      g_assert_cmpint (kill (getpid (), signal), ==, 0);
      g_assert_cmpint (syscall (SYS_tgkill, getpid (), worker_get_info (worker)->tid, signal), ==, 0);
      take (sampler, thread);
      g_assert_cmpint (syscall (SYS_tgkill, getpid (), worker_get_info (worker)->tid, signal), ==, 0);
      g_assert_cmpuint (jank_signal_slot.copy.base, ==, worker_get_info (worker)->stack_base);
      g_assert_cmpint (atomic_load (&jank_signal_slot.state), ==, JANK_SLOT_DONE);
      jank_signal_sampler_release (sampler);
    }
  g_assert_cmpint (g_atomic_int_get (&facts.n_errors), ==, 0);
  jank_thread_free (thread);
}

static void
worker_brief (Worker *self, gpointer data)
{
  gint64 until_ns = jank_clock_now_ns () + JANK_NS_PER_MS;

  while (jank_clock_now_ns () < until_ns)
    ;
}

/* Threads that end while they are asked; the next one is none the worse for it. */
static void
test_exits (void)
{
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0, NULL);
  g_autoptr (Worker) healthy = NULL;
  JankThread *thread;
  guint n_copied = 0;

  for (guint i = 0; i < N_EXITS; i++)
    {
      g_autoptr (Worker) worker = worker_new (worker_brief, NULL);
      gint64 until_ns = jank_clock_now_ns () + 2 * JANK_NS_PER_MS;

      thread = new_thread (worker);
      while (jank_clock_now_ns () < until_ns)
        if (jank_signal_sampler_take (sampler, thread) == JANK_ANSWER_COPIED)
          {
            n_copied++;
            jank_signal_sampler_release (sampler);
          }
      jank_thread_free (thread);
    }
  g_test_message ("%u copies of %u threads", n_copied, N_EXITS);

  healthy = worker_new (worker_compute, NULL);
  thread = new_thread (healthy);
  take (sampler, thread);
  jank_signal_sampler_release (sampler);
  jank_thread_free (thread);
}

/* An answer that comes when nobody waits for it any more empties the slot. */
static void
test_late_answer (void)
{
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0, NULL);
  g_autoptr (Worker) worker = worker_new (worker_compute, NULL);
  JankThread *thread = new_thread (worker);
  gint64 until_ns = jank_clock_now_ns () + AWAIT_NS;

  take (sampler, thread);
  jank_signal_sampler_release (sampler);
  atomic_store (&jank_signal_slot.state, JANK_SLOT_GIVEN_UP);
  g_assert_cmpint (jank_signal_sampler_take (sampler, thread), ==, JANK_ANSWER_BUSY);
  syscall (SYS_tgkill, getpid (), worker_get_info (worker)->tid, jank_signal_sampler_get_signal (sampler));
  while (atomic_load (&jank_signal_slot.state) != JANK_SLOT_EMPTY)
    g_assert_cmpint (jank_clock_now_ns (), <, until_ns);

  take (sampler, thread);
  jank_signal_sampler_release (sampler);
  jank_thread_free (thread);
}

/* A thread that ended before it answered never will. */
static void
test_never_answers (void)
{
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0, NULL);
  Worker *worker = worker_new (worker_compute, NULL);
  JankThread *thread = new_thread (worker);

  take (sampler, thread);
  jank_signal_sampler_release (sampler);
  jank_thread_free (thread);
  worker_free (worker);
  atomic_store (&jank_signal_slot.state, JANK_SLOT_GIVEN_UP);

  worker = worker_new (worker_compute, NULL);
  thread = new_thread (worker);
  take (sampler, thread);
  jank_signal_sampler_release (sampler);
  jank_thread_free (thread);
  worker_free (worker);
}

typedef struct
{
  JankThread *thread;
  guint64     stack_base;
} Turn;

static gpointer
take_thread (gpointer data)
{
  Turn *turn = data;
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0, NULL);

  for (guint i = 0; i < N_COPIES; i++)
    {
      take (sampler, turn->thread);
      g_assert_cmpuint (jank_signal_slot.copy.base, ==, turn->stack_base);
      g_assert_cmpuint (jank_signal_slot.copy.address, <, turn->stack_base);
      jank_signal_sampler_release (sampler);
    }
  return NULL;
}

/* One slot, two watchers, each with a thread of its own to look at. */
static void
test_two_samplers (void)
{
  Worker *workers[2];
  GThread *threads[2];
  Turn turns[2];

  for (guint i = 0; i < 2; i++)
    {
      workers[i] = worker_new (worker_compute, NULL);
      turns[i] = (Turn) { new_thread (workers[i]), worker_get_info (workers[i])->stack_base };
      threads[i] = g_thread_new ("watcher", take_thread, &turns[i]);
    }
  for (guint i = 0; i < 2; i++)
    {
      g_thread_join (threads[i]);
      jank_thread_free (turns[i].thread);
      worker_free (workers[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sample/signal-sampler/copies", test_copies);
  g_test_add_func ("/sample/signal-sampler/deep", test_deep);
  g_test_add_func ("/sample/signal-sampler/masked", test_masked);
  g_test_add_func ("/sample/signal-sampler/blocked", test_blocked);
  g_test_add_func ("/sample/signal-sampler/taken-over", test_taken_over_apart);
  g_test_add_func ("/sample/signal-sampler/chosen-taken-over", test_chosen_taken_over_apart);
  g_test_add_func ("/sample/signal-sampler/unavailable", test_unavailable_apart);
  g_test_add_func ("/sample/signal-sampler/harmless", test_harmless);
  g_test_add_func ("/sample/signal-sampler/exits", test_exits);
  g_test_add_func ("/sample/signal-sampler/late-answer", test_late_answer);
  g_test_add_func ("/sample/signal-sampler/never-answers", test_never_answers);
  g_test_add_func ("/sample/signal-sampler/two-samplers", test_two_samplers);
  return g_test_run ();
}
