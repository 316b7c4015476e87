/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The calls on the main thread that may block, each place in the program once. Watcher thread only. */

#pragma once

#include "store/jank-session-private.h"
#include "symbols/jank-known-names-private.h"
#include "watch/jank-sink-private.h"

typedef struct _JankCallList JankCallList;

JankCallList *jank_call_list_new  (void);
void          jank_call_list_free (JankCallList *self);

/* stall: its only sample is of the call. Returns: whether the call is listed: a function of the program made it,
 * while the loop dispatched it, and no library on its own account */
gboolean      jank_call_list_add  (JankCallList *self, JankCodeMap *map, const JankStall *stall,
                                   const JankBlockingCall *call);

/* Returns: (transfer none) (element-type JankSessionCall): the list, with its counts of now */
GPtrArray    *jank_call_list_get  (JankCallList *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankCallList, jank_call_list_free)
