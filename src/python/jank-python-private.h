/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Python calls on stacks: finds CPython among the loaded files, and replaces the interpreter's calls on the native
 * stack by Python's. Calls no function of Python's and does not take its lock. Watcher thread only. */

#pragma once

#include <sys/types.h>

#include "python/jank-python-walk-private.h"
#include "unwind/jank-stack-private.h"
#include "wait/jank-wait-private.h"

typedef struct _JankPython JankPython;

/* map must outlive it. */
JankPython *jank_python_new        (JankCodeMap *map);
void        jank_python_free       (JankPython *self);

/* Looks at the modules added to the map since the last call. Returns: whether Python is loaded */
gboolean    jank_python_look       (JankPython *self);

/* What jank_python_walk() must know about a thread. Call it for every sample: threads come and go. stack_low,
 * stack_base: the thread's stack, 0 unknown */
void        jank_python_request    (JankPython *self, pid_t tid, guint64 stack_low, guint64 stack_base,
                                    JankPythonRequest *ret_request);

/* The native stack with the Python calls in place of the interpreter's. stack: (transfer full); calls: of the same
 * moment. Returns: (transfer full) */
JankStack  *jank_python_merge      (JankPython *self, JankStack *stack, const JankStackCopy *copy,
                                    const JankPythonCalls *calls);

/* If thread tid waits for the interpreter's lock, says so in the wait, with the lock's holder. */
void        jank_python_explain_wait (JankPython *self, pid_t tid, JankWait *wait);

/* Why a program that runs Python has no Python calls on its stacks; given once. Returns: (transfer full) (nullable) */
GError     *jank_python_take_error (JankPython *self);
