/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sample/jank-strict-code-private.h"

#include <stdio.h>
#include <string.h>
#include <glib.h>

/* Pages from low on, exclusive high, to the area that they are in or begin. */
static void
jank_strict_code_add (JankStrictCode *self, uint64_t low, uint64_t high)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->areas); i++)
    {
      uint64_t first;

      if (self->areas[i].n_pages == 0)
        self->areas[i].low = low;
      first = (low - self->areas[i].low) >> JANK_STRICT_PAGE_BITS;
      if (first + ((high - low) >> JANK_STRICT_PAGE_BITS) > JANK_STRICT_AREA_PAGES)
        continue;
      for (uint64_t page = first; low < high; page++, low += 1u << JANK_STRICT_PAGE_BITS)
        {
          self->areas[i].pages[page / 8] |= (uint8_t) (1u << page % 8);
          self->areas[i].n_pages = (uint32_t) page + 1;
        }
      return;
    }
}

/* "7f12a000-7f12b000 r-xp 00000000 08:01 1234 /usr/lib/…"; what an interpreter compiled has no path. */
void
jank_strict_code_read (JankStrictCode *self, const char *maps)
{
  g_autofree char *text = NULL;
  char *line, *next;

  memset (self, 0, sizeof *self);
  if (!g_file_get_contents (maps, &text, NULL, NULL))
    return;
  for (line = text; line != NULL && *line != '\0'; line = next)
    {
      guint64 low, high;
      char rights[5];

      next = strchr (line, '\n');
      if (next != NULL)
        *next++ = '\0';
      if (sscanf (line, "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x %4s", &low, &high, rights) == 3 &&
          rights[2] == 'x' && strchr (line, '/') != NULL)
        jank_strict_code_add (self, low, high);
    }
}
