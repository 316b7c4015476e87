/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hashes of what a file says: with GLib's own, whoever wrote the file chooses keys of one hash, and a table of n of
 * them takes n² steps. These depend on a number that nobody knows. Any thread. */

#pragma once

#include <glib.h>

/* Of a gint64, as g_int64_hash(); of all its bits. */
guint jank_hash_int64 (gconstpointer n);
/* As g_str_hash(). */
guint jank_hash_text  (gconstpointer text);
