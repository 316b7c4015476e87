/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reports as files: folder/ID.json, one per stall, for the user alone, bounded in number and bytes. Many
 * processes use one folder at once. Any one thread, but several may load; blocks on the disk. */

#pragma once

#include "report/jank-report-private.h"

#define JANK_STORE_LATEST "latest"

typedef struct _JankStore JankStore;

/* Touches no file yet. Before each new report others go, as jank_retention_next() says, until it fits into
 * max_reports and max_bytes. */
JankStore  *jank_store_new         (const char *folder, guint max_reports, guint64 max_bytes);
void        jank_store_free        (JankStore *self);
const char *jank_store_get_folder  (JankStore *self);

/* "20261121-153012-4242-1": UTC time, process, number in this process.
 * Returns: (transfer full) */
char       *jank_store_make_id     (void);
gboolean    jank_store_is_id       (const char *text);

/* Writes report->id.json, new or again; with an error what was there before stays. */
gboolean    jank_store_write       (JankStore *self, JankReport *report, GError **error);

gboolean    jank_store_has         (JankStore *self, const char *id);

/* name: an ID, the beginning of one that fits no other, or "latest". JANK_ERROR_NOT_FOUND without one. An ongoing
 * report whose process is gone comes back as killed.
 * Returns: (transfer full) (nullable) */
JankReport *jank_store_load        (JankStore *self, const char *name, GError **error);

/* The same of a whole ID, without stacks, calls, threads, sources, frame_clock, process, toolkit, limit and self;
 * nothing is checked that stands in them. In a third of the time. */
JankReport *jank_store_load_brief  (JankStore *self, const char *id, GError **error);

gboolean    jank_store_remove      (JankStore *self, const char *id, GError **error);

/* TRUE when process pid runs and was started before real_us (since the Unix epoch): a younger one merely
 * got the number of one that is gone. A zombie is gone. */
gboolean    jank_process_is_alive  (gint pid, gint64 real_us);

/* Adds to a report whom its program waited for: for readers, beside its file. FALSE: there is no such report, or that
 * cannot be written */
gboolean    jank_store_keep_chain  (JankStore *self, const char *id, const JankReportChain *chain);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankStore, jank_store_free)
