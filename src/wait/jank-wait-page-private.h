/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which mapped files a page fault may be in, by texts of /proc. Watcher thread only. */

#pragma once

#include <limits.h>

#include "descriptors/jank-mounts-private.h"

/* The mount that files are mapped from, and one of them. */
typedef struct
{
  JankMount mount;
  char      path[PATH_MAX];
  gboolean  is_only;
} JankMapped;

/* maps: of /proc/PID/maps. FALSE: no file is mapped for which another machine or process has to answer, or from several
 * mounts */
gboolean jank_wait_page_find_mapped  (const char *maps, JankMapped *ret_mapped);

/* Whether any disk of this machine has a request to answer. */
gboolean jank_wait_page_is_disk_busy (const char *diskstats);
