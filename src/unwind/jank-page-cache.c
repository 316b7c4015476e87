/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "unwind/jank-page-cache-private.h"

#include <string.h>

#include "base/jank-memory-private.h"

#define N_PAGES    256 /* 1 MB at most; as many as the stacks need */

typedef struct
{
  guint64 address; /* of the page; 0: empty, since nothing is mapped there */
  guint8 *bytes;   /* (owned) (nullable) */
} Page;

struct _JankPageCache
{
  Page pages[N_PAGES];
};

JankPageCache *
jank_page_cache_new (void)
{
  return g_new0 (JankPageCache, 1);
}

void
jank_page_cache_free (JankPageCache *self)
{
  for (guint i = 0; i < N_PAGES; i++)
    g_free (self->pages[i].bytes);
  g_free (self);
}

static const guint8 *
jank_page_cache_get_page (JankPageCache *self, guint64 address)
{
  guint64 number = address / JANK_MEMORY_PAGE_BYTES;
  Page *page = &self->pages[(number ^ (number >> 7)) % N_PAGES];

  if (page->address == address)
    return page->bytes;
  if (page->bytes == NULL)
    page->bytes = g_malloc (JANK_MEMORY_PAGE_BYTES);
  page->address = jank_memory_read_all (address, page->bytes, JANK_MEMORY_PAGE_BYTES) ? address : 0;
  return page->address != 0 ? page->bytes : NULL;
}

gboolean
jank_page_cache_read (JankPageCache *self, guint64 address, void *buffer, gsize n_bytes)
{
  guint8 *to = buffer;

  while (n_bytes > 0)
    {
      gsize offset = address % JANK_MEMORY_PAGE_BYTES;
      gsize n = MIN (n_bytes, JANK_MEMORY_PAGE_BYTES - offset);
      const guint8 *page = address >= JANK_MEMORY_PAGE_BYTES ? jank_page_cache_get_page (self, address - offset) : NULL;

      if (page == NULL)
        return FALSE;
      memcpy (to, page + offset, n);
      to += n;
      address += n;
      n_bytes -= n;
    }
  return TRUE;
}

void
jank_page_cache_flush (JankPageCache *self)
{
  for (guint i = 0; i < N_PAGES; i++)
    self->pages[i].address = 0;
}
