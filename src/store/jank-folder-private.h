/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A private folder of JSON files that several processes write and tidy at the same time without a lock:
 * every file appears whole under its name, by rename, and losing a race costs nothing. Any thread; blocks
 * on the disk. */

#pragma once

#include <glib.h>

#define JANK_FOLDER_SUFFIX ".json"

typedef struct
{
  char   *name;     /* without ".json" */
  gint64  mtime_ns; /* since the Unix epoch */
  gint64  ctime_ns; /* likewise, of any change, also of what nobody can set */
  guint64 inode, n_bytes;
} JankFolderEntry;

/* Which names, without ".json", are files of ours. All others are left alone and never counted. */
typedef gboolean (*JankFolderNameFunc) (const char *name);

/* Creates folder, and its parents, for the user alone. text replaces folder/name.json at once or, with
 * an error, leaves what was there. */
gboolean   jank_folder_write (const char *folder, const char *name, const char *text, gsize n_bytes,
                              GError **error);

/* Text of folder/name.json; longer files than a reader takes are JANK_ERROR_INVALID.
 * Returns: (transfer full) (nullable) */
char      *jank_folder_read  (const char *folder, const char *name, gsize *ret_n_bytes, GError **error);

/* The same of a file at path, opened without blocking. Takes fd; −1 with errno. */
char      *jank_folder_read_fd (gint fd, const char *path, gsize *ret_n_bytes, GError **error);

/* Our files, in no order; a missing folder has none. Removes what crashed writers left behind over a
 * minute ago. foreign (nullable) (element-type utf8): gets the names of other *.json files, with it.
 * Returns: (transfer full) (element-type JankFolderEntry) (nullable) */
GPtrArray *jank_folder_scan  (const char *folder, JankFolderNameFunc is_ours, GPtrArray *foreign, GError **error);

/* Whether folder/name.json is a file; a symbolic link is none. */
gboolean   jank_folder_has   (const char *folder, const char *name);

/* Removes our files, as jank_retention_next() says, until at most max_files and max_bytes are left, but never keep
 * (nullable), and not more than 100 at a time. */
void       jank_folder_trim  (const char *folder, JankFolderNameFunc is_ours, const char *keep,
                              guint max_files, guint64 max_bytes);
