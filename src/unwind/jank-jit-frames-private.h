/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* From code that SpiderMonkey compiled at run time to the native code that called it. Such code has no unwind table;
 * each of its frames has a word that describes the caller's, up to the trampoline by which the engine entered.
 * Watcher thread only. */

#pragma once

#include "unwind/jank-call-record-private.h"
#include "unwind/jank-code-map-private.h"
#include "unwind/jank-page-cache-private.h"
#include "unwind/jank-stack-copy-private.h"

/* sp: of the compiled code, or of what it has called. ret_record: of the trampoline, whose caller is the engine.
 * FALSE: no frames in a layout that we know. */
gboolean jank_jit_frames_leave (JankCodeMap *map, JankPageCache *pages, const JankStackCopy *copy, guint64 sp,
                                JankCallRecord *ret_record);
