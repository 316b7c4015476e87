/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last busy periods that were long enough for a stack but no stalls, in words, since the page was opened. The
 * watcher thread adds, GTK's thread asks; the lock is held for a few assignments. */

#pragma once

#include <glib.h>

/* culprit, innermost: functions (nullable), copied. Without either, nothing is kept. */
void  jank_inspector_briefs_add  (gint64 began_ns, gint64 ended_ns, const char *culprit, const char *innermost);

/* Where the period that covers most of [began_ns, ended_ns] spent its time: "load_words → strlen".
 * Returns: (transfer full) (nullable): none is known; else ret_busy_ns is its length */
char *jank_inspector_briefs_find (gint64 began_ns, gint64 ended_ns, gint64 *ret_busy_ns);
