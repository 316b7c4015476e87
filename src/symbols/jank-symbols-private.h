/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names the functions of a batch of calls from the symbol tables of the files on disk. Never through dladdr(): it
 * takes the loader's lock, which the observed thread may hold. Files on remote mounts get a moment to answer;
 * without an answer there are no names. Watcher thread only. */

#pragma once

#include "elf/jank-name-from-private.h"
#include "unwind/jank-code-map-private.h"
#include "unwind/jank-stack-private.h"

typedef struct
{
  char        *name;  /* (owned) (nullable): without @VERSION; C++ and Rust names stay encoded; of a script:
                         qualified */
  guint64      start; /* address in this process, 0 without name */
  JankNameFrom from;
} JankSymbol;

/* Fills one symbol per call. Each module's file is opened once; a file that is not the loaded one gives no names. For
 * modules with a build-id, the map remembers answers, for whole functions: a stall that continues or recurs reads no
 * file. */
void jank_symbols_resolve (JankCodeMap *map, const JankCall *calls, guint n_calls, JankSymbol *ret_symbols);
void jank_symbols_clear   (JankSymbol *symbols, guint n_symbols);
