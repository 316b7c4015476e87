/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tells whether two stalls are the same problem: a hash of the program's functions on the heaviest path, from the
 * dispatch of the main loop inward to the culprit (of all functions, to the deepest, where none is the program's),
 * and of the kind of the report. A function counts by its file's name and its symbol; without a symbol by the file's
 * build-id and where the function begins in it. So it does not change with where the program was loaded, nor with
 * the libraries' versions, nor, where functions have names, when it is built again or lines move. What the thread
 * waited for does not count: the same function that reads another file is the same problem. Recursion counts once.
 * Without a path the source and its callback count. */

#pragma once

#include "report/jank-report-private.h"

#define JANK_FINGERPRINT_LENGTH 16

/* Returns: (transfer full): lower-case hexadecimal */
char *jank_fingerprint_new (JankReport *report);
