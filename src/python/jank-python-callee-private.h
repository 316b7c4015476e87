/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tells the ledger which Python function a closure of PyGObject's is for. Calls no function of Python's, takes no lock
 * and no reference. */

#pragma once

#include "elf/jank-exports-private.h"
#include "python/jank-python-names-private.h"

/* Watcher thread. exports: the interpreter's; names: with its layout and types. Only the first interpreter's count. */
void jank_python_callee_learn (const JankExports *exports, const JankPythonNames *names);
