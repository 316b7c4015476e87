/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Chains of waits beside their reports: folder/chains/ID.json. Written by `run` and `watch` alone: a report's file is
 * written anew by its program at any moment, and who put the chain into that file could undo what the program has just
 * written. Any thread; blocks on the disk. */

#pragma once

#include "report/jank-report-private.h"
#include "store/jank-folder-private.h"

/* folder: of the store. Returns: (transfer full) (nullable): there is none */
JankReportChain *jank_chains_load   (const char *folder, const char *id);
/* Of the report's stalls the longest keeps its chain. FALSE: it cannot be written */
gboolean         jank_chains_keep   (const char *folder, const char *id, const JankReportChain *chain);
void             jank_chains_remove (const char *folder, const char *id);
/* Removes those whose reports are gone. */
void             jank_chains_tidy   (const char *folder, JankFolderNameFunc is_ours);
