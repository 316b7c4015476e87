/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "table.h"

#include <glib/gi18n.h>

#include "cli.h"

#define UNLIMITED_COLUMNS 10000
#define MIN_LAST_COLUMNS  12
#define GAP               2
/* Bytes that are printed at once. */
#define CHUNK             65536

JankTextStyle
cli_table_style (void)
{
  return cli_text_style (stdout, UNLIMITED_COLUMNS);
}

static void
append_row (GString *out, const JankTextStyle *style, const CliColumn *columns, guint n_columns, const char *const *row,
            const guint *widths, const char *sgr)
{
  guint at = 0;

  for (guint i = 0; i < n_columns; i++)
    {
      guint n_left = MAX (style->n_columns, at + MIN_LAST_COLUMNS) - at;

      if (style->n_columns < columns[i].n_columns)
        continue;
      if (columns[i].right)
        jank_text_append_right (out, style, row[i], widths[i], sgr);
      else
        jank_text_append_left (out, style, row[i], i + 1 < n_columns ? widths[i] : MIN (widths[i], n_left), sgr);
      jank_text_append (out, style, "  ", NULL);
      at += widths[i] + GAP;
    }
  jank_text_end_line (out);
}

void
cli_print_table (const CliColumn *columns, guint n_columns, GPtrArray *rows)
{
  JankTextStyle style = cli_table_style ();
  g_autofree const char **titles = g_new0 (const char *, n_columns);
  g_autofree guint *widths = g_new0 (guint, n_columns);
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint j = 0; j < n_columns; j++)
    {
      titles[j] = *columns[j].title != '\0' ? g_dpgettext2 (NULL, "column", columns[j].title) : "";
      widths[j] = jank_text_width (titles[j]);
    }
  for (guint i = 0; i < rows->len; i++)
    for (guint j = 0; j < n_columns; j++)
      widths[j] = MAX (widths[j], jank_text_width (((GStrv) g_ptr_array_index (rows, i))[j]));

  append_row (out, &style, columns, n_columns, titles, widths, JANK_TEXT_BOLD);
  for (guint i = 0; i < rows->len; i++)
    {
      append_row (out, &style, columns, n_columns, g_ptr_array_index (rows, i), widths, NULL);
      if (out->len < CHUNK)
        continue;
      g_print ("%s", out->str);
      g_string_truncate (out, 0);
    }
  g_print ("%s", out->str);
}
