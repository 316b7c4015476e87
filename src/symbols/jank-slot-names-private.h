/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the words of class and interface structures are called. Public structures only: their layout is ABI. Pure;
 * any thread. */

#pragma once

#include <glib.h>

/* type: the class that added the word to its structure. word: 64-bit words from the start of the structure.
 * Returns: (transfer full) (nullable): unknown */
char *jank_slot_name (const char *type, guint word);
