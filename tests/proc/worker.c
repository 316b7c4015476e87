/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "worker.h"

#include <unistd.h>

#include "base/jank-clock-private.h"
#include "processor.h"

#define AWAIT_NS (20 * JANK_NS_PER_S)

struct _Worker
{
  WorkerFunc     func;
  gpointer       data;
  GThread       *thread;
  JankThreadInfo info;
  gint           started, stopped; /* (atomic) */
};

static gpointer
worker_thread (gpointer data)
{
  Worker *self = data;

  jank_thread_describe_self (&self->info);
  g_atomic_int_set (&self->started, 1);
  self->func (self, self->data);
  return NULL;
}

Worker *
worker_new (WorkerFunc func, gpointer data)
{
  Worker *self = g_new0 (Worker, 1);

  self->func = func;
  self->data = data;
  self->thread = g_thread_new ("worker", worker_thread, self);
  while (!g_atomic_int_get (&self->started))
    g_usleep (100);
  return self;
}

const JankThreadInfo *
worker_get_info (Worker *self)
{
  return &self->info;
}

gboolean
worker_is_stopped (Worker *self)
{
  return g_atomic_int_get (&self->stopped);
}

void
worker_free (Worker *self)
{
  g_atomic_int_set (&self->stopped, 1);
  g_thread_join (self->thread);
  g_free (self);
}

void
worker_compute (Worker *self, gpointer data)
{
  /* With a call now and then where a sanitizer delivers signals. */
  while (!worker_is_stopped (self))
    {
      for (guint i = 0; i < 1000; i++)
        PROCESSOR_PAUSE ();
      jank_clock_now_ns ();
    }
}

void
worker_sleep (Worker *self, gpointer data)
{
  while (!worker_is_stopped (self))
    usleep (50000);
}

void
await_call (JankThread *thread, JankSyscallKind kind, JankSyscall *ret_call)
{
  gint64 until_ns = jank_clock_now_ns () + AWAIT_NS;

  do
    {
      g_assert_cmpint (jank_clock_now_ns (), <, until_ns);
      jank_thread_read_syscall (thread, ret_call);
    }
  while (ret_call->kind != kind);
}
