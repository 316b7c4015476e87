/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library that brings jankwatch into programs that use GLib and never GIO, and into those behind a wrapper. */

#pragma once

#include <glib.h>

/* command: as argv[0]. ret_why: (transfer none) (nullable): why not; NULL otherwise.
 * Returns: (transfer full) (nullable): what to put into LD_PRELOAD */
char *preload_find (const char *command, const char **ret_why);
