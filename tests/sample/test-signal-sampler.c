/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "folder.h"
#include "processor.h"
#include "sampled.h"
#include "test.h"
#include "worker.h"

#define N_EXITS   100
#define N_COPIES  100
#define LONG_BYTES (32 << 20)

TEST (copies)
{
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0);
  g_autoptr (Worker) worker = worker_new (worker_compute, NULL);
  const JankThreadInfo *info = worker_get_info (worker);
  const JankStackCopy *copy = &jank_signal_slot.copy;
  g_autoptr (JankThread) thread = new_thread (worker);

  for (guint i = 0; i < N_COPIES; i++)
    {
      gint64 before_ns = jank_clock_now_ns ();
      guint64 sp;

      take (sampler, thread);
      sp = copy->regs[JANK_REG_SP];
      g_assert_cmpuint (copy->known, ==, JANK_REGS_ALL);
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
}

static void
worker_with_buffer (Worker *self, gpointer data)
{
  guint8 bytes[65536];

  /* Else compilers leave out all but what is read. */
  __asm__ volatile ("" : : "r" (bytes) : "memory");
  g_atomic_int_set ((gint *) data, 1);
  worker_compute (self, NULL);
  __asm__ volatile ("" : : "r" (bytes) : "memory");
}

/* As GdkPixbuf has for a file: whoever calls such a function is on the copy. */
TEST (buffer_on_the_stack)
{
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0);
  gint is_inside = 0;
  g_autoptr (Worker) worker = worker_new (worker_with_buffer, &is_inside);
  const JankStackCopy *copy = &jank_signal_slot.copy;
  g_autoptr (JankThread) thread = new_thread (worker);

  while (!g_atomic_int_get (&is_inside))
    g_usleep (1000);
  take (sampler, thread);
  g_assert_cmpuint (copy->n_bytes, >, 65536);
  g_assert_cmpuint (copy->n_bytes, ==, copy->base - copy->address);
  jank_signal_sampler_release (sampler);
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
TEST (masked)
{
  Facts facts = { 0 };
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0);
  g_autoptr (Worker) worker = worker_new (worker_masked, &facts);
  g_autoptr (JankThread) thread = new_thread (worker);
  const JankSignalCounts *counts = jank_signal_sampler_get_counts (sampler);

  while (!g_atomic_int_get (&facts.is_masked))
    g_usleep (500);
  for (guint i = 0; i < 20; i++)
    g_assert_cmpint (jank_signal_sampler_take (sampler, thread, NULL, NULL, 0), ==, JANK_ANSWER_NONE);
  g_assert_cmpuint (counts->n_sent, ==, 0);
  g_assert_cmpuint (counts->n_no_answer, ==, 1);
}

static void
worker_read (Worker *self, gpointer data)
{
  int *fds = data;
  char byte;

  g_assert_cmpint (read (fds[0], &byte, 1), ==, 1);
}

/* A thread that sleeps is asked, and does not notice. */
TEST (blocked)
{
  int fds[2];
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0);
  Worker *worker;
  JankThread *thread;
  JankSyscall before, after;

  g_assert_cmpint (pipe (fds), ==, 0);
  worker = worker_new (worker_read, fds);
  thread = new_thread (worker);
  await_call (thread, JANK_SYSCALL_BLOCKED, &before);
  for (guint i = 0; i < 20; i++)
    g_assert_cmpint (jank_signal_sampler_take (sampler, thread, NULL, NULL, 0), ==, JANK_ANSWER_LATE);
  jank_thread_read_syscall (thread, &after);
  g_assert_true (jank_thread_is_same_syscall (&before, &after));
  g_assert_cmpuint (jank_signal_sampler_get_counts (sampler)->n_sent, ==, 0);
  g_assert_cmpuint (jank_signal_sampler_get_counts (sampler)->n_no_answer, ==, 0);
  jank_signal_sampler_rest (sampler);
  g_assert_cmpint (write (fds[1], "", 1), ==, 1);
  jank_thread_free (thread);
  worker_free (worker);
  close (fds[0]);
  close (fds[1]);
}

