/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What people call a function whose symbol a C++ or Rust compiler has encoded: its qualified name, without parameters and
 * with "<…>" for template arguments: "Foo::Bar<…>::draw". Whatever is not understood stays as it is. Symbols come from
 * files that nobody vouches for, so the result is at most as long as it is said here, whatever they spell out: a full
 * demangler's grows exponentially. Pure; any thread. */

#pragma once

#include <glib.h>

/* Longer symbols stay as they are. */
#define JANK_FUNCTION_NAME_MAX_BYTES 2048

/* symbol: (nullable). Returns: (transfer full): as jank_text_clean() returns text */
char *jank_function_name (const char *symbol);
