/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library that brings jankwatch into programs that use GLib and never GIO, and into those behind a wrapper. */

#pragma once

#include <glib.h>

/* command: as argv[0]. is_strict: the one that sees calls that may block. ret_why: (transfer full) (nullable): why
 * not; NULL otherwise. Returns: (transfer full) (nullable): what to put into LD_PRELOAD */
char *preload_find (const char *command, gboolean is_strict, char **ret_why);

/* path: of a program that no library can be preloaded into. Returns: (transfer full): what follows its name */
char *preload_explain_foreign (const char *path);
