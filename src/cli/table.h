/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rows of text in columns, on stdout. */

#pragma once

#include "text/jank-text-private.h"

typedef struct
{
  const char *title;      /* untranslated, of the context "column" */
  gboolean    right;      /* aligned so */
  guint       n_columns;  /* a terminal narrower than this does not show it; 0: always there */
  guint       n_least;    /* it may be cut to so much where there is no room; 0: never */
} CliColumn;

typedef struct _CliTable CliTable;

/* columns: borrowed. */
CliTable *cli_table_new  (const CliColumn *columns, guint n_columns);
void      cli_table_free (CliTable *self);

/* The next cell of a row, from left to right, then of the next row. text: (transfer full), cleaned */
void      cli_table_take (CliTable *self, char *text);

/* Where stdout is no terminal every column is there, whole; else the widest are cut, so that no row wraps. */
void      cli_table_print (CliTable *self);

/* The same by rows, after one call of cli_table_fit(): row 0 has the titles. sgr (nullable): of its cells */
void      cli_table_fit        (CliTable *self, const JankTextStyle *style);
void      cli_table_append_row (const CliTable *self, GString *out, const JankTextStyle *style, guint row,
                                const char *sgr);

/* The style that it prints in. */
JankTextStyle cli_table_style (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CliTable, cli_table_free)
