/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All reports of a store as rows, without opening each file every time. The reports are the truth: the index beside
 * them (STORE/index/) is made again whenever it is missing, of another version or damaged, and what cannot be
 * written there is kept in memory. Only the command reads and writes it: no watched program ever waits for it. One
 * thread; blocks on the disk; several processes may do this at once. */

#pragma once

#include "index/jank-filter-private.h"
#include "store/jank-store-private.h"

typedef struct _JankIndex JankIndex;

/* Told of each *.json file in the store that is no report: a sentence that names the file and what is wrong with it. */
typedef void (*JankIndexBadFunc) (const char *sentence, gpointer data);
/* Called after each file that is read. */
typedef void (*JankIndexReadFunc) (guint n_read, guint n, gpointer data);

/* Reads what has changed in the folder since the last time. store is borrowed. read (nullable).
 * Returns: (transfer full) (nullable): the folder cannot be read */
JankIndex *jank_index_new  (JankStore *store, JankIndexBadFunc bad, JankIndexReadFunc read, gpointer data,
                            GError **error);
void       jank_index_free (JankIndex *self);

/* The reports that filter (nullable: all) lets pass, newest first; load one with jank_store_load (store, row->id). One
 * that is ongoing in a process that is gone is killed, as there.
 * Returns: (transfer full) (element-type JankRow) */
GPtrArray *jank_index_find (JankIndex *self, JankFilter *filter);

/* After jank_index_find() with that filter: the files of sessions whose reports filter lets pass, in no order.
 * Returns: (transfer full) (element-type JankSessionSummary) */
GPtrArray *jank_index_find_sessions (JankIndex *self, const JankFilter *filter);

/* Finds the culprit's name in debug information, as jank_report_fill_culprit_line() of text/ does. */
typedef void (*JankRowsFunc) (JankReport *report, gpointer data);

/* The culprits' names, and what tells two of one apart. rows: JankRow; data: of fill; known: utf8 GStrv, kept; step:
 * (nullable) */
void       jank_rows_name  (GPtrArray *rows, JankStore *store, JankRowsFunc fill, gpointer data, GHashTable *known,
                            void (*step) (guint n_done, guint n));

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankIndex, jank_index_free)
