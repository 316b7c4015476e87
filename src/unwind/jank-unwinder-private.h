/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Unwinds a copy of a thread's stack, while the thread runs on.
 *
 * libunwind reads unwind tables, which the code map finds, by safe copies; what it says of an address is remembered, so
 * that known code costs a look-up and a few loads a call. Code without a table (compiled at run time) is left by its
 * frame pointer. A blocked thread shows only its stack and instruction pointers: where a call needs another register,
 * its saved frame record is searched for on the copied stack. Watcher thread only, and never the loader's lock. */

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

/* Why stacks hold the innermost call only: libunwind is missing. NULL: they do not. */
const GError *jank_unwinder_get_error (const JankUnwinder *self);

/* copy: with the stack and instruction pointers at least. Returns: (transfer full) */
JankStack    *jank_unwinder_run       (JankUnwinder *self, const JankStackCopy *copy);

/* Of the last run, one per call, until the next: the stack pointer once the call's function has returned (its
 * CFA), 0 for a call that was not left. */
const guint64 *jank_unwinder_get_cfas (const JankUnwinder *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankUnwinder, jank_unwinder_free)
