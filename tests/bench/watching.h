/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The monitor of the user of this program, which does not link the library: the module has opened it, or not. */

#pragma once

#include <glib-object.h>

/* Of the library. Returns: (nullable) */
gpointer watching_find        (const char *symbol);

/* Returns: (transfer none) (nullable) */
GObject *watching_get_monitor (void);

/* CPU time of the thread that watches, in ns; 0 without one. Exact, where pairs of runs vary by more than it takes. */
gint64   watching_read_cpu_ns (void);

/* Begins to watch, or ends it altogether. Returns: whether it is so now */
gboolean watching_set         (gboolean watched);
