/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads the output of JS::FormatStackDump(). Names come from the program, so any bytes may occur. Watcher thread
 * only. */

#pragma once

#include "unwind/jank-scripts-private.h"

/* Reads at most max lines such as `1 <TOP LEVEL> ["app.js":2:4]` and `0 onLoad/<() ["file:///home/u/app.js":29:58]`;
 * skips lines that are no call. Returns: how many calls */
guint jank_javascript_text_read (const char *text, gsize n_bytes, JankScripts *scripts, JankCall *ret_calls, guint max);

/* Adds one call; name and file are the engine's. */
gboolean jank_javascript_text_add (JankScripts *scripts, const char *name, const char *file, guint line,
                                   JankCall *ret_call);
