/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* When a person last looked at what was new in a store: its file "last-look". Any thread; blocks on the disk. */

#pragma once

#include <glib.h>

/* Returns: µs since the Unix epoch; 0: nobody has */
gint64   jank_last_look_load (const char *store);
gboolean jank_last_look_save (const char *store, gint64 real_us, GError **error);
