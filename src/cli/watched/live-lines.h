/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What `jankwatch run` prints on stderr while its command hangs: on a terminal one line for each stall, written anew in
 * place as it lasts; elsewhere a line when it is found and one at its end. */

#pragma once

#include "cli/programs/program-chains.h"

typedef struct _LiveLines LiveLines;

/* waits, chains: outlive it. */
LiveLines *live_lines_new  (WatchedWaits *waits, ProgramChains *chains);
/* The command has ended: so have its stalls. */
void       live_lines_free (LiveLines *self);

/* gist: of a stall under way, or that has ended. process (nullable): whose, if it is not the command's own program */
void       live_lines_take (LiveLines *self, const JankLiveProgram *program, JankReport *gist, const char *process);
/* The program is gone. */
void       live_lines_drop (LiveLines *self, const JankLiveProgram *program);
/* Returns: whether a line has been written anew, and wants to be again soon */
gboolean   live_lines_draw (LiveLines *self);
