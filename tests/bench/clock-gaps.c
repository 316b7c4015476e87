/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "clock-gaps.h"

#include "base/jank-clock-private.h"

void __attribute__ ((noinline))
clock_gaps_watch (ClockGaps *self, gint64 length_ns)
{
  gint64 began_ns = jank_clock_now_ns ();
  gint64 last_ns = began_ns;

  while (last_ns - began_ns < length_ns)
    {
      gint64 now_ns = jank_clock_now_ns ();

      if (now_ns - last_ns >= CLOCK_GAPS_MIN_NS)
        {
          if (self->n_gaps < CLOCK_GAPS_SIZE)
            self->gaps[self->n_gaps] = (ClockGap) { now_ns, now_ns - last_ns };
          self->n_gaps++;
        }
      last_ns = now_ns;
    }
}

void
clock_gaps_print (const ClockGaps *self)
{
  guint n_gaps = (guint) MIN (self->n_gaps, CLOCK_GAPS_SIZE);

  g_print ("[");
  for (guint i = 0; i < n_gaps; i++)
    g_print ("%s[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]", i > 0 ? ", " : "", self->gaps[i].ended_ns,
             self->gaps[i].length_ns);
  g_print ("]");
}
