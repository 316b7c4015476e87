/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Watched programs as rows of a table. Single-threaded. */

#pragma once

#include "cli/table.h"
#include "program-rows.h"

/* Lines, the first has the titles. chosen: that row is shown as such, and ret_lines set to the number of lines before
 * it, and with it; or G_MAXUINT. Returns: (transfer full) */
char *program_table_draw   (const GArray *rows, const JankTextStyle *style, guint chosen, guint ret_lines[2]);
