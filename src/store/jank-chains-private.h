/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Chains of waits beside their reports: folder/chains/ID.json. Written by `run` and `watch` alone: a report's file is
 * written anew by its program at any moment, and who put the chain into that file could undo what the program has just
 * written. Any thread; blocks on the disk. */

#pragma once

#include "report/jank-report-private.h"
#include "store/jank-folder-private.h"

#define JANK_CHAINS_FOLDER "chains"

/* folder: of the store. Returns: (transfer full) (nullable): there is none */
JankReportChain *jank_chains_load   (const char *folder, const char *id);
void             jank_chains_remove (const char *folder, const char *id);
