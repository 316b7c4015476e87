/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names of the functions that a batch of calls runs in, from the symbol tables of the files on disk.
 * Never dladdr(): it takes the loader's lock, which the observed thread may hold. Files that another machine answers
 * for have a moment to do so, and else no names. Watcher thread only. */

#pragma once

#include "unwind/jank-code-map-private.h"
#include "unwind/jank-stack-private.h"

typedef struct
{
  char   *name;  /* (owned) (nullable): without @VERSION; C++ and Rust names stay as they are encoded */
  guint64 start; /* address in this process, 0 without name */
} JankSymbol;

/* Fills one symbol per call. Each module's file is opened once, and gives no name when it is not the file that was
 * loaded. What it says is remembered with the map, for the whole function, as far as the module has a build-id: the
 * calls of a stall that goes on, or comes again, cost no look at any file. */
void jank_symbols_resolve (JankCodeMap *map, const JankCall *calls, guint n_calls, JankSymbol *ret_symbols);
void jank_symbols_clear   (JankSymbol *symbols, guint n_symbols);
