/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names C functions as Python calls them: "time.sleep", "list.sort". A module's and a type's C functions stand in
 * tables of PyMethodDef in the data of their file, which are read by safe copies. The layouts are those of CPython's
 * stable ABI. Watcher thread only. */

#pragma once

#include "unwind/jank-code-map-private.h"

typedef struct _JankMethodTables JankMethodTables;

/* The tables of one file. Costs a copy of its data segments. Returns: (transfer full) (nullable): no CPython is
 * known to map */
JankMethodTables *jank_method_tables_new  (JankCodeMap *map, guint32 module);
void              jank_method_tables_free (JankMethodTables *self);

/* function: address of its first instruction. Returns: (transfer full) (nullable): NULL also where types share it,
 * such as set.union and frozenset.union: which one is meant is not known */
char             *jank_method_tables_find (JankMethodTables *self, guint64 function);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankMethodTables, jank_method_tables_free)
