/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which programs can be started with the preloaded library. Any thread, also between vfork() and exec(); keeps
 * errno. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum
{
  JANK_PRELOAD_TARGET_FINE,
  JANK_PRELOAD_TARGET_UNREADABLE,
  JANK_PRELOAD_TARGET_FOREIGN,   /* linked statically, or with another loader than this process: another C library */
  JANK_PRELOAD_TARGET_SANITIZED, /* its runtime would refuse to start */
} JankPreloadTarget;

/* A script is what its interpreter is. */
JankPreloadTarget jank_preload_target_look (const char *path);

/* room: of PATH_MAX bytes. Returns: (nullable): the file that execvp() would start, perhaps in room */
const char       *jank_preload_target_find (const char *file, char *room);

/* texts: up to 32 bytes each, NULL-terminated. Returns whether one of them stands in these bytes of the file */
bool              jank_preload_file_has    (int fd, uint64_t offset, uint64_t n_bytes, const char *const *texts);
