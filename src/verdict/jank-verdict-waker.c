/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who probably is to wake a thread that waits for a lock or signal without a known owner: a guess by the threads' list,
 * and the verdict says so. */

#include "verdict/jank-verdict-private.h"

#include <string.h>

#include "verdict/jank-merged-waits-private.h"

/* A thread that is left alone may be woken by another process through GIO's threads; after this time it is not. */
#define LEAST_ALONE_NS JANK_NS_PER_S

static gboolean
jank_verdict_is_one_of (const char *text, const char *const *all)
{
  return text != NULL && g_strv_contains (all, text);
}

/* GIO's own threads, and workers that wait for work, do not wake others. */
static gboolean
jank_verdict_is_at_work (const JankReportThread *thread)
{
  static const char *const names[] = { "gmain", "gdbus", "dconf worker", NULL };
  static const char *const kinds[] = { "wake", "poll", NULL };

  return !thread->observed && !jank_verdict_is_one_of (thread->name, names) &&
         (thread->wait == NULL || (!jank_verdict_is_one_of (thread->wait->kind, kinds) &&
                                   (thread->wait->lock.kind == NULL || thread->wait->lock.owner > 0)));
}

/* One with the program's functions, or all that are in the same; else the only one that is at work.
 * ret_n (out): how many are. Returns: (nullable): none stands out */
static const JankReportThread *
jank_verdict_find_candidate (JankReport *report, guint *ret_n)
{
  const JankReportThread *own = NULL, *other = NULL;
  guint n_others = 0;
  gboolean differ = FALSE;

  for (guint i = 0; i < report->threads->len; i++)
    {
      const JankReportThread *thread = g_ptr_array_index (report->threads, i);

      if (!jank_verdict_is_at_work (thread))
        continue;
      ++*ret_n;
      n_others += thread->function == NULL;
      differ |= own != NULL && thread->function != NULL && strcmp (own->function, thread->function) != 0;
      *(thread->function != NULL ? &own : &other) = thread;
    }
  if (own != NULL)
    return differ ? NULL : own;
  return n_others == 1 && (other->wait != NULL || other->state == JANK_STATE_COMPUTING) ? other : NULL;
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
  static const char *const others[] = { "GIL", "once", "start", "resolver", "join", NULL };
  static const char *const locks[] =
      { "mutex", "rwlock", "GMutex", "GRWLock", "Mutex", "RwLock", "threading.Lock", "threading.RLock", NULL };
  const JankReportWait *wait = jank_report_verdict_get_wait (verdict, verdict->wait);
  const JankReportThread *waiter = report->threads->len > 0 ? g_ptr_array_index (report->threads, 0) : NULL, *found;
  guint n = 0;

  if (wait == NULL || wait->lock.kind == NULL || waiter == NULL || !waiter->observed || waiter->wait == NULL ||
      waiter->wait->lock.address != wait->lock.address || jank_verdict_is_one_of (wait->lock.kind, others) ||
      (wait->lock.owner > 0 && wait->lock.owner != waiter->tid))
    return;
  found = wait->lock.owner <= 0 ? jank_verdict_find_candidate (report, &n) : NULL;
  if (found != NULL)
    {
      verdict->waker.tid = found->tid;
      verdict->waker.function = g_strdup (found->function);
      verdict->waker.file = g_strdup (found->file);
      verdict->waker.line = found->line;
    }
  else if (n == 0 && jank_verdict_is_one_of (wait->lock.kind, locks))
    jank_verdict_set_taker (report, verdict, waiter);
  else
    verdict->waker.alone = n == 0 && report->stall.duration_ns >= LEAST_ALONE_NS;
}
