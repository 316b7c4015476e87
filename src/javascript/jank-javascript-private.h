/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* JavaScript calls on stacks: asks the engine for them, and replaces the engine's calls on the native stack by them.
 * The answer may come long after the sample; until then the stack is marked and reads as a native one. Watcher
 * thread only. */

#pragma once

#include <sys/types.h>

#include "unwind/jank-stack-private.h"

typedef struct _JankJavascript JankJavascript;

/* map must outlive it. */
JankJavascript *jank_javascript_new         (JankCodeMap *map);
void            jank_javascript_free        (JankJavascript *self);

/* The calls of a thread that sleeps, read from the engine's memory, each in place of those of the engine's that run
 * it. cfas: as jank_unwinder_get_cfas(); sp, base: of the stack, base 0 unknown. Returns: (transfer full)
 * (nullable): NULL where they cannot be read: then ask for them. Nothing, if the thread has gone on meanwhile. */
JankStack      *jank_javascript_read        (JankJavascript *self, pid_t tid, JankStack *stack, const guint64 *cfas,
                                             guint64 sp, guint64 base);

/* Lets the collector stand in place of the engine's innermost calls, if those are known to collect garbage.
 * stack: (transfer full) (nullable). Returns: (transfer full) (nullable) */
JankStack      *jank_javascript_add_collector  (JankJavascript *self, pid_t tid, JankStack *stack);

/* Call it before a sample of a thread that may run JavaScript. Returns: the number of the request to ask while the
 * thread stands still or, if it sleeps, after jank_javascript_mark(); 0: none */
guint32         jank_javascript_begin       (JankJavascript *self, pid_t tid);

/* Gives a stack taken at the request the calls if they are known, else a mark. Drops the request if no JavaScript is
 * on it. stack: (transfer full) (nullable). Returns: (transfer full) (nullable) */
JankStack      *jank_javascript_mark        (JankJavascript *self, JankStack *stack, guint32 number, gint64 at_ns);

/* Whether the request has yet to be asked. */
gboolean        jank_javascript_awaits      (const JankJavascript *self, guint32 number);

/* Whether answers for marked stacks have come by then. */
gboolean        jank_javascript_has_answers (JankJavascript *self, gint64 until_ns);
/* Gives a marked stack the calls from those answers. stack: (transfer full). Returns: (transfer full) */
JankStack      *jank_javascript_name        (JankJavascript *self, JankStack *stack, gint64 until_ns);
void            jank_javascript_forget      (JankJavascript *self, gint64 until_ns);

/* Drops all requests: later answers belong to no stack. */
void            jank_javascript_rest        (JankJavascript *self);

/* Why a gjs program has no JavaScript calls on its stacks; given once. Returns: (transfer full) (nullable) */
GError         *jank_javascript_take_error  (JankJavascript *self);
