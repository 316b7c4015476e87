/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

/* symbol: one of at most JANK_FUNCTION_NAME_MAX_BYTES that begins with "_R". Appends the qualified name, without
 * generic arguments: "<Foo as core::ops::Drop>::drop". Returns: (nullable): what follows the name within symbol; NULL:
 * unknown */
const char *jank_rust_name_read (const char *symbol, GString *name);
