/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a program can call instead of a function that keeps its main loop. Pure; any thread. */

#pragma once

#include <glib.h>

/* function: by its symbol, or as its language names it; file: where it is, a library or a source, (nullable);
 * as_binding: the program knows functions as Python and JavaScript name them. Returns: (transfer full) (nullable): a
 * sentence, “g_timeout_add() does not block the main loop” or “GLib.timeout_add() …”; no advice is certain */
char *jank_advice_find (const char *function, const char *file, gboolean as_binding);
