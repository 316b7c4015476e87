/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the window's reports come from: a store, of which a filter lets some pass, or files. Reading is done in
 * threads; answers come in the main context of the caller. */

#pragma once

#include <gio/gio.h>

#include "index/jank-index-private.h"
#include "index/jank-problem-private.h"

/* What can be shown. Shared by reference counting (g_atomic_rc_box); never changes. */
typedef struct
{
  GPtrArray *rows;     /* (owned) of JankRow */
  GPtrArray *problems; /* (owned) of JankProblem: those with the most time first */
  GPtrArray *files;    /* (owned) of JankSessionSummary: what sessions say of each of their processes */
  GPtrArray *bad;      /* (owned) of utf8: a sentence for each file that is no report; cleaned */
} JankViewList;

void            jank_view_list_unref         (JankViewList *self);

/* The process's. Returns: (nullable) */
const JankSessionSummary *jank_view_list_find_file (const JankViewList *self, const char *session, gint pid);

typedef struct _JankViewSource JankViewSource;

/* store, filter: (transfer full) */
JankViewSource *jank_view_source_new_store   (JankStore *store, JankFilter *filter);
JankViewSource *jank_view_source_new_files   (char **paths);
JankViewSource *jank_view_source_ref         (JankViewSource *self);
void            jank_view_source_unref       (JankViewSource *self);

void            jank_view_source_list        (JankViewSource *self, GCancellable *cancellable,
                                              GAsyncReadyCallback callback, gpointer data);
/* Returns: (transfer full) (nullable) */
JankViewList   *jank_view_source_list_finish (GAsyncResult *result, GError **error);

/* id: of a row. Names and lines come from the debug information of this machine. */
void            jank_view_source_load        (JankViewSource *self, const char *id, GCancellable *cancellable,
                                              GAsyncReadyCallback callback, gpointer data);
/* ret_lines: (nullable): of the source, around the culprit, as jank_export_source_lines() has them.
 * Returns: (transfer full) (nullable) */
JankReport     *jank_view_source_load_finish (GAsyncResult *result, char **ret_lines, GError **error);

/* Returns: (nullable): they are files */
const char     *jank_view_source_get_folder  (const JankViewSource *self);
/* versions (nullable): of the program that have the problem. JANK_ERROR_UNAVAILABLE where there is no store. */
gboolean        jank_view_source_set_resolved (JankViewSource *self, const char *fingerprint, gboolean resolved,
                                               const char *const *versions, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankViewList, jank_view_list_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankViewSource, jank_view_source_unref)
