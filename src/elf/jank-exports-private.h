/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions that a loaded library exports, read from its symbol table in memory: no loader lock is taken, and the
 * answer is the library's own function even where another one interposes it. Any thread. */

#pragma once

#include <glib.h>

/* A library's dynamic symbols; addresses in this process. */
typedef struct
{
  guint64 load_bias;
  guint64 symbols, strings;
  guint64 buckets, chain;
  guint32 n_buckets, first_symbol;
} JankExports;

/* link_map: of the loader. FALSE: gone, or no table that we read. */
gboolean jank_exports_open (guint64 link_map, JankExports *ret_exports);

typedef struct
{
  guint64 address;
  guint64 n_bytes; /* of code */
} JankExport;

/* All versions of a function, at most max. Returns: how many */
guint    jank_exports_find (const JankExports *self, const char *name, JankExport *ret_found, guint max);

/* Where the function's code jumps to outside it, at most max: a function that ends with such a jump is on no stack
 * then, but the other one is. Bytes that only look like a jump lead to addresses where no function begins. Returns:
 * how many */
#define JANK_EXPORTS_MAX_JUMPS 64
guint    jank_exports_find_jumps (const JankExport *function, guint64 *ret_targets, guint max);

/* Whether a function of any name begins at address. Costs a copy of the whole table. */
gboolean jank_exports_has_function (const JankExports *self, guint64 address);

/* ret_n_bytes: (nullable) (out): of the variable. Returns: address of a variable, 0: there is none */
guint64  jank_exports_find_data (const JankExports *self, const char *name, guint64 *ret_n_bytes);
