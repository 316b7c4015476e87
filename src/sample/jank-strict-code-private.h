/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which addresses are code of loaded files: a bit a page, so that a stack's words are looked up in a nanosecond each.
 * The program mostly lies far from its libraries. Filled by the watcher. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#define JANK_STRICT_PAGE_BITS  12
#define JANK_STRICT_AREA_PAGES (1u << 18) /* 1 GB */

typedef struct
{
  struct
  {
    uint64_t low;
    uint32_t n_pages; /* 0: there is no such area */
    uint8_t  pages[JANK_STRICT_AREA_PAGES / 8];
  } areas[2];
} JankStrictCode;

/* maps: "/proc/self/maps", or a stand-in. What does not fit is left out. */
void jank_strict_code_read (JankStrictCode *self, const char *maps);

static inline bool
jank_strict_code_has (const JankStrictCode *self, uint64_t address)
{
  for (unsigned i = 0; i < 2; i++)
    {
      uint64_t page = (address - self->areas[i].low) >> JANK_STRICT_PAGE_BITS;

      if (page < self->areas[i].n_pages)
        return (self->areas[i].pages[page / 8] >> page % 8 & 1) != 0;
    }
  return false;
}
