/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One unwound stack: plain data, innermost frame first. Watcher thread only. */

#pragma once

#include "unwind/jank-code-map-private.h"

#define JANK_STACK_MAX_FRAMES 256

typedef struct
{
  guint64 pc;       /* an address inside the executing instruction: callers' return addresses less 1 */
  guint64 function; /* start of the function by its unwind table entry; equal to pc when it has none */
  guint32 module;   /* index into the code map, or JANK_MODULE_NONE */
} JankFrame;

typedef struct
{
  gint      n_refs;
  guint32   n_frames;
  gboolean  complete; /* reached the thread's base */
  JankFrame frames[];
} JankStack;

/* Copies frames. Returns: (transfer full) */
JankStack *jank_stack_new   (const JankFrame *frames, guint n_frames, gboolean complete);
JankStack *jank_stack_ref   (JankStack *self);
void       jank_stack_unref (JankStack *self);

/* Same frames, by pc. */
gboolean   jank_stack_equal (const JankStack *a, const JankStack *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankStack, jank_stack_unref)
