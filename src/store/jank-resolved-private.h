/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Problems that somebody says are solved: the file STORE/resolved has a line for each, "FINGERPRINT", then, after tabs,
 * when that was said (µs since the Unix epoch) and the versions of the program that had the problem until then. The
 * inspector's tick and `jankwatch resolve` write it, by rename. Any thread; blocks on the disk. */

#pragma once

#include <glib.h>

typedef struct
{
  gint64   when_us;
  char   **versions; /* (owned) */
} JankResolved;

/* Returns: (transfer full) (element-type utf8 JankResolved): by fingerprint; empty where there is no such file */
GHashTable *jank_resolved_load (const char *store);

/* Says that fingerprint is solved in all versions after these (nullable), or (resolved FALSE) is not. What others have
 * written meanwhile stays. */
gboolean    jank_resolved_set  (const char *store, const char *fingerprint, gboolean resolved,
                                const char *const *versions, GError **error);
