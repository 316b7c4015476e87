/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What this machine knows of a module of a report: its file, the compressed symbols in that (.gnu_debugdata), and its
 * debug file. All are matched by build-id alone. For the command, never for the observed process. */

#pragma once

#include <elfutils/libdwfl.h>
#include <glib.h>

#include "elf/jank-name-from-private.h"

/* Asks the servers of $DEBUGINFOD_URLS for debug files, through elfutils' libdebuginfod, which keeps what came in the
 * user's cache. Blocks; for the command alone, never for the observed process. */

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

typedef struct _JankDebugFile JankDebugFile;

typedef struct
{
  const char  *name;   /* owned by the file */
  guint64      offset; /* from the start of the function */
  JankNameFrom from;
} JankDebugSymbol;

/* Looks at path, then for debug files below the absolute folders, separated by colons.
 * path: (nullable). servers: (nullable): asked for what is not here. Returns: (transfer full) (nullable): nothing
 * known */
JankDebugFile *jank_debug_file_new          (const char *path, const char *build_id, const char *folders,
                                             JankDebugServers *servers);
void           jank_debug_file_free         (JankDebugFile *self);

Dwfl_Module   *jank_debug_file_get_module   (JankDebugFile *self); /* its addresses are the file's own */

/* Where debug information was found, for names that only it has. */
JankNameFrom   jank_debug_file_get_origin   (JankDebugFile *self);

/* The function whose size contains address. */
gboolean       jank_debug_file_find_symbol  (JankDebugFile *self, guint64 address, JankDebugSymbol *ret_symbol);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankDebugFile, jank_debug_file_free)
