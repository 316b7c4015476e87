/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a futex is waited on for: a semaphore or condition says little, the function that uses it for a queue, a
 * future or the end of a thread says all. One row a function. */

#include "report/jank-report-builder-private.h"

#include <string.h>

/* Part of the path of the function's file; its name, or a part of that between two "*", or the beginning before one;
 * the kind of lock that it makes of the wait. Of functions that call each other the outermost counts. */
static const struct { const char *file, *function, *kind; } functions[] = {
  { "/libglib-2.0.so", "g_async_queue_*", "queue" },
  { "/libglib-2.0.so", "g_thread_pool_free", "pool" },
  { "/libgio-2.0.so", "g_task_run_in_thread_sync", "task" },
  { "/libgio-2.0.so", "g_resolver_lookup_*", "resolver" },
  { "/libstdc++.so", "_ZNSt28__atomic_futex_unsigned_base*", "future" },
  { "", "*St5latch*", "barrier" },
  { "", "*14__tree_barrier*", "barrier" },
  { "", "*18__atomic_semaphore*", "sem" },
  { "", "*15__platform_wait*", "atomic" },
  { "", "*3std4sync4mpmc*", "channel" },
  { "", "*3std4sync4mpsc*", "channel" },
  { "", "*17crossbeam_channel*", "channel" },
  { "", "*5Mutex14lock_contended*", "Mutex" },
  { "", "*8RawMutex9lock_slow*", "Mutex" },
  { "", "*6RwLock14read_contended*", "RwLock" },
  { "", "*6RwLock15write_contended*", "RwLock" },
  { "", "*10raw_rwlock9RawRwLock*", "RwLock" },
  { "", "*7condvar*", "Condvar" },
  { "", "*13futex_condvar*", "Condvar" },
  { "", "*4Once4call*", "once" },
  { "", "*8block_on*", "future" },
  { "", "_thread.lock.acquire", "threading.Lock" },
  { "python3", "lock_PyThread_acquire_lock", "threading.Lock" },
  { "", "_thread.RLock.acquire", "threading.RLock" },
  { "python3", "rlock_acquire", "threading.RLock" },
  { "", "_queue.SimpleQueue.get", "queue" },
  { "/threading.py", "Condition.wait", "Condition" },
  { "/threading.py", "Condition.wait_for", "Condition" },
  { "/threading.py", "Semaphore.acquire", "sem" },
  { "/threading.py", "Barrier.*", "barrier" },
  { "/threading.py", "Event.wait", "event" },
  { "/threading.py", "Thread.start", "start" },
  { "/threading.py", "Thread.join", "join" },
  { "/threading.py", "_shutdown", "join" },
  { "/threading.py", "Thread._wait_for_tstate_lock", "join" },
  { "/queue.py", "Queue.get", "queue" },
  { "/queue.py", "Queue.put", "full queue" },
  { "/queue.py", "Queue.join", "pool" },
  { "/concurrent/futures/_base.py", "Future.*", "future" },
  { "/concurrent/futures/_base.py", "wait", "future" },
  { "/concurrent/futures/_base.py", "as_completed", "future" },
  { "/multiprocessing/pool.py", "ApplyResult.*", "future" },
  { "/multiprocessing/pool.py", "IMapIterator.next", "future" },
};

static gboolean
jank_report_build_locks_is_name (const char *symbol, const char *wanted)
{
  gsize n = strlen (wanted);

  if (wanted[0] == '*')
    {
      g_autofree char *part = g_strndup (wanted + 1, n - 2);

      return strstr (symbol, part) != NULL;
    }
  return wanted[n - 1] == '*' ? strncmp (symbol, wanted, n - 1) == 0 : strcmp (symbol, wanted) == 0;
}

/* Returns: (nullable) */
static const char *
jank_report_build_locks_find_kind (JankReport *report, const JankReportCall *call)
{
  const JankReportModule *module = jank_report_get_module (report, call);
  const char *path = module != NULL && module->path != NULL ? module->path : "";

  for (guint i = 0; call->symbol != NULL && i < G_N_ELEMENTS (functions); i++)
    if (strstr (path, functions[i].file) != NULL &&
        jank_report_build_locks_is_name (call->symbol, functions[i].function))
      return functions[i].kind;
  return NULL;
}

/* Python's functions take locks of their own before they wait: the innermost one must be known to wait.
 * Returns: (nullable) */
static const char *
jank_report_build_locks_look (JankReport *report, const JankReportStack *stack)
{
  const char *found = NULL;
  gboolean is_script = FALSE;

  for (guint i = 0; i < stack->calls->len; i++)
    {
      const JankReportCall *call = jank_report_get_call (report, (gint) g_array_index (stack->calls, guint, i));
      const char *kind = jank_report_build_locks_find_kind (report, call);

      if (kind == NULL && (jank_report_is_own (report, call, NULL) || (call->language != NULL && !is_script)))
        break;
      is_script |= call->language != NULL;
      if (kind != NULL)
        found = kind;
    }
  return found;
}

static void
jank_report_build_locks_name (JankReport *report, JankReportWait *wait, gint stack)
{
  static const char *const known[] = { "unknown", "sem", "cond", "GCond", NULL };
  const char *kind;

  if (wait == NULL || stack == JANK_REPORT_NO_INDEX || wait->lock.kind == NULL ||
      !g_strv_contains (known, wait->lock.kind))
    return;
  kind = jank_report_build_locks_look (report, jank_report_get_stack (report, stack));
  if (kind == NULL)
    return;
  g_free (wait->lock.kind);
  wait->lock.kind = g_strdup (kind);
}

void
jank_report_name_locks (JankReport *report)
{
  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = jank_report_get_sample (report, i);

      jank_report_build_locks_name (report, sample->wait, sample->stack);
    }
  JANK_EACH (const JankReportThread, thread, report->threads)
    jank_report_build_locks_name (report, thread->wait, thread->stack);
}
