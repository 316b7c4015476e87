/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-spans-private.h"

#include <glib.h>

#include "base/jank-clock-private.h"

void
jank_spans_begin (JankSpans *self)
{
  uint32_t n = atomic_load_explicit (&self->n, memory_order_relaxed);

  if (self->depth++ > 0)
    return;
  atomic_store_explicit (&self->spans[n % JANK_SPANS_MAX].ended_ns, 0, memory_order_relaxed);
  atomic_store_explicit (&self->spans[n % JANK_SPANS_MAX].began_ns, jank_clock_now_ns (), memory_order_relaxed);
  atomic_store_explicit (&self->n, n + 1, memory_order_release); /* (A) */
}

void
jank_spans_end (JankSpans *self)
{
  uint32_t last = (atomic_load_explicit (&self->n, memory_order_relaxed) - 1) % JANK_SPANS_MAX;
  int64_t now_ns = jank_clock_now_ns ();

  if (self->depth == 0 || --self->depth > 0)
    return;
  self->total_ns += now_ns - atomic_load_explicit (&self->spans[last].began_ns, memory_order_relaxed);
  atomic_store_explicit (&self->spans[last].ended_ns, now_ns, memory_order_release); /* (B) */
}

void
jank_spans_begin_anew (JankSpans *self)
{
  uint32_t last = (atomic_load_explicit (&self->n, memory_order_relaxed) - 1) % JANK_SPANS_MAX;

  atomic_store_explicit (&self->spans[last].began_ns, jank_clock_now_ns (), memory_order_relaxed);
}

int64_t
jank_spans_get (const JankSpans *self, int64_t from_ns, int64_t to_ns)
{
  uint32_t n = atomic_load_explicit (&self->n, memory_order_acquire); /* (A) */
  int64_t sum_ns = 0;

  for (uint32_t back = 1; back <= MIN (n, JANK_SPANS_MAX); back++)
    {
      uint32_t i = (n - back) % JANK_SPANS_MAX;
      int64_t ended_ns = atomic_load_explicit (&self->spans[i].ended_ns, memory_order_acquire); /* (B) */
      int64_t began_ns = atomic_load_explicit (&self->spans[i].began_ns, memory_order_relaxed);

      if (ended_ns == 0)
        ended_ns = jank_clock_now_ns ();
      if (ended_ns <= from_ns)
        break;
      sum_ns += MAX (MIN (ended_ns, to_ns) - MAX (began_ns, from_ns), 0);
    }
  return sum_ns;
}
