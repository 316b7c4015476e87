/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "rules/jank-cpu-finder-private.h"

#define N_PARTS 3

int64_t
jank_cpu_finder_next_look (const JankCpuFinder *self, const JankRule *rule)
{
  return self->has_last ? self->last_ns + rule->cpu_ns / N_PARTS : 0;
}

JankCpuVerdict
jank_cpu_finder_look (JankCpuFinder *self, const JankRule *rule, int64_t now_ns, int64_t cpu_ns)
{
  int64_t length_ns = now_ns - self->last_ns;

  if (!self->has_last || (cpu_ns - self->last_cpu_ns) * 100 <= length_ns * rule->cpu_percent)
    self->verdict = JANK_CPU_NORMAL;
  else
    {
      if (self->verdict == JANK_CPU_NORMAL)
        self->began_ns = self->last_ns;
      /* Thirds that are rounded down must do. */
      self->verdict = now_ns - self->began_ns >= rule->cpu_ns / N_PARTS * N_PARTS ? JANK_CPU_FOUND : JANK_CPU_HIGH;
    }
  self->last_ns = now_ns;
  self->last_cpu_ns = cpu_ns;
  self->has_last = true;
  return self->verdict;
}
