/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads the symbols that C++ and Rust compilers encode: gives the qualified name, without parameters and with
 * "<…>" for template arguments: "Foo::Bar<…>::draw". Other symbols stay as they are. Symbols may be hostile, and
 * the output of a full demangler grows exponentially; this one's is bounded. Pure; any thread. */

#pragma once

#include <glib.h>

/* Longer names are cut: more than anybody reads, in every line of a stack. */
#define JANK_FUNCTION_NAME_MAX_SHOWN 512
/* Longer symbols stay encoded. */
#define JANK_FUNCTION_NAME_MAX_BYTES 2048

/* What GTK does for a frame, in functions without a name. */
#define JANK_FUNCTION_FRAME "gtk-frame"

/* symbol: (nullable), or a description; "slot EditorPage.init" is "EditorPage.init". Returns: (transfer full): ""
 * for NULL */
char *jank_function_name (const char *symbol);
