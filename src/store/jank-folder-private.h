/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A private folder of JSON files that several processes write and tidy at the same time without a lock:
 * every file appears whole under its name, by rename, and losing a race costs nothing. Any thread; blocks
 * on the disk. */

#pragma once

#include <glib.h>

#include "base/jank-home-private.h"

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

/* In all of these below (nullable) is a folder in store: see jank_home_open_folder(). */

/* Creates folders. text replaces NAME.json, or file, at once or, with an error, leaves what was there. */
gboolean   jank_folder_write      (const char *store, const char *below, const char *name, const char *text,
                                   gsize n_bytes, GError **error);
gboolean   jank_folder_write_file (const char *store, const char *below, const char *file, const char *text,
                                   gsize n_bytes, GError **error);

/* Text of NAME.json, or of file; longer files than a reader takes are JANK_ERROR_INVALID.
 * Returns: (transfer full) (nullable) */
char      *jank_folder_read       (const char *store, const char *below, const char *name, gsize *ret_n_bytes,
                                   GError **error);
char      *jank_folder_read_file  (const char *store, const char *below, const char *file, gsize *ret_n_bytes,
                                   GError **error);

/* The same of a file at path, opened without blocking. Takes fd; −1 with errno. */
char      *jank_folder_read_fd    (gint fd, const char *path, gsize *ret_n_bytes, GError **error);

/* Our files, in no order; a missing folder has none. foreign (nullable) (element-type utf8): gets the names of other
 * *.json files, with it. Writes nothing.
 * Returns: (transfer full) (element-type JankFolderEntry) (nullable) */
GPtrArray *jank_folder_scan       (const char *store, const char *below, JankFolderNameFunc is_ours,
                                   GPtrArray *foreign, GError **error);

/* Orders them so, by their names. */
gint       jank_folder_compare_newest_first (gconstpointer a, gconstpointer b);

/* Whether store/NAME.json is a file; a symbolic link is none. */
gboolean   jank_folder_has        (const char *store, const char *name);

/* Removes NAME.json. Returns: 0 or errno */
gint       jank_folder_remove     (const char *store, const char *below, const char *name);

/* Removes our files, as jank_retention_next() says, until at most max_files and max_bytes are left, but never keep
 * (nullable), and not more than 100 at a time; and what crashed writers left behind over a minute ago. */
void       jank_folder_trim       (const char *store, const char *below, JankFolderNameFunc is_ours, const char *keep,
                                   guint max_files, guint64 max_bytes);

/* Returns the path of a folder for SQLite's databases, which are opened by name: the path contains no symbolic link.
 * Removes everything in it that is not a regular file of the user's with one name.
 * Returns: (transfer full) (nullable): there is no such folder, or another user owns it; with errno */
char      *jank_folder_get_databases (const char *store, const char *below, JankHomeUse use);
