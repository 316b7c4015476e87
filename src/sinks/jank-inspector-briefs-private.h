/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For the page in GTK's inspector: the last busy periods that were long enough for a stack but no stalls, in words. The
 * watcher thread adds, the loop's thread asks; the lock is held for a few assignments. */

#pragma once

#include <glib.h>

#define JANK_INSPECTOR_BRIEFS_MAX 128

typedef struct _JankInspectorBriefs JankInspectorBriefs;

JankInspectorBriefs *jank_inspector_briefs_new  (void);
void                 jank_inspector_briefs_free (JankInspectorBriefs *self);

/* culprit, innermost: functions (nullable), copied. Without either, nothing is kept. */
void                 jank_inspector_briefs_add  (JankInspectorBriefs *self, gint64 began_ns, gint64 ended_ns,
                                                 const char *culprit, const char *innermost);

/* Where the period that covers most of [began_ns, ended_ns] spent its time: "load_words → strlen".
 * Returns: (transfer full) (nullable): none is known; else ret_busy_ns is its length */
char                *jank_inspector_briefs_find (JankInspectorBriefs *self, gint64 began_ns, gint64 ended_ns,
                                                 gint64 *ret_busy_ns);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankInspectorBriefs, jank_inspector_briefs_free)
