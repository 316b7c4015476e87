/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The type of file system that a path is on, from the kernel's list of mounts. No file system is asked: one whose
 * server is gone would never answer. The list stays open, and is read anew when the kernel says that it has changed,
 * because mount numbers are reused. Any thread. */

#pragma once

#include <glib.h>

/* id: of a mount, as in /proc/PID/fdinfo. Type such as "ext4", "nfs4", "fuse.sshfs", cut to n_bytes - 1. */
gboolean jank_mounts_find      (gint64 id, char *ret_type, gsize n_bytes);

/* By the longest mount point that the absolute path begins with. Symbolic links in it are not followed. */
gboolean jank_mounts_find_path (const char *path, char *ret_type, gsize n_bytes);

/* Whether another machine or process has to answer for files of that type. */
gboolean jank_mounts_is_remote (const char *type);
