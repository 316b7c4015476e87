/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What `jankwatch run` prints on stderr while its command hangs: on a terminal one line for each stall, written anew in
 * place as it lasts; elsewhere a line when it is found and one at its end. A thread prints them: the main thread waits
 * for the command. */

#pragma once

#include <glib.h>

typedef struct _LiveLines LiveLines;

/* Returns: (transfer full) (nullable): the folder takes no FIFO */
LiveLines *live_lines_start (const char *store_folder, const char *session);

/* The command has ended: so have its stalls. self: (transfer full) (nullable) */
void       live_lines_stop  (LiveLines *self);
