/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "observe/jank-busy-log-private.h"

void
jank_busy_log_begin (JankBusyLog *self, int64_t now_ns)
{
  uint32_t i = self->n_periods++ % JANK_BUSY_LOG_SIZE;

  self->periods[i].began_ns = now_ns;
  self->periods[i].before_ns = self->total_ns;
  self->busy = true;
}

void
jank_busy_log_end (JankBusyLog *self, int64_t now_ns)
{
  if (self->busy)
    self->total_ns += now_ns - self->periods[(self->n_periods - 1) % JANK_BUSY_LOG_SIZE].began_ns;
  self->busy = false;
}

/* Busy time from the beginning of the log to at_ns. */
static int64_t
jank_busy_log_get_until (const JankBusyLog *self, int64_t at_ns)
{
  uint32_t n = self->n_periods < JANK_BUSY_LOG_SIZE ? self->n_periods : JANK_BUSY_LOG_SIZE;
  int64_t after_ns = self->total_ns; /* with the period that is looked at */
  bool is_open = self->busy;

  for (uint32_t back = 1; back <= n; back++)
    {
      uint32_t i = (self->n_periods - back) % JANK_BUSY_LOG_SIZE;
      int64_t began_ns = self->periods[i].began_ns, before_ns = self->periods[i].before_ns;

      if (began_ns <= at_ns)
        {
          int64_t length_ns = is_open ? at_ns - began_ns : after_ns - before_ns;

          return before_ns + (at_ns - began_ns < length_ns ? at_ns - began_ns : length_ns);
        }
      after_ns = before_ns;
      is_open = false;
    }
  return after_ns;
}

int64_t
jank_busy_log_get (const JankBusyLog *self, int64_t from_ns, int64_t to_ns)
{
  return to_ns > from_ns ? jank_busy_log_get_until (self, to_ns) - jank_busy_log_get_until (self, from_ns) : 0;
}
