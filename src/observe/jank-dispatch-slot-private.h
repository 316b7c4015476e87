/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tells which GSource another thread is dispatching. g_main_current_source() answers for the calling thread only, and
 * a thread that sleeps inside a handler cannot be made to call it. GLib keeps the answer in a small block of
 * thread-specific data, at one address for the thread's life. The observed thread finds that block once, by its
 * content, while a source of ours is being dispatched; from then on the watcher reads it by safe copies. Where the
 * search finds no block, or two, sources stay unknown. */

#pragma once

#include "observe/jank-source-info-private.h"

typedef struct
{
  guint64 block;          /* address of { gint depth; GSource *source; }, 0: not found */
  guint64 callback_funcs; /* GLib's own table for g_source_set_callback(), 0: not found */
  gsize   func_offset;    /* of the GSourceFunc in what callback_data points to */
  gsize   data_offset;    /* of its data there, 0: not found */
} JankDispatchSlot;

/* On the observed thread, inside the dispatch of probe, whose callback was set to probe_func and probe_data with
 * g_source_set_callback(). */
gboolean jank_dispatch_slot_find (GSource *probe, GSourceFunc probe_func, gconstpointer probe_data,
                                  JankDispatchSlot *ret_slot);

/* Any thread. ret_info->known is FALSE when nothing is dispatched or the answer changed while it was read.
 * Returns: how many dispatches are nested, 0 for none or unknown */
guint    jank_dispatch_slot_read (const JankDispatchSlot *self, JankSourceInfo *ret_info);
