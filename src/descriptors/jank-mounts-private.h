/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file system that a path is on, from the kernel's list of mounts. No file system is asked: one whose
 * server is gone would never answer. The list stays open, and is read anew when the kernel says that it has changed,
 * because mount numbers are reused. Any thread. */

#pragma once

#include <glib.h>

typedef struct
{
  guint major, minor; /* of its device */
  char type[16];      /* "ext4", "nfs4", "fuse.sshfs" */
  char point[256];    /* path of the folder that it is mounted on */
} JankMount;

/* id: of a mount, as in /proc/PID/fdinfo */
gboolean jank_mounts_find      (gint64 id, JankMount *ret_mount);

/* By the longest mount point that the absolute path begins with. Symbolic links in it are not followed. */
gboolean jank_mounts_find_path (const char *path, JankMount *ret_mount);

/* Whether another machine or process has to answer for files of that type. */
gboolean jank_mounts_is_remote (const char *type);
