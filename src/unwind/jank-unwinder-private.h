/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Unwinds a copy of a thread's stack, while the thread runs on.
 *
 * Unwind tables come from the code map's modules by safe copies, and what they say of one address is
 * remembered: walking known code costs a look-up and a few loads a call. The loader's lock is never
 * taken. Where there is no table (just-in-time compiled code) frame pointers are followed. Where a call
 * needs a register that is not known (a blocked thread shows only its stack and instruction pointers) its
 * saved frame record is looked for on the copied stack. Watcher thread only. */

#pragma once

#include "unwind/jank-code-map-private.h"
#include "unwind/jank-stack-copy-private.h"
#include "unwind/jank-stack-private.h"

typedef struct _JankUnwinder JankUnwinder;

/* map must outlive the unwinder. */
JankUnwinder *jank_unwinder_new  (JankCodeMap *map);
void          jank_unwinder_free (JankUnwinder *self);

/* Returns: (transfer full) */
JankStack    *jank_unwinder_run  (JankUnwinder *self, const JankStackCopy *copy);

/* Of the last run, one per call, until the next: the stack pointer once the call's function has returned (its
 * CFA), 0 for a call that was not left. */
const guint64 *jank_unwinder_get_cfas (const JankUnwinder *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankUnwinder, jank_unwinder_free)
