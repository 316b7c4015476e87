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
} CliColumn;

/* rows: (element-type GStrv): n_columns texts each, cleaned. Where stdout is no terminal every column is there, whole; else
 * the last one is cut to what is left. */
void  cli_print_table (const CliColumn *columns, guint n_columns, GPtrArray *rows);

/* The style that it prints in. */
JankTextStyle cli_table_style (void);
