/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Unwinds a copy of a thread's stack, while the thread runs on.
 *
 * The code map finds unwind tables; libunwind reads them through safe copies, once an address. Where there is no
 * table (code compiled at run time), the walk follows the frame pointer. A blocked thread shows only its stack and
 * instruction pointers: where a call needs another register, the copied stack is searched for its saved frame
 * record. Watcher thread only; the loader's lock is never taken. */

#pragma once

#include "unwind/jank-code-map-private.h"
#include "unwind/jank-stack-copy-private.h"
#include "unwind/jank-stack-private.h"

typedef struct _JankUnwinder JankUnwinder;

/* Any thread: opens libunwind, which takes the loader's lock the first time. */
void          jank_unwinder_prepare   (void);

/* map must outlive the unwinder. */
JankUnwinder *jank_unwinder_new       (JankCodeMap *map);
void          jank_unwinder_free      (JankUnwinder *self);

/* Why stacks hold only the innermost call: libunwind is missing. NULL: it is there. */
const GError *jank_unwinder_get_error (const JankUnwinder *self);

/* copy: must know the stack and instruction pointers. Returns: (transfer full) */
JankStack    *jank_unwinder_run       (JankUnwinder *self, const JankStackCopy *copy);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankUnwinder, jank_unwinder_free)
