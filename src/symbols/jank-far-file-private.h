/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files that another machine or process has to answer for, such as those of a program that is installed on NFS or
 * runs from a FUSE mount. When the mount hangs, so does whoever opens one: a stalled program is then no place to
 * wait. So that is done on a thread of its own, and waited for no longer than a moment. Watcher thread only. */

#pragma once

#include <glib.h>

/* By the kernel's list of mounts, without a look at the file. */
gboolean jank_far_file_is (const char *path);

/* Calls func (data) on another thread. FALSE: it has not come back in time, one called before has not either, or
 * there is no thread to be had; its results are not to be read then. data is freed by free_func in any case, at once
 * or when the thread comes back. read (data, user_data) is called here once func has come back. */
gboolean jank_far_file_ask (void (*func) (gpointer data), gpointer data, GDestroyNotify free_func,
                            void (*read) (gpointer data, gpointer user_data), gpointer user_data);
