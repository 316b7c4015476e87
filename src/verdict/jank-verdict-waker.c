/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who probably is to wake a thread that waits for a lock or signal without a known owner: a guess by the threads' list,
 * and the verdict says so. */

#include "verdict/jank-verdict-private.h"

#include "verdict/jank-merged-waits-private.h"

/* A thread that is left alone may be woken by another process through GIO's threads; after this time it is not. */
#define LEAST_ALONE_NS JANK_NS_PER_S
/* The first sample of a wait comes so late at the most. */
#define LATE_NS        (50 * JANK_NS_PER_MS)

static gboolean
jank_verdict_waits_for (const JankReportThread *thread, const char *kind)
{
  return thread->wait != NULL && g_strcmp0 (thread->wait->kind, kind) == 0;
}

/* Workers that wait for work do not wake others. */
static gboolean
jank_verdict_is_at_work (const JankReportThread *thread)
{
  return !jank_verdict_waits_for (thread, "wake") && !jank_verdict_waits_for (thread, "poll") &&
         (thread->wait == NULL || thread->wait->lock.kind == NULL || thread->wait->lock.owner > 0);
}

/* Whether another thread has ended the wait, and not its limit. */
static gboolean
jank_verdict_was_woken (JankReport *report, const JankReportWait *wait)
{
  gint64 limit_ns = G_MAXINT64;
  gboolean has_run = FALSE;

  for (guint i = 1; i < report->threads->len; i++)
    has_run |= ((const JankReportThread *) g_ptr_array_index (report->threads, i))->stall_cpu_ns != 0;
  for (guint i = report->samples->len; i-- > 0;)
    {
      const JankReportSample *sample = jank_report_get_sample (report, i);

      if (sample->wait != NULL && sample->wait->lock.address == wait->lock.address && sample->wait->timeout_ns >= 0)
        limit_ns = sample->at_ns + sample->wait->timeout_ns;
    }
  return has_run && report->stall.outcome == JANK_OUTCOME_RECOVERED && limit_ns > report->stall.duration_ns + LATE_NS;
}

/* Whoever has not run since the threads were read has woken nobody, and whoever was about as busy before is innocent.
 * As long as nobody was woken, a thread that sleeps may still be to do so, unless it has slept all the time. */
static gboolean
jank_verdict_is_suspect (const JankReportThread *thread, gboolean was_woken)
{
  if (thread->stall_cpu_ns > 0 && (was_woken || jank_verdict_is_at_work (thread)))
    return 3 * thread->before_share < thread->share || thread->before_share > 20 * thread->share;
  return jank_verdict_is_at_work (thread) &&
         (was_woken ? thread->stall_cpu_ns < 0 : thread->before_share < 0 || jank_verdict_waits_for (thread, "file"));
}

/* The only one that may be it, or all in the same function of the program. ret_n (out): how many are at work, or may
 * hear of something. Returns: (nullable): none stands out */
static const JankReportThread *
jank_verdict_find_candidate (JankReport *report, gboolean was_woken, guint *ret_n)
{
  const JankReportThread *found = NULL;
  gboolean differ = FALSE;

  JANK_EACH (const JankReportThread, thread, report->threads)
    {
      if (thread->observed || jank_report_is_thread_of_platform (thread->name))
        continue;
      *ret_n += jank_verdict_is_at_work (thread) || jank_verdict_waits_for (thread, "poll");
      if (!jank_verdict_is_suspect (thread, was_woken))
        continue;
      differ |= !jank_verdict_is_at_work (thread) ||
                (thread->wait == NULL && thread->state != JANK_STATE_COMPUTING) ||
                (found != NULL && (found->function == NULL || g_strcmp0 (found->function, thread->function) != 0));
      found = thread;
    }
  return differ ? NULL : found;
}

/* What called the function that waits, in the same dispatch. */
static void
jank_verdict_set_taker (JankReport *report, JankReportVerdict *verdict, const JankReportThread *waiter)
{
  const JankReportStack *stack = jank_report_get_stack (report, waiter->stack);
  gint inner = JANK_REPORT_NO_INDEX;
  guint inner_at = 0;

  verdict->waker.tid = waiter->tid;
  for (guint i = 0; stack != NULL && i < stack->calls->len; i++)
    {
      gint at = g_array_index (stack->calls, gint, i);
      const JankReportCall *call = jank_report_get_call (report, at);

      if (jank_verdict_is_dispatch (report, call))
        return;
      if (!jank_report_is_own (report, call, NULL))
        continue;
      if (inner == JANK_REPORT_NO_INDEX || jank_report_same_function (report, (guint) inner, (guint) at))
        {
          inner = at;
          inner_at = i;
          continue;
        }
      verdict->waker.function = jank_report_call_to_text (report, (guint) at);
      verdict->waker.file = g_strdup (call->file);
      verdict->waker.line = call->line;
      verdict->waker.direct = i == inner_at + 1;
      return;
    }
}

void
jank_verdict_find_waker (JankReport *report, JankReportVerdict *verdict)
{
  static const char *const others[] = { "GIL", "once", "start", "resolver", "join", "mutex", "threading.RLock", NULL };
  static const char *const locks[] =
      { "rwlock", "GMutex", "GRWLock", "Mutex", "RwLock", "threading.Lock", NULL }; /* without an owner of their own */
  const JankReportWait *wait = jank_report_verdict_get_wait (verdict, verdict->wait);
  const JankReportThread *waiter = report->threads->len > 0 ? g_ptr_array_index (report->threads, 0) : NULL, *found;
  gboolean was_woken;
  guint n = 0;

  if (wait == NULL || wait->lock.kind == NULL || waiter == NULL || !waiter->observed || waiter->wait == NULL ||
      waiter->wait->lock.address != wait->lock.address ||
      (wait->lock.owner > 0 ? wait->lock.owner != waiter->tid : g_strv_contains (others, wait->lock.kind)))
    return;
  was_woken = wait->lock.owner <= 0 && jank_verdict_was_woken (report, wait);
  found = wait->lock.owner <= 0 ? jank_verdict_find_candidate (report, was_woken, &n) : NULL;
  if (found != NULL)
    {
      verdict->waker.tid = found->tid;
      verdict->waker.function = g_strdup (found->function);
      verdict->waker.file = g_strdup (found->file);
      verdict->waker.line = found->line;
    }
  else if (n > 0 || was_woken)
    return;
  else if (wait->lock.owner > 0 || g_strv_contains (locks, wait->lock.kind))
    jank_verdict_set_taker (report, verdict, waiter);
  else
    verdict->waker.alone = report->stall.duration_ns >= LEAST_ALONE_NS;
}
