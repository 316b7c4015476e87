/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the parts of python/ have for each other. */

#pragma once

#include "python/jank-python-walk-private.h"
#include "unwind/jank-code-map-private.h"
#include "unwind/jank-scripts-private.h"
#include "unwind/jank-stack-private.h"

/* Name, file and line of Python calls, read from the interpreter's objects by safe copies. Since an object may be
 * gone by now, it counts only if its type is the interpreter's own and its lengths fit. Watcher thread only. */

typedef struct
{
  JankPythonLayout layout;
  guint64          code_type, unicode_type, bytes_type, function_type; /* addresses; the last one of C functions */
  GHashTable      *known; /* (owned): code → what samples have seen there */
  guint64          stable[JANK_PYTHON_STABLE]; /* as in the request */
} JankPythonNames;

void     jank_python_names_init  (JankPythonNames *self);
void     jank_python_names_clear (JankPythonNames *self);

/* Adds the function to scripts. FALSE: call->code is no code object, or may not be the same one any more. */
gboolean jank_python_names_find (JankPythonNames *self, const JankPythonCall *call, const JankPythonCalls *calls,
                                 JankScripts *scripts, JankCall *ret_call);

/* Returns: (transfer full) (nullable): NULL if it is no text, or too long */
char    *jank_python_names_read_text (const JankPythonNames *self, guint64 address);

/* The line of an instruction, from the code object's location table (format: CPython's Objects/locations.md).
 * place: in code units. Returns: 0 for an instruction without a line */
guint    jank_python_find_line  (const guint8 *table, gsize n_bytes, guint first_line, guint64 place);

/* Which Python thread holds a threading.Lock, or is to end, when another waits for its semaphore. An RLock says who
 * holds it, a Lock does not; a `with` block that has taken one keeps its __exit__ on the stack of its call, and is
 * believed if nothing on that thread's stack may have unlocked it. All reads are safe copies of what other threads may
 * be changing. Watcher thread only. */

/* frame: the thread's innermost call. Whether it is in the `with` block of that lock. */
gboolean jank_python_locks_holds   (const JankPythonNames *names, guint64 frame, guint64 semaphore);

/* frame: the waiting thread's innermost call. Returns: pthread_t of who holds the RLock that it waits for, 0: it is
 * none */
guint64  jank_python_locks_find_owner (const JankPythonNames *names, guint64 frame, guint64 semaphore);

/* state: a PyThreadState. Whether Thread.join() of that thread waits for the semaphore. */
gboolean jank_python_locks_is_joined (const JankPythonNames *names, guint64 state, guint64 semaphore);
