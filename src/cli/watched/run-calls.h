/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What `jankwatch run --strict` says of calls that may block. */

#pragma once

#include "watched-run.h"

/* Examples of delays. NULL-terminated */
extern const char *const run_calls_delays[];

/* Finds source lines and advice. */
void  run_calls_resolve (WatchedRun *run);
void  run_calls_print   (WatchedRun *run);

/* text: of --slow, "dbus=1s,disk=200ms". Returns: (transfer full) (nullable): the variable that tells it the preloaded
 * library; NULL with JANK_ERROR_INVALID */
char *run_calls_parse_slow (const char *text, GError **error);
