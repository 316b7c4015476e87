/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "observe/jank-own-time-private.h"

#include "base/jank-clock-private.h"

static uint32_t
get_newest (const JankOwnTime *self)
{
  return (atomic_load_explicit (&self->n_spans, memory_order_relaxed) - 1) % JANK_OWN_TIME_N_SPANS;
}

void
jank_own_time_begin (JankOwnTime *self)
{
  uint32_t n = atomic_load_explicit (&self->n_spans, memory_order_relaxed), i = n % JANK_OWN_TIME_N_SPANS;

  if (self->depth++ > 0)
    return;
  atomic_store_explicit (&self->spans[i].ended_ns, 0, memory_order_relaxed);
  atomic_store_explicit (&self->spans[i].began_ns, jank_clock_now_ns (), memory_order_relaxed);
  atomic_store_explicit (&self->n_spans, n + 1, memory_order_release); /* (A) */
}

void
jank_own_time_end (JankOwnTime *self)
{
  uint32_t i = get_newest (self);
  int64_t now_ns = jank_clock_now_ns ();

  if (self->depth == 0 || --self->depth > 0)
    return;
  self->total_ns += now_ns - atomic_load_explicit (&self->spans[i].began_ns, memory_order_relaxed);
  atomic_store_explicit (&self->spans[i].ended_ns, now_ns, memory_order_release); /* (B) */
}

void
jank_own_time_begin_rest (JankOwnTime *self, bool sure)
{
  if (!self->is_rest)
    {
      self->is_rest = true;
      self->is_sure = false;
      jank_own_time_begin (self);
    }
  self->is_sure |= sure;
}

void
jank_own_time_end_rest (JankOwnTime *self)
{
  if (!self->is_sure && self->depth == 1)
    atomic_store_explicit (&self->spans[get_newest (self)].began_ns, jank_clock_now_ns (), memory_order_relaxed);
  self->is_rest = false;
  jank_own_time_end (self);
}

int64_t
jank_own_time_get (const JankOwnTime *self, int64_t from_ns, int64_t to_ns)
{
  uint32_t n = atomic_load_explicit (&self->n_spans, memory_order_acquire); /* (A) */
  int64_t sum_ns = 0;

  for (uint32_t back = 1; back <= n && back <= JANK_OWN_TIME_N_SPANS; back++)
    {
      uint32_t i = (n - back) % JANK_OWN_TIME_N_SPANS;
      int64_t ended_ns = atomic_load_explicit (&self->spans[i].ended_ns, memory_order_acquire); /* (B) */
      int64_t began_ns = atomic_load_explicit (&self->spans[i].began_ns, memory_order_relaxed);

      if (ended_ns == 0)
        ended_ns = jank_clock_now_ns ();
      if (ended_ns <= from_ns)
        break;
      ended_ns = ended_ns < to_ns ? ended_ns : to_ns;
      began_ns = began_ns > from_ns ? began_ns : from_ns;
      sum_ns += ended_ns > began_ns ? ended_ns - began_ns : 0;
    }
  return sum_ns;
}
