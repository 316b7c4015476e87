/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads the symbols that compilers of D encode: "app.Window.load", and "!(…)" for template arguments. As of
 * jank_function_name(), which calls this, symbols may be hostile. Pure; any thread. */

#pragma once

#include <glib.h>

/* symbol: after its "_D". Returns: whether it is a name of D's; then all of it is in out */
gboolean jank_d_name_read (const char *symbol, GString *out);
