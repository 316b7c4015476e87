/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "observe/jank-work-log-private.h"

#include <stdlib.h>
#include <string.h>

#include "base/jank-clock-private.h"
#include "base/jank-order-private.h"

/* Where a short one may join an entry: among the newest, not older than that. */
#define N_NEWEST 4
#define JOIN_NS  (4 * JANK_NS_PER_MS)

/* Of the oldest, which the observed thread may be about to overwrite. */
#define N_LEFT_OUT 16

static bool
jank_work_log_join (JankWorkLog *self, uint32_t n, uint32_t row, int64_t began_ns, int64_t took_ns)
{
  for (uint32_t back = 1; back <= N_NEWEST && back <= n; back++)
    {
      uint32_t i = (n - back) % JANK_WORK_LOG_SIZE;
      int64_t total_ns = atomic_load_explicit (&self->works[i].total_ns, memory_order_relaxed);

      if (began_ns - atomic_load_explicit (&self->works[i].began_ns, memory_order_relaxed) >= JOIN_NS)
        return false;
      if (total_ns >= JANK_WORK_LONG_NS || atomic_load_explicit (&self->works[i].row, memory_order_relaxed) != row)
        continue;
      atomic_store_explicit (&self->works[i].total_ns, total_ns + took_ns, memory_order_relaxed);
      atomic_store_explicit (&self->works[i].count,
                             atomic_load_explicit (&self->works[i].count, memory_order_relaxed) + 1,
                             memory_order_relaxed);
      return true;
    }
  return false;
}

void
jank_work_log_add (JankWorkLog *self, uint32_t row, int64_t began_ns, int64_t took_ns)
{
  uint32_t n = atomic_load_explicit (&self->n, memory_order_relaxed), i = n % JANK_WORK_LOG_SIZE;

  if (took_ns < JANK_WORK_LONG_NS && jank_work_log_join (self, n, row, began_ns, took_ns))
    return;
  atomic_store_explicit (&self->works[i].began_ns, began_ns, memory_order_relaxed);
  atomic_store_explicit (&self->works[i].total_ns, took_ns, memory_order_relaxed);
  atomic_store_explicit (&self->works[i].row, row, memory_order_relaxed);
  atomic_store_explicit (&self->works[i].count, 1, memory_order_relaxed);
  /* Pairs with the acquire in jank_work_log_sum(). */
  atomic_store_explicit (&self->n, n + 1, memory_order_release);
}

static void
jank_work_log_count (JankWork *work, uint32_t count, int64_t total_ns)
{
  int64_t longest_ns = count > 0 ? total_ns / count : 0;

  work->count += count;
  work->total_ns += total_ns;
  if (longest_ns > work->longest_ns)
    work->longest_ns = longest_ns;
}

JANK_ORDER_FALLING (jank_work_log_compare, JankWork, ->total_ns)

/* One entry. n_back 1 is the newest. */
static void
jank_work_log_load (const JankWorkLog *self, uint32_t n, uint32_t n_back, JankWork *ret_work)
{
  uint32_t i = (n - n_back) % JANK_WORK_LOG_SIZE;

  *ret_work = (JankWork) {
    .row = atomic_load_explicit (&self->works[i].row, memory_order_relaxed),
    .began_ns = atomic_load_explicit (&self->works[i].began_ns, memory_order_relaxed),
  };
  jank_work_log_count (ret_work, atomic_load_explicit (&self->works[i].count, memory_order_relaxed),
                       atomic_load_explicit (&self->works[i].total_ns, memory_order_relaxed));
}

static uint32_t
jank_work_log_get_n_kept (uint32_t n)
{
  return n < JANK_WORK_LOG_SIZE - N_LEFT_OUT ? n : JANK_WORK_LOG_SIZE - N_LEFT_OUT;
}

unsigned
jank_work_log_sum (const JankWorkLog *self, int64_t from_ns, int64_t to_ns, bool is_over, JankWork *works)
{
  uint32_t n = atomic_load_explicit (&self->n, memory_order_acquire), n_kept = jank_work_log_get_n_kept (n);
  unsigned n_works = 0;

  for (uint32_t back = 1; back <= n_kept; back++)
    {
      JankWork work;
      unsigned k = 0;

      jank_work_log_load (self, n, back, &work);
      if (work.began_ns < from_ns || work.began_ns + (is_over ? work.total_ns : 0) >= to_ns)
        continue;
      while (k < n_works && works[k].row != work.row)
        k++;
      if (k == JANK_MAX_WORKS)
        continue;
      if (k == n_works)
        works[n_works++] = (JankWork) { .row = work.row };
      jank_work_log_count (&works[k], work.count, work.total_ns);
    }
  qsort (works, n_works, sizeof *works, jank_work_log_compare);
  return n_works;
}

/* Dispatches that share an entry lie anywhere in the time in which one can join it. */
bool
jank_work_log_find (const JankWorkLog *self, int64_t at_ns, uint32_t *ret_row)
{
  uint32_t n = atomic_load_explicit (&self->n, memory_order_acquire), n_kept = jank_work_log_get_n_kept (n);
  bool is_found = false;

  for (uint32_t back = 1; back <= n_kept; back++)
    {
      JankWork work;

      jank_work_log_load (self, n, back, &work);
      if (at_ns < work.began_ns ||
          at_ns >= work.began_ns + (work.count > 1 ? JOIN_NS + JANK_WORK_LONG_NS : work.total_ns))
        continue;
      if (is_found && work.row != *ret_row)
        return false;
      *ret_row = work.row;
      is_found = true;
    }
  return is_found;
}

unsigned
jank_work_log_list (const JankWorkLog *self, int64_t from_ns, int64_t to_ns, JankWork *works)
{
  uint32_t n = atomic_load_explicit (&self->n, memory_order_acquire), n_kept = jank_work_log_get_n_kept (n);
  unsigned n_works = 0;

  for (uint32_t back = 1; back <= n_kept && n_works < JANK_MAX_WORKS; back++)
    {
      JankWork *work = &works[JANK_MAX_WORKS - 1 - n_works];

      jank_work_log_load (self, n, back, work);
      if (work->began_ns < from_ns)
        break;
      n_works += work->began_ns < to_ns;
    }
  memmove (works, works + JANK_MAX_WORKS - n_works, n_works * sizeof *works);
  return n_works;
}