static void
worker_read_and_compute (Worker *self, gpointer data)
{
  worker_read (self, data);
  worker_compute (self, NULL);
}

/* A signal that nobody handled, since the program ignored it when it came: the thread is asked again. */
TEST (lost)
{
  int fds[2];
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0);
  g_autoptr (Worker) worker = NULL;
  struct sigaction ours, ignored = { .sa_handler = SIG_IGN };
  JankThread *thread;
  JankSyscall call;

  g_assert_cmpint (pipe (fds), ==, 0);
  worker = worker_new (worker_read_and_compute, fds);
  thread = new_thread (worker);
  await_call (thread, JANK_SYSCALL_BLOCKED, &call);
  g_assert_cmpint (jank_signal_sampler_take (sampler, thread, NULL, NULL, 0), ==, JANK_ANSWER_LATE);
  g_assert_cmpint (sigaction (SIGURG, &ignored, &ours), ==, 0);
  g_assert_cmpint (write (fds[1], "", 1), ==, 1);
  await_call (thread, JANK_SYSCALL_RUNNING, &call);
  g_usleep (50000);
  g_assert_cmpint (sigaction (SIGURG, &ours, NULL), ==, 0);
  take (sampler, thread);
  jank_signal_sampler_release (sampler);
  jank_thread_free (thread);
  close (fds[0]);
  close (fds[1]);
}

typedef struct
{
  int  fds[2];
  gint may_answer; /* (atomic) */
} Held;

static void
worker_holds_signal (Worker *self, gpointer data)
{
  Held *held = data;
  sigset_t urgent;

  sigemptyset (&urgent);
  sigaddset (&urgent, SIGURG);
  pthread_sigmask (SIG_BLOCK, &urgent, NULL);
  worker_read (self, held->fds);
  while (!g_atomic_int_get (&held->may_answer))
    PROCESSOR_PAUSE ();
  pthread_sigmask (SIG_UNBLOCK, &urgent, NULL);
  worker_compute (self, NULL);
}

