/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the functions that may block need of jank-preload-strict.c. */

#pragma once

#include <stdbool.h>

#include "jank-preload-strict-private.h"

/* A socket that does not block is about to be connected; whoever polls for it waits. */
void jank_preload_strict_note_connecting (int fd);
/* Whether caller is in a library whose path has that part. */
bool jank_preload_strict_is_from         (const void *caller, const char *library);
/* Whether it is on a network or FUSE mount. path: (nullable) */
bool jank_preload_strict_is_remote       (const char *path);
