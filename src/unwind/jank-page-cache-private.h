/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Safe copies of pages that hold unwind tables and code: read-only data that unwinding touches again and
 * again. Whoever learns that a module came or went flushes it. Watcher thread only. */

#pragma once

#include <glib.h>

typedef struct _JankPageCache JankPageCache;

JankPageCache *jank_page_cache_new   (void);
void           jank_page_cache_free  (JankPageCache *self);

/* False when a byte of the range is not readable. */
gboolean       jank_page_cache_read  (JankPageCache *self, guint64 address, void *buffer, gsize n_bytes);
void           jank_page_cache_flush (JankPageCache *self);
