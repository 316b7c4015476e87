/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What only some programs need is in libraries beside this one, opened on first use. A thread of the program's, since
 * the loader may wait for a thread that is loading something. */

#pragma once

#include <glib.h>

/* Opens the library for good. Returns: (nullable): NULL: error is G_FILE_ERROR_NOENT if there is no such file */
gpointer jank_plugin_find (const char *library, const char *symbol, GError **error);
