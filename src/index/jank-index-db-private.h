/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rows in SQLite. A file is only ever changed by transactions; one that is not as this version writes it is
 * damaged. Each new file has a name that no file had before, so nobody's journal is taken for another's. */

#pragma once

#include "index/jank-row-private.h"
#include "store/jank-folder-private.h"

typedef struct _JankIndexDb JankIndexDb;

/* The newest file in folder. Returns: (transfer full) (nullable): there is none that can be used */
JankIndexDb *jank_index_db_open    (const char *folder);
/* An empty one. folder NULL: in memory. Returns: (transfer full) (nullable): the folder cannot be written */
JankIndexDb *jank_index_db_create  (const char *folder);
/* The file goes, too, if it failed. */
void         jank_index_db_free    (JankIndexDb *self);

/* Whether each call so far worked; if not, the file is damaged, the disk full, or another process has kept it
 * locked. */
gboolean     jank_index_db_is_fine (const JankIndexDb *self);

/* All other files in the folder go. */
void         jank_index_db_supersede (JankIndexDb *self);

/* What is known of a file: it was read as entry says, and is bad if there is a reason (nullable). */
typedef void (*JankIndexDbFileFunc) (const JankFolderEntry *entry, const char *reason, gpointer data);
void         jank_index_db_each    (JankIndexDb *self, gboolean only_bad, JankIndexDbFileFunc callback, gpointer data);

/* A state of the folder with the reports, as text. Returns: (transfer full) (nullable): not known */
char        *jank_index_db_get_state (JankIndexDb *self);

/* Changes come between begin and commit. state (nullable): as above; only kept when no other process has changed the
 * file since jank_index_db_each() for all. */
void         jank_index_db_begin   (JankIndexDb *self);
void         jank_index_db_remove  (JankIndexDb *self, const char *name);
/* entry takes the place of what was known of its file. Either row or reason is NULL. */
void         jank_index_db_put     (JankIndexDb *self, const JankFolderEntry *entry, const JankRow *row,
                                    const char *reason);
void         jank_index_db_commit  (JankIndexDb *self, const char *state);

/* The next row, newest first; after the last one it begins again.
 * Returns: (transfer full) (nullable): there is none, or the file is damaged */
JankRow     *jank_index_db_read    (JankIndexDb *self);
