/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "observe/jank-busy-log-private.h"

void
jank_busy_log_begin (JankBusyLog *self, int64_t now_ns)
{
  uint32_t i = self->n_periods++ % JANK_BUSY_LOG_SIZE;

  self->periods[i].began_ns = now_ns;
  self->periods[i].before_ns = self->total_ns;
  if (now_ns - self->sparse_ns >= JANK_BUSY_LOG_SPARSE_NS)
    {
      self->sparse[self->n_sparse++ % JANK_BUSY_LOG_SPARSE] = self->periods[i];
      self->sparse_ns = now_ns;
    }
  self->busy = true;
}

void
jank_busy_log_end (JankBusyLog *self, int64_t now_ns)
{
  if (self->busy)
    self->total_ns += now_ns - self->periods[(self->n_periods - 1) % JANK_BUSY_LOG_SIZE].began_ns;
  self->busy = false;
}

/* In a ring of size marks, n of which were ever made. *after_ns: busy time before the first mark behind the ring's
 * newest; becomes that before its oldest. Returns: busy time from the beginning of the log to at_ns; -1: at_ns is
 * before the ring */
static int64_t
jank_busy_log_find (const JankBusyMark *ring, uint32_t size, uint32_t n, int64_t at_ns, bool is_open, int64_t *after_ns)
{
  for (uint32_t back = 1; back <= (n < size ? n : size); back++)
    {
      const JankBusyMark *mark = &ring[(n - back) % size];
      int64_t passed_ns = at_ns - mark->began_ns, length_ns = *after_ns - mark->before_ns;

      if (passed_ns >= 0)
        return mark->before_ns + (is_open || passed_ns < length_ns ? passed_ns : length_ns);
      *after_ns = mark->before_ns;
      is_open = false;
    }
  return -1;
}

/* Busy time from the beginning of the log to at_ns. */
static int64_t
jank_busy_log_get_until (const JankBusyLog *self, int64_t at_ns)
{
  int64_t oldest_ns = self->total_ns, after_ns = self->total_ns; /* with the period that is looked at */
  int64_t until_ns = jank_busy_log_find (self->periods, JANK_BUSY_LOG_SIZE, self->n_periods, at_ns, self->busy,
                                         &oldest_ns);

  /* Of the turns between two marks, the busy time counts as first. */
  if (until_ns < 0)
    until_ns = jank_busy_log_find (self->sparse, JANK_BUSY_LOG_SPARSE, self->n_sparse, at_ns, false, &after_ns);
  return until_ns >= 0 ? until_ns : oldest_ns < after_ns ? oldest_ns : after_ns;
}

int64_t
jank_busy_log_get (const JankBusyLog *self, int64_t from_ns, int64_t to_ns)
{
  return to_ns > from_ns ? jank_busy_log_get_until (self, to_ns) - jank_busy_log_get_until (self, from_ns) : 0;
}
