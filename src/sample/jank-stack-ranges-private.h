/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a stack may end: the process's writable mappings at one moment, lowest first. It only ever bounds a safe
 * copy, since a mapping may be gone by then. Made by the watcher thread; a signal handler may look things up. */

#pragma once

#include <stdint.h>

typedef struct
{
  uint64_t low, high; /* high: exclusive */
} JankStackRange;

typedef struct
{
  JankStackRange *ranges;   /* (owned) */
  uint32_t        n_ranges;
} JankStackRanges;

/* Reads "/proc/self/maps", or a stand-in. */
JankStackRanges *jank_stack_ranges_new  (const char *maps);
void             jank_stack_ranges_free (JankStackRanges *self);

/* Returns: the mapping that holds address; 0 to 0: none does */
static inline JankStackRange
jank_stack_ranges_find (const JankStackRanges *self, uint64_t address)
{
  uint32_t from = 0, to = self->n_ranges;

  while (from < to)
    {
      uint32_t middle = from + (to - from) / 2;

      if (address >= self->ranges[middle].high)
        from = middle + 1;
      else if (address < self->ranges[middle].low)
        to = middle;
      else
        return self->ranges[middle];
    }
  return (JankStackRange){ 0, 0 };
}
