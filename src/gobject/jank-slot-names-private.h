/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the words of class and interface structures are called. Public structures only: their layout is ABI. Any
 * thread. */

#pragma once

#include <glib.h>

/* The classes of GTK 3 and 4 have the same names, but not the same words. major: of the program's GTK; 0, as before the
 * first call: not known, and none of them has a name. */
void  jank_slot_names_set_gtk (guint major);

/* type: the class that added the word to its structure. word: 64-bit words from the start of the structure.
 * Returns: (transfer full) (nullable): unknown */
char *jank_slot_name          (const char *type, guint word);
