/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Libraries that belong to no particular program: data/platform-libraries.list, compiled in, and what comes with
 * Python and gjs. */

#pragma once

#include <glib.h>

typedef enum
{
  JANK_PLATFORM_OTHER,
  JANK_PLATFORM_INTERPRETER, /* runs scripts, or leads from them into native code */
  JANK_PLATFORM_DRIVER,      /* of graphics, or one of its compilers: which of its functions runs is chance */
  JANK_PLATFORM_WAITS,       /* a program that calls its functions asks for what they wait for */
} JankPlatformKind;

/* path: of a module, or its name without folder, such as "libgtk-4.so.1" or "[vdso]"; of a script, as its
 * interpreter knows it. */
gboolean jank_platform_contains (const char *path);

gboolean jank_platform_is       (const char *path, JankPlatformKind kind);
