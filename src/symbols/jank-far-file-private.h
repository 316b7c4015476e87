/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files on remote mounts: programs may be installed on NFS or run from a FUSE mount. Opening such a file hangs
 * when the mount hangs, and the watcher must not hang. So a thread of its own reads the file, and the watcher
 * waits a moment at most. Watcher thread only. */

#pragma once

#include <glib.h>

/* Decided by the kernel's list of mounts; the file is not touched. */
gboolean jank_far_file_is (const char *path);

/* Calls func (data) on another thread, and once that has returned, read (data, user_data) here. FALSE: func did not
 * return in time, an earlier one has not returned yet, or no thread could be had; read is not called then. free_func
 * frees data in any case, at once or when func returns. */
gboolean jank_far_file_ask (void (*func) (gpointer data), gpointer data, GDestroyNotify free_func,
                            void (*read) (gpointer data, gpointer user_data), gpointer user_data);
