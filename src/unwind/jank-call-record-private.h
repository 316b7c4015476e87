/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Callers without an unwind table. */

#pragma once

#include "unwind/jank-code-map-private.h"
#include "unwind/jank-page-cache-private.h"
#include "unwind/jank-stack-copy-private.h"

/* Frame records (saved frame pointer, return address) on a copied stack. Watcher thread only. */

typedef struct
{
  guint64 return_address;
  guint64 at;            /* where it is */
  guint64 frame_pointer; /* of the caller, if it keeps one */
} JankCallRecord;

/* The record that the frame pointer points to, for code without unwind tables. FALSE: there is none, or its return
 * address does not follow a call instruction in known code. */
gboolean jank_call_record_read (JankCodeMap *map, JankPageCache *pages, const JankStackCopy *copy,
                                guint64 frame_pointer, JankCallRecord *ret_record);

/* Searches for the record of a function whose frame pointer is not known.
 * function: where it starts; sp: its stack pointer. A record fits when its return address follows a call
 * instruction that may have called this function: a direct call must name it, or a jump (PLT) to its file. Without
 * such a record, the one that the function's first instructions lead to need only follow any call. */
gboolean jank_call_record_find (JankCodeMap *map, JankPageCache *pages, const JankStackCopy *copy,
                                guint64 function, guint64 sp, JankCallRecord *ret_record);

/* Searches from *at on, which it moves on, for a return address behind a call of no function known by name, as one into
 * code compiled at run time is. Only where calls push. ret_record: without a frame pointer */
gboolean jank_call_record_find_indirect (JankCodeMap *map, JankPageCache *pages, const JankStackCopy *copy, guint64 *at,
                                         guint64 end, JankCallRecord *ret_record);

/* From code that SpiderMonkey compiled at run time to the native code that called it. Such code has no unwind table;
 * each of its frames has a word that describes the caller's, up to the trampoline by which the engine entered.
 * Watcher thread only. */

/* sp: of the compiled code, or of what it has called. ret_record: of the trampoline, whose caller is the engine.
 * FALSE: no frames in a layout that we know. */
gboolean jank_jit_frames_leave (JankCodeMap *map, JankPageCache *pages, const JankStackCopy *copy, guint64 sp,
                                JankCallRecord *ret_record);