/* (transfer full): as the kernel sees the worker, but for its mask */
static JankThread *
new_thread_unmasked (Worker *worker, const char *tasks)
{
  static const char status[] = "Name:\tworker\nSigPnd:\t%016x\nSigBlk:\t0000000000000000\nSeccomp:\t0\n"
                               "Seccomp_filters:\t0\nvoluntary_ctxt_switches:\t1\n";
  g_autofree char *name = g_strdup_printf ("%d", (int) worker_get_info (worker)->tid);
  g_autofree char *own = g_build_filename (tasks, name, NULL), *path = g_build_filename (own, "status", NULL);
  g_autofree char *text = g_strdup_printf (status, 1u << (SIGURG - 1));

  g_assert_cmpint (g_mkdir (own, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return jank_thread_new (worker_get_info (worker), tasks);
}

/* A thread that has the signal but no CPU to handle it, here since it holds it back, is not asked anew: newer kernels
 * would drop the signal. */
TEST (on_its_way)
{
  g_autofree char *tasks = folder_new ("tasks");
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0);
  Held held = { .may_answer = 0 };
  g_autoptr (Worker) worker = NULL;
  JankThread *real, *unmasked;
  JankThreadStatus status = { 0 };
  JankSyscall call;
  gint64 asked_ns;

  g_assert_cmpint (pipe (held.fds), ==, 0);
  worker = worker_new (worker_holds_signal, &held);
  real = new_thread (worker);
  unmasked = new_thread_unmasked (worker, tasks);
  await_call (real, JANK_SYSCALL_BLOCKED, &call);
  g_assert_cmpint (jank_signal_sampler_take (sampler, unmasked, NULL, NULL, 0), ==, JANK_ANSWER_LATE);
  asked_ns = jank_signal_sampler_get_asked_ns (sampler);
  g_assert_cmpint (write (held.fds[1], "", 1), ==, 1);
  while ((status.pending_signals & 1u << (SIGURG - 1)) == 0)
    {
      g_usleep (1000);
      g_assert_true (jank_thread_read_status (real, &status));
    }
  g_assert_cmpint (jank_signal_sampler_take (sampler, unmasked, NULL, NULL, 0), ==, JANK_ANSWER_LATE);
  g_assert_cmpint (jank_signal_sampler_get_asked_ns (sampler), ==, asked_ns);
  g_atomic_int_set (&held.may_answer, 1);
  take (sampler, unmasked);
  g_assert_cmpint (jank_signal_sampler_get_asked_ns (sampler), ==, asked_ns);
  jank_signal_sampler_release (sampler);
  jank_thread_free (real);
  jank_thread_free (unmasked);
  close (held.fds[0]);
  close (held.fds[1]);
  folder_remove (tasks);
}

static void
worker_errno (Worker *self, gpointer data)
{
  Facts *facts = data;

  errno = 77;
  while (!worker_is_stopped (self))
    {
      for (guint i = 0; i < 1000; i++)
        PROCESSOR_PAUSE ();
      if (errno != 77)
        g_atomic_int_inc (&facts->n_errors);
      errno = 77;
      jank_clock_now_ns ();
    }
}

/* errno, and a signal of ours that somebody else sends, to the process or to any thread. */
TEST (harmless)
{
  Facts facts = { 0 };
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0);
  g_autoptr (Worker) worker = worker_new (worker_errno, &facts);
  g_autoptr (JankThread) thread = new_thread (worker);

  for (guint i = 0; i < N_COPIES; i++)
    {
      g_assert_cmpint (kill (getpid (), SIGURG), ==, 0);
      g_assert_cmpint (syscall (SYS_tgkill, getpid (), worker_get_info (worker)->tid, SIGURG), ==, 0);
      take (sampler, thread);
      g_assert_cmpint (syscall (SYS_tgkill, getpid (), worker_get_info (worker)->tid, SIGURG), ==, 0);
      g_assert_cmpuint (jank_signal_slot.copy.base, ==, worker_get_info (worker)->stack_base);
      g_assert_cmpint (atomic_load (&jank_signal_slot.state), ==, JANK_SLOT_DONE);
      jank_signal_sampler_release (sampler);
    }
  g_assert_cmpint (g_atomic_int_get (&facts.n_errors), ==, 0);
}

/* For about a tick. */
static void
worker_brief (Worker *self, gpointer data)
{
  gint64 until_ns = jank_clock_now_ns () + 4 * JANK_NS_PER_MS;

  while (jank_clock_now_ns () < until_ns)
    ;
}

