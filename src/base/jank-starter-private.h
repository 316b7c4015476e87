/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether the command of `jankwatch run` started this process, or a bus or systemd did. Those two mark what they start
 * by a variable of the environment, which children inherit; so a portal's programs have the mark, too. Process tree and
 * session do not tell: a service becomes a child of init at once, and stays in the session of whoever began the bus.
 * Needs the C library only; reads the environment. */

#pragma once

#include <stdbool.h>

#define JANK_STARTER_VARIABLE "JANKWATCH_STARTER" /* set by `run`: its own marks */
#define JANK_STARTER_BYTES    512

/* ret_marks: room for JANK_STARTER_BYTES */
void jank_starter_read_marks (char *ret_marks);

/* FALSE without a `run`. */
bool jank_starter_is_service (void);
