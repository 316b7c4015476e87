/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Says what functions on a stack are called for, which no symbol table knows: "handler of GtkButton::clicked on “Freeze”".
 * Read at the moment of the sample, since objects come and go. Nothing of GObject's is called, and what does not fit
 * together is no answer. Watcher thread only. */

#pragma once

#include "observe/jank-source-info-private.h"
#include "unwind/jank-stack-copy-private.h"
#include "unwind/jank-stack-private.h"

typedef struct _JankHandlers JankHandlers;

/* map must outlive it. */
JankHandlers *jank_handlers_new      (JankCodeMap *map);
void          jank_handlers_free     (JankHandlers *self);

/* Adds notes to the stack: native, just unwound from copy. cfas: as jank_unwinder_get_cfas() */
void          jank_handlers_describe (JankHandlers *self, JankStack *stack, const guint64 *cfas, const JankStackCopy *copy);

/* Says what a source of GIO's serves; source: as just read */
void          jank_handlers_describe_source (JankHandlers *self, JankSourceInfo *source);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankHandlers, jank_handlers_free)
