/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "table.h"

#include "cli.h"

#define UNLIMITED_COLUMNS 10000
#define GAP               2
#define CHUNK             65536 /* bytes of texts that are allocated or printed at once */
typedef struct
{
  const char *text;
  guint width;
} Cell;

struct _CliTable
{
  const CliColumn *columns;
  guint            n_columns;
  GStringChunk    *texts;  /* (owned) */
  GArray          *cells;  /* (owned) (element-type Cell): the first row has the titles */
  guint           *widths; /* (owned): of the columns */
};

JankTextStyle
cli_table_style (void)
{
  return cli_text_style (stdout, UNLIMITED_COLUMNS);
}

CliTable *
cli_table_new (const CliColumn *columns, guint n_columns)
{
  CliTable *self = g_new0 (CliTable, 1);

  self->columns = columns;
  self->n_columns = n_columns;
  self->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  self->texts = g_string_chunk_new (CHUNK);
  self->widths = g_new0 (guint, n_columns);
  for (guint i = 0; i < n_columns; i++)
    cli_table_take (self, g_strdup (*columns[i].title != '\0' ? g_dpgettext2 (NULL, "column", columns[i].title) : ""));
  return self;
}

void
cli_table_free (CliTable *self)
{
  g_string_chunk_free (self->texts);
  g_array_unref (self->cells);
  g_free (self->widths);
  g_free (self);
}

void
cli_table_take (CliTable *self, char *text)
{
  Cell cell = { g_string_chunk_insert (self->texts, text), jank_text_width (text) };
  guint *width = &self->widths[self->cells->len % self->n_columns];

  *width = MAX (*width, cell.width);
  g_array_append_val (self->cells, cell);
  g_free (text);
}

static void
append_cell (GString             *out,
             const JankTextStyle *style,
             const Cell          *cell,
             gboolean             right,
             guint                n_columns,
             const char          *sgr)
{
  guint n_blanks = n_columns - MIN (cell->width, n_columns);

  if (cell->width > n_columns)
    {
      jank_text_append_left (out, style, cell->text, n_columns, sgr);
      return;
    }
  if (right)
    jank_text_append_blanks (out, n_blanks);
  jank_text_append (out, style, cell->text, sgr);
  if (!right)
    jank_text_append_blanks (out, n_blanks);
}

static gboolean
is_shown (const CliTable *self, guint i, const JankTextStyle *style)
{
  return style->n_columns >= self->columns[i].n_columns;
}

/* The widest that may be cut, for what it needs at least, loses a column until a row fits. */
void
cli_table_fit (CliTable *self, const JankTextStyle *style)
{
  guint n_all = 0;

  for (guint i = 0; i < self->n_columns; i++)
    if (is_shown (self, i, style))
      n_all += (n_all > 0 ? GAP : 0) + self->widths[i];
  for (; n_all > style->n_columns; n_all--)
    {
      guint widest = 0;
      double most = 1.0;

      for (guint i = 0; i < self->n_columns; i++)
        if (is_shown (self, i, style) && self->columns[i].n_least > 0 &&
            (double) self->widths[i] / self->columns[i].n_least > most)
          {
            most = (double) self->widths[i] / self->columns[i].n_least;
            widest = i;
          }
      if (most <= 1.0)
        return;
      self->widths[widest]--;
    }
}

void
cli_table_append_row (const CliTable *self, GString *out, const JankTextStyle *style, guint row, const char *sgr)
{
  const Cell *cells = &g_array_index (self->cells, Cell, row * self->n_columns);

  for (guint i = 0; i < self->n_columns; i++)
    {
      if (!is_shown (self, i, style))
        continue;
      append_cell (out, style, &cells[i], self->columns[i].right, self->widths[i], sgr);
      if (i + 1 < self->n_columns)
        jank_text_append_blanks (out, GAP);
    }
  jank_text_end_line (out);
}

void
cli_table_print (CliTable *self)
{
  JankTextStyle style = cli_table_style ();
  g_autoptr (GString) out = g_string_new (NULL);

  cli_table_fit (self, &style);
  for (guint i = 0; i < self->cells->len / self->n_columns; i++)
    {
      cli_table_append_row (self, out, &style, i, i == 0 ? JANK_TEXT_BOLD : NULL);
      if (out->len < CHUNK)
        continue;
      g_print ("%s", out->str);
      g_string_truncate (out, 0);
    }
  g_print ("%s", out->str);
}
