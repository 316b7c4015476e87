/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "look.h"

#include <sys/syscall.h>

#include "base/jank-clock-private.h"
#include "sample/jank-blocked-sampler-private.h"
#include "unwind/jank-unwinder-private.h"
#include "processor.h"

#define PATIENCE_NS (60 * JANK_NS_PER_S)

/* One for all looks: what it remembers of code stays true. */
static JankCodeMap *map;
static JankUnwinder *unwinder;
static JankStackCopy *copy;

static gboolean
read_stack (JankThread *thread, Look *look)
{
  g_autoptr (JankStack) stack = NULL;

  if (map == NULL)
    {
      map = jank_code_map_new ();
      unwinder = jank_unwinder_new (map);
      copy = g_new0 (JankStackCopy, 1);
    }
  if (!jank_blocked_sampler_take (thread, &look->call, NULL, NULL, copy, NULL))
    return FALSE;
  stack = jank_unwinder_run (unwinder, copy);
  if (stack == NULL)
    return FALSE;
  look->n_calls = stack->n_calls;
  memcpy (look->calls, stack->calls, stack->n_calls * sizeof stack->calls[0]);
  return TRUE;
}

static JankWait *
take_wait (JankThread *thread, Look *look)
{
  g_autoptr (JankWait) wait = NULL;
  gint64 began_ns = jank_clock_now_ns ();
  JankSyscall again;

  wait = jank_wait_new (&look->call, jank_thread_get_info (thread)->tid, look->calls, look->n_calls);
  look->wait_ns = jank_clock_now_ns () - began_ns;
  jank_thread_read_syscall (thread, &again);
  return jank_thread_is_same_syscall (&look->call, &again) ? g_steal_pointer (&wait) : NULL;
}

/* GLib polls with ppoll() from 2.81 on. */
static gboolean
is_wanted (glong number, glong wanted)
{
  return number == wanted || wanted == -2 || (number == SYS_ppoll && wanted == SYS_poll);
}

JankWait *
look_at (Worker *worker, glong syscall_number, Look *ret_look)
{
  JankThread *thread = jank_thread_new (worker_get_info (worker), WORKER_TASKS);
  g_autofree Look *look = g_new0 (Look, 1);
  gint64 until_ns = jank_clock_now_ns () + PATIENCE_NS;
  JankWait *wait = NULL;

  while (wait == NULL && jank_clock_now_ns () < until_ns)
    {
      jank_thread_read_syscall (thread, &look->call);
      if (look->call.kind == JANK_SYSCALL_BLOCKED && is_wanted (look->call.number, syscall_number) &&
          read_stack (thread, look))
        wait = take_wait (thread, look);
      else
        g_usleep (200);
    }
  jank_thread_free (thread);
  if (wait != NULL && ret_look != NULL)
    *ret_look = *look;
  return wait;
}

JankWait *
look_again (Worker *worker, const Look *look)
{
  JankThread *thread = jank_thread_new (worker_get_info (worker), WORKER_TASKS);
  g_autofree Look *now = g_memdup2 (look, sizeof *look);
  JankWait *wait = take_wait (thread, now);

  jank_thread_free (thread);
  return wait;
}
