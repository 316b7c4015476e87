/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Describes what the functions on a stack were called for, which no symbol table tells: "handler of
 * GtkButton::clicked on “Freeze”". Reads at the moment of the sample, because objects come and go; calls no function
 * of GObject's, and gives no answer unless all parts agree. Watcher thread only. */

#pragma once

#include "observe/jank-source-info-private.h"
#include "unwind/jank-stack-copy-private.h"
#include "unwind/jank-stack-private.h"

typedef struct _JankHandlers JankHandlers;

/* map must outlive it. */
JankHandlers *jank_handlers_new      (JankCodeMap *map);
void          jank_handlers_free     (JankHandlers *self);

/* Adds notes to a native stack just unwound from copy. */
void          jank_handlers_describe (JankHandlers *self, JankStack *stack, const JankStackCopy *copy);

/* Describes what a source of GIO's serves. source: as just read */
void          jank_handlers_describe_source (JankHandlers *self, JankSourceInfo *source);
