/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Name, file and line of Python calls, read from the interpreter's objects by safe copies. An object is believed only if its
 * type is the interpreter's own and its lengths fit: it may be gone since the call was copied. Watcher thread only. */

#pragma once

#include "python/jank-python-walk-private.h"
#include "unwind/jank-scripts-private.h"

typedef struct
{
  JankPythonLayout layout;
  guint64          code_type, unicode_type, bytes_type; /* addresses */
  GHashTable      *known; /* (owned): code → what samples have met there */
  guint64          stable[JANK_PYTHON_STABLE]; /* as in the request */
} JankPythonNames;

void     jank_python_names_init  (JankPythonNames *self);
void     jank_python_names_clear (JankPythonNames *self);

/* Adds the function to scripts. FALSE: call->code is no code object, or it cannot be told that it still is the same. */
gboolean jank_python_names_find (JankPythonNames *self, const JankPythonCall *call, const JankPythonCalls *calls,
                                 JankScripts *scripts, JankCall *ret_call);

/* The line of an instruction: a walk through the location table of a code object, as CPython's Objects/locations.md
 * describes it. place: in code units. Returns: 0 for an instruction that belongs to no line */
guint    jank_python_find_line  (const guint8 *table, gsize n_bytes, guint first_line, guint64 place);
