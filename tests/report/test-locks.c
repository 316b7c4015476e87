/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the functions of a stack say of a wait, in languages whose programs are not run here. */

#include "report-fixture.h"
#include "report/jank-report-builder-private.h"
#include "test.h"

#define ID "20261121-153012-4242-1"
#define EXE "/usr/bin/shelf"

typedef struct
{
  const char *path, *symbol, *language;
} Call;

static void
add_call (JankReport *report, JankReportStack *stack, const Call *call)
{
  JankReportCall *report_call = jank_report_call_new ();
  JankReportModule *module = jank_report_module_new ();
  guint index = report->calls->len;

  module->path = g_strdup (call->path);
  report_call->module = (gint) report->modules->len;
  report_call->symbol = g_strdup (call->symbol);
  report_call->language = g_strdup (call->language);
  g_ptr_array_add (report->modules, module);
  g_ptr_array_add (report->calls, report_call);
  g_array_append_val (stack->calls, index);
}

/* calls: innermost first, until one without a symbol. Returns: (transfer full): the kind of lock that was a futex of
 * kind */
static char *
find_kind (const char *kind, const Call *calls)
{
  g_autoptr (JankReport) report = report_fixture_new_bare (ID);
  JankReportStack *stack = jank_report_stack_new ();
  JankReportSample *sample = jank_report_sample_new ();

  for (guint i = 0; calls[i].symbol != NULL; i++)
    add_call (report, stack, &calls[i]);
  sample->stack = (gint) report->stacks->len;
  sample->wait = jank_report_wait_new ();
  sample->wait->lock.kind = g_strdup (kind);
  g_ptr_array_add (report->stacks, stack);
  g_ptr_array_add (report->samples, sample);
  jank_report_name_locks (report);
  return g_strdup (sample->wait->lock.kind);
}

#define LIBC "/usr/lib/x86_64-linux-gnu/libc.so.6"
#define GLIB "/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0.7400.6"
#define CXX "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"
#define THREADING "/usr/lib/python3.11/threading.py"

static const struct { const char *kind, *expected; Call calls[8]; } cases[] = {
  { "unknown", "channel", { { LIBC, "syscall" }, { EXE, "_ZN3std6thread4park17h0123456789abcdefE" },
    { EXE, "_ZN3std4sync4mpmc4list16Channel$LT$T$GT$4recv17h0123456789abcdefE" },
    { EXE, "_ZN5shelf4main17h0123456789abcdefE" } } },
  { "unknown", "channel", { { LIBC, "syscall" },
    { EXE, "_RNvMs_NtNtNtCsjrHSEGnQ3l9_3std4sync4mpsc8Receiver4recv" }, { EXE, "_RNvCs1_5shelf4main" } } },
  { "unknown", "channel", { { LIBC, "syscall" }, { EXE, "_ZN3std6thread4park17h0123456789abcdefE" },
    { EXE, "_ZN17crossbeam_channel7channel17Receiver$LT$T$GT$4recv17h0123456789abcdefE" }, { EXE, "shelf::main" } } },
  { "unknown", "Mutex", { { LIBC, "syscall" },
                          { EXE, "_ZN3std3sys4sync5mutex5futex5Mutex14lock_contended17h0123456789abcdefE" },
    { EXE, "_ZN3std4sync6poison5mutex14Mutex$LT$T$GT$4lock17h0123456789abcdefE" },
    { EXE, "_ZN5shelf4main17h0123456789abcdefE" } } },
  { "unknown", "RwLock", { { LIBC, "syscall" },
    { EXE, "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync6rwlock5futexNtB2_6RwLock15write_contended" },
    { EXE, "_RNvCs1_5shelf4main" } } },
  { "unknown", "RwLock", { { LIBC, "syscall" },
    { EXE, "_ZN11parking_lot10raw_rwlock9RawRwLock19lock_exclusive_slow17h0123456789abcdefE" },
    { EXE, "_ZN5shelf4main17h0123456789abcdefE" } } },
  { "unknown", "Condvar", { { LIBC, "syscall" },
    { EXE, "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync7condvar5futexNtB2_7Condvar4wait" },
    { EXE, "_RNvCs1_5shelf4main" } } },
  { "unknown", "future", { { LIBC, "syscall" }, { EXE, "_ZN3std6thread4park17h0123456789abcdefE" },
    { EXE, "_ZN16futures_executor10local_pool8block_on17h0123456789abcdefE" },
    { EXE, "_ZN5shelf4main17h0123456789abcdefE" } } },
  /* A function of the program with a name like it. */
  { "unknown", "unknown", { { LIBC, "syscall" }, { EXE, "_ZN5shelf4main17h0123456789abcdefE" },
    { EXE, "_ZN3std3sys4sync7condvar5futex7Condvar4wait17h0123456789abcdefE" } } },
  { "unknown", "unknown", { { LIBC, "syscall" }, { EXE, "_ZN3std6thread4park17h0123456789abcdefE" },
    { EXE, "_ZN5shelf4main17h0123456789abcdefE" } } },
  { "unknown", "future", { { LIBC, "syscall" },
    { CXX, "_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEE" },
    { EXE, "main" } } },
  { "unknown", "atomic", { { LIBC, "syscall" }, { EXE, "_ZNSt8__detail15__platform_waitIiEEvPKT_i" },
    { EXE, "_ZNKSt13__atomic_baseIiE4waitEiSt12memory_order" }, { EXE, "main" } } },
  { "unknown", "barrier", { { LIBC, "syscall" }, { EXE, "_ZNSt8__detail15__platform_waitIiEEvPKT_i" },
    { EXE, "_ZNKSt5latch4waitEv" }, { EXE, "main" } } },
  { "unknown", "sem", { { LIBC, "syscall" }, { EXE, "_ZNSt8__detail15__platform_waitIiEEvPKT_i" },
    { EXE, "_ZNSt18__atomic_semaphore10_M_acquireEv" }, { EXE, "main" } } },
  /* The queue's own lock is no item. */
  { "GMutex", "GMutex", { { LIBC, "syscall" }, { GLIB, "g_mutex_lock" }, { GLIB, "g_async_queue_pop" },
                          { EXE, "main" } } },
  { "GCond", "queue", { { LIBC, "syscall" }, { GLIB, "g_cond_wait" }, { GLIB, "g_async_queue_pop" },
                        { EXE, "main" } } },
  /* What the program waits for itself, called from a queue's thread. */
  { "GCond", "GCond", { { LIBC, "syscall" }, { GLIB, "g_cond_wait" }, { EXE, "wait_for_disk" },
                        { GLIB, "g_thread_pool_free" } } },
  { "sem", "event", { { LIBC, "sem_wait" }, { EXE, "_thread.lock.acquire" }, { THREADING, "Condition.wait", "python" },
    { THREADING, "Event.wait", "python" }, { "/srv/shelf.py", "load", "python" },
    { THREADING, "Thread.join", "python" } } },
  /* An event's own lock. */
  { "sem", "threading.Lock", { { LIBC, "sem_wait" }, { "/usr/bin/python3.11", "_thread.lock.acquire" },
    { THREADING, "Condition.__enter__", "python" }, { THREADING, "Event.wait", "python" } } },
  { "GIL", "GIL", { { LIBC, "sem_wait" }, { THREADING, "Event.wait", "python" } } },
};

TEST (kinds)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *kind = find_kind (cases[i].kind, cases[i].calls);

      g_test_message ("%u: %s", i, kind);
      g_assert_cmpstr (kind, ==, cases[i].expected);
    }
}

TESTS ("/report/locks")
