/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tells which GSource another thread is dispatching. g_main_current_source() answers for the calling thread only,
 * and a thread that sleeps inside a handler cannot be made to call it. GLib keeps the answer in a small block of
 * thread-specific data, at one address for the thread's life and under one key in all threads. The key is found
 * once, by the block's content, while a source of ours is dispatched in a context of ours; then each thread that
 * runs a loop looks its own block up, and the watcher reads it by safe copies. Where the search finds no key, or
 * two, sources stay unknown. */

#pragma once

#include "observe/jank-source-info-private.h"

typedef struct
{
  /* found on the observed thread */
  guint64 block;          /* address of { gint depth; GSource *source; }, 0: not found */
  guint64 callback_funcs; /* GLib's own table for g_source_set_callback(), 0: not found */
  gsize   func_offset;    /* of the GSourceFunc in what callback_data points to */
  gsize   data_offset;    /* of its data there, 0: not found */

  /* whoever reads: where the parts of the source lie that was read last, so that one system call reads it again */
  guint64 source;         /* 0: none yet */
  guint64 name, funcs, func, data;
  gsize   n_name_bytes;   /* up to the end of a page */
} JankDispatchSlot;

/* Any thread, which dispatches a source of its own context once: at the first call in a process only. */
void     jank_dispatch_slot_learn (void);

/* On the observed thread. FALSE: nothing was learned. */
gboolean jank_dispatch_slot_find  (JankDispatchSlot *ret_slot);

/* Any one thread. ret_info->known is FALSE when nothing is dispatched or the answer changed while it was read.
 * Returns: how many dispatches are nested, 0 for none or unknown */
guint    jank_dispatch_slot_read  (JankDispatchSlot *self, JankSourceInfo *ret_info);
