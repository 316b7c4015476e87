/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Describes functions by their place in GObject's type system: "EditorPage.size_allocate" is the function in that slot
 * of the class structure. Nothing of GObject is called: its locks may be held by the thread that hangs. The tables are
 * read from outside, by safe copies, once their layout has been recognized; no class comes into being by that. Watcher
 * thread only. */

#pragma once

#include <glib.h>

/* What begins the description of a function in a slot that has no name. */
#define JANK_SLOT_METHOD "method of "

typedef struct
{
  guint64 function;    /* set by the caller: address of its first instruction */
  char   *description; /* (owned) (nullable) */
} JankSlot;

/* slots: in ascending order of function. types_begin, types_end: addresses that libgobject-2.0 spans. Costs about a
 * millisecond for a thousand classes. */
void jank_type_slots_describe (guint64 types_begin, guint64 types_end, JankSlot *slots, guint n_slots);

/* What the words of class and interface structures are called. Public structures only: their layout is ABI. Any
 * thread. */

/* The classes of GTK 3 and 4 have the same names, but not the same words. major: of the program's GTK; 0, as before the
 * first call: not known, and none of them has a name. */
void  jank_slot_names_set_gtk (guint major);

/* type: the class that added the word to its structure. word: 64-bit words from the start of the structure.
 * Returns: (transfer full) (nullable): unknown */
char *jank_slot_name          (const char *type, guint word);
