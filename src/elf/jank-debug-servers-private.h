/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Asks the servers of $DEBUGINFOD_URLS for debug files, through elfutils' libdebuginfod, which keeps what came in the
 * user's cache. Blocks; for the command alone, never for the observed process. */

#pragma once

#include <glib.h>

typedef struct _JankDebugServers JankDebugServers;

/* Opens the library; does not connect. Returns: (transfer full) */
JankDebugServers *jank_debug_servers_new         (void);
void              jank_debug_servers_free        (JankDebugServers *self);

/* The debug file of a build-id. A transfer ends when it gets no further for a second, or is too large; all have five
 * minutes together. After any failure but “not found”, nothing more is asked.
 * build_id: lower-case hexadecimal. Returns: (transfer full) (nullable): a file whose build-id is that one */
char             *jank_debug_servers_find        (JankDebugServers *self, const char *build_id);

/* Why there was no file, as a translated sentence. Returns: (transfer none) (nullable): every file came */
const char       *jank_debug_servers_get_trouble (JankDebugServers *self);
