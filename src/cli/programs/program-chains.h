/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whom watched programs that hang wait for beyond their own border, read anew about once a second while that is shown.
 * One thread. */

#pragma once

#include "watched-waits.h"

typedef struct _ProgramChains ProgramChains;

/* waits: outlives it */
ProgramChains         *program_chains_new  (WatchedWaits *waits);
void                   program_chains_free (ProgramChains *self);

/* Of the stall under way. Returns: (nullable): it waits for nobody else, or does not hang */
const JankReportChain *program_chains_look (ProgramChains *self, const JankLiveProgram *program);
/* What was seen of a stall when it was found; it may have ended. Returns: (nullable) */
JankReportChain       *program_chains_get_first (ProgramChains *self, const JankLiveProgram *program,
                                                 const JankReport *gist);
/* The program is gone. */
void                   program_chains_drop (ProgramChains *self, const JankLiveProgram *program);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProgramChains, program_chains_free)
