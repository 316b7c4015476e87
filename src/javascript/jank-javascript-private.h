/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* JavaScript calls on stacks: asks the engine for them, and puts them where it stands on the native stack. An answer may
 * come long after the sample; until then the stack is marked, and reads as a native one. Watcher thread only. */

#pragma once

#include <sys/types.h>

#include "unwind/jank-stack-private.h"

typedef struct _JankJavascript JankJavascript;

/* map must outlive it. */
JankJavascript *jank_javascript_new         (JankCodeMap *map);
void            jank_javascript_free        (JankJavascript *self);

/* Before a sample of a thread that may run JavaScript. Returns: the number of the request that is to be asked while the
 * thread stands still, or after jank_javascript_mark() for one that sleeps; 0: none */
guint32         jank_javascript_begin       (JankJavascript *self, pid_t tid);

/* A stack of the moment of that request, which is dropped if there is no JavaScript on it: with the calls, or marked.
 * stack: (transfer full) (nullable). Returns: (transfer full) (nullable) */
JankStack      *jank_javascript_mark        (JankJavascript *self, JankStack *stack, guint32 number, gint64 at_ns);

/* Whether the request is still to be asked. */
gboolean        jank_javascript_awaits      (const JankJavascript *self, guint32 number);

/* Whether answers have come for stacks that were marked, until then. */
gboolean        jank_javascript_has_answers (JankJavascript *self, gint64 until_ns);
/* A marked stack with the calls of those answers. stack: (transfer full). Returns: (transfer full) */
JankStack      *jank_javascript_name        (JankJavascript *self, JankStack *stack, gint64 until_ns);
void            jank_javascript_forget      (JankJavascript *self, gint64 until_ns);

/* What comes later belongs to no stack. */
void            jank_javascript_rest        (JankJavascript *self);

/* Why there are no JavaScript calls in a program of gjs, once. Returns: (transfer full) (nullable) */
GError         *jank_javascript_take_error  (JankJavascript *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankJavascript, jank_javascript_free)
