/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

/* level: 1, quickest, to 9, smallest; -1: between. Returns: (transfer full): n_bytes of data, compressed */
GBytes  *jank_gzip           (gconstpointer data, gsize n_bytes, gint level);
gboolean jank_gzip_is_packed (GBytes *bytes);
