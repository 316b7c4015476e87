/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Libraries that belong to no particular program: data/platform-libraries.list, compiled in. */

#pragma once

#include <glib.h>

/* file: a module's name without folder, such as "libgtk-4.so.1" or "[vdso]". */
gboolean jank_platform_contains (const char *file);
