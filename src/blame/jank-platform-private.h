/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The libraries that belong to no program in particular: data/platform-libraries.list, compiled in. */

#pragma once

#include <glib.h>

/* file: name of a module without its folder, such as "libgtk-4.so.1" or "[vdso]". */
gboolean jank_platform_contains (const char *file);