/* Threads that end while they are asked; the next one is none the worse for it. */
TEST (exits)
{
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0);
  g_autoptr (Worker) healthy = NULL;
  JankThread *thread;
  guint n_copied = 0;

  for (guint i = 0; i < N_EXITS; i++)
    {
      g_autoptr (Worker) worker = worker_new (worker_brief, NULL);
      gint64 until_ns = jank_clock_now_ns () + 6 * JANK_NS_PER_MS;

      thread = new_thread (worker);
      while (jank_clock_now_ns () < until_ns)
        if (jank_signal_sampler_take (sampler, thread, NULL, NULL, 0) == JANK_ANSWER_COPIED)
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

typedef struct
{
  void *bytes;
  gint  is_in; /* (atomic): the call is under way, or about to be */
} LongCall;

/* Long inside the kernel, again and again. Newer C libraries' getrandom() computes outside of it. */
static void
worker_long_call (Worker *self, gpointer data)
{
  LongCall *call = data;

  while (!worker_is_stopped (self))
    {
      g_atomic_int_set (&call->is_in, 1);
      g_assert_cmpint (syscall (SYS_getrandom, call->bytes, LONG_BYTES, 0), ==, LONG_BYTES);
      g_atomic_int_set (&call->is_in, 0);
      g_usleep (50000);
    }
}

static void
await_in (LongCall *call, gboolean is_in)
{
  AWAIT (g_atomic_int_get (&call->is_in) == is_in, g_usleep (100));
}

/* A thread that is asked inside the kernel answers right behind its call. Where a stall has ended meanwhile nobody
 * wants that answer. */
TEST (late_answer)
{
  g_autofree void *bytes = g_malloc0 (LONG_BYTES);
  LongCall call = { .bytes = bytes };
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0);
  g_autoptr (Worker) worker = worker_new (worker_long_call, &call);
  g_autoptr (JankThread) thread = new_thread (worker);
  guint n_late = 0, n_forgotten = 0;

  for (guint i = 0; i < 20; i++)
    {
      gint64 ended_ns;

      await_in (&call, FALSE);
      await_in (&call, TRUE);
      if (jank_signal_sampler_take (sampler, thread, NULL, NULL, 0) == JANK_ANSWER_COPIED)
        {
          jank_signal_sampler_release (sampler);
          continue;
        }
      if (i % 2 != 0)
        jank_signal_sampler_rest (sampler);
      await_in (&call, FALSE);
      ended_ns = jank_clock_now_ns ();
      g_usleep (1000);
      if (i % 2 != 0)
        {
          g_assert_cmpint (atomic_load (&jank_signal_slot.state), ==, JANK_SLOT_EMPTY);
          n_forgotten++;
        }
      else if (jank_signal_sampler_take (sampler, thread, NULL, NULL, 0) == JANK_ANSWER_COPIED)
        {
          n_late += jank_signal_slot.entered_ns <= ended_ns;
          jank_signal_sampler_release (sampler);
        }
    }
  g_test_message ("%u late answers, %u forgotten", n_late, n_forgotten);
  g_assert_cmpuint (n_late, >=, 3);
  g_assert_cmpuint (n_forgotten, >=, 3);
}

/* The frames of a coroutine library: a page in the midst of the stack that cannot be read. */
static G_GNUC_NO_INLINE void
worker_hole (Worker *self, gpointer data)
{
  volatile guint8 bytes[5 * 4096];
  guintptr page = ((guintptr) bytes + 2 * 4096) & ~(guintptr) 4095;

  bytes[0] = 1;
  while (!worker_is_stopped (self))
    {
      g_assert_cmpint (mprotect ((void *) page, 4096, PROT_NONE), ==, 0);
      g_atomic_pointer_set ((gpointer *) data, (gpointer) page);
      for (guint i = 0; i < 20000 && !worker_is_stopped (self); i++)
        jank_clock_now_ns ();
      g_assert_cmpint (mprotect ((void *) page, 4096, PROT_READ | PROT_WRITE), ==, 0);
      for (guint i = 0; i < 20000; i++)
        jank_clock_now_ns ();
    }
}

/* It comes and goes while the thread is sampled; the copy ends before it. */
TEST (hole)
{
  gpointer page = NULL;
  g_autoptr (JankSignalSampler) sampler = jank_signal_sampler_new (0);
  g_autoptr (Worker) worker = worker_new (worker_hole, &page);
  g_autoptr (JankThread) thread = new_thread (worker);
  guint n_cut = 0;

  for (guint i = 0; i < N_COPIES; i++)
    {
      const JankStackCopy *copy = &jank_signal_slot.copy;

      take (sampler, thread);
      if (copy->address + copy->n_bytes < copy->base)
        {
          g_assert_cmpuint (copy->address + copy->n_bytes, ==, (guintptr) g_atomic_pointer_get (&page));
          n_cut++;
        }
      jank_signal_sampler_release (sampler);
    }
  g_test_message ("%u of %u copies ended at the hole", n_cut, N_COPIES);
  g_assert_cmpuint (n_cut, >=, N_COPIES / 10);
}

TESTS ("/sample/signal-sampler")
