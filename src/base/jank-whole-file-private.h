/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

/* Writes what a user asked for to a path of his. A regular file, also behind links, is there as a whole or not at
 * all, and keeps its mode; a device, a pipe or whatever else is there is written into. mode: of a new file. Any
 * thread; blocks. */
gboolean jank_whole_file_write (const char *path, const char *data, gsize n_bytes, int mode, GError **error);

/* The same of a file of jankwatch's own, which only the user may read, as are folders that are made for it. */
gboolean jank_whole_file_write_own (const char *path, const char *text, GError **error);
