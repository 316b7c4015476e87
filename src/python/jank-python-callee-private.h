/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which Python function a closure of PyGObject's calls. Calls no function of Python's, takes no lock and no reference.
 * The reader is for the thread that has dispatched the closure's source, which holds all that is read. */

#pragma once

#include "elf/jank-exports-private.h"
#include "observe/jank-callee-private.h"
#include "python/jank-python-names-private.h"

/* Reads nothing before jank_python_callee_learn(). */
extern const JankCalleeReader jank_python_callee_reader;

/* Watcher thread. exports: the interpreter's; names: with its layout and types. Only the first interpreter's count. */
void jank_python_callee_learn (const JankExports *exports, const JankPythonNames *names);
