/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs a command as if jankwatch were not there: same terminal, same signals, same exit status. */

#pragma once

#include <glib.h>

/* Waits for the command; one at a time. Keys of the terminal reach the command alone, SIGTERM and SIGHUP are
 * passed on to it. argv and envp end with NULL. Returns the command's exit status, CLI_SIGNAL_BASE + the signal
 * that ended it, or CLI_NOT_FOUND or CLI_CANNOT_RUN, not started, after it told the user why. */
int child_run (char **argv, char **envp, gboolean *ret_started);
