/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "watch/jank-gaps-private.h"

void
jank_gaps_add (JankGaps *self, gint64 from_ns, gint64 to_ns, gboolean traced)
{
  self->gaps[self->n_gaps++ % JANK_GAPS_SIZE] = (JankGap) { from_ns, to_ns, traced };
}

gint64
jank_gaps_overlap (const JankGaps *self, gint64 from_ns, gint64 to_ns, gboolean traced)
{
  gint64 sum_ns = 0;

  for (guint i = 0; i < MIN (self->n_gaps, JANK_GAPS_SIZE); i++)
    {
      const JankGap *gap = &self->gaps[i];
      gint64 overlap_ns = MIN (gap->to_ns, to_ns) - MAX (gap->from_ns, from_ns);

      if (gap->traced == traced && overlap_ns > 0)
        sum_ns += overlap_ns;
    }
  return sum_ns;
}
