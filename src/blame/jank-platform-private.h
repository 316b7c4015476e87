/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Libraries that belong to no particular program: data/platform-libraries.list, compiled in, and what comes with
 * Python and gjs. */

#pragma once

#include <glib.h>

/* path: of a module, or its name without folder, such as "libgtk-4.so.1" or "[vdso]"; of a script, as its
 * interpreter knows it. */
gboolean jank_platform_contains       (const char *path);

/* Whether the file runs scripts, or leads from them into native code. */
gboolean jank_platform_is_interpreter (const char *path);

/* Whether the file is a graphics driver or one of its compilers: which of its functions runs is chance. */
gboolean jank_platform_is_driver      (const char *path);

/* Whether a program that calls the file's functions asks for what they wait for. */
gboolean jank_platform_waits          (const char *path);
