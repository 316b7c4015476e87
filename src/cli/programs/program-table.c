/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "programs.h"

#include <glib/gi18n.h>

#define INDENT 4

static const CliColumn columns[] = {
  { NC_("column", "Program"), FALSE, 0, 8 },
  { NC_("column", "Process"), TRUE, 56, 0 },
  { NC_("column", "Now"), FALSE, 0, 0 },
  { NC_("column", "Stalls"), TRUE, 0, 0 },
  { NC_("column", "Longest"), TRUE, 96, 0 },
  { NC_("column", "Hang rate"), TRUE, 72, 0 },
  { NC_("column", "FPS"), TRUE, 64, 0 },
  { NC_("column", "Late"), TRUE, 80, 0 },
  { NC_("column", "Overhead"), TRUE, 80, 0 },
};

static void
take_row (CliTable *table, const ProgramRow *row)
{
  const JankLive *live = row->program->live;

  cli_table_take (table, g_strdup (jank_text_or_empty (live->name)));
  cli_table_take (table, row->program->pid > 0 ? g_strdup_printf ("%d", row->program->pid) : g_strdup ("?"));
  cli_table_take (table, program_row_say_state (row));
  cli_table_take (table, g_strdup_printf ("%" G_GUINT64_FORMAT, row->n_stalls));
  cli_table_take (table, row->n_stalls > 0 ? jank_text_duration (row->longest_ns) : g_strdup (""));
  cli_table_take (table, row->has_rate ? g_strdup_printf (_("%.0f s/h"), row->hang_rate) : g_strdup (""));
  cli_table_take (table, live->fps >= 0.0 ? g_strdup_printf ("%.0f", live->fps) : g_strdup (""));
  cli_table_take (table, live->n_frames == 0 ? g_strdup ("")
                                             : jank_text_share ((double) live->n_late / (double) live->n_frames));
  cli_table_take (table, g_strdup_printf ("%.1f %%", 100.0 * row->overhead));
}

/* What it does, in lines below its row. */
static void
append_doing (GString *out, const ProgramRow *row, const JankTextStyle *style)
{
  g_autofree char *doing = row->is_stopped ? g_strdup (_("stopped by a signal or a debugger"))
                           : row->rank < 2 && row->program->stall != NULL
                             ? program_row_say (row->program->stall, row->chain)
                                                                          : NULL;
  g_autoptr (GString) text = g_string_new (doing);

  if (doing == NULL)
    return;
  if (style->ascii)
    jank_text_make_ascii (text);
  jank_text_append_blanks (out, INDENT);
  jank_text_append_wrapped (out, style, text->str, INDENT, INDENT, NULL);
}

/* Reversed over the whole line; that is no colour. */
static void
append_chosen (GString *out, const CliTable *table, guint at, const JankTextStyle *style, const char *sgr)
{
  const char *color = style->color ? jank_text_or_empty (sgr) : "";
  JankTextStyle plain = *style;
  g_autoptr (GString) text = g_string_new (NULL);

  plain.color = FALSE;
  cli_table_append_row (table, text, &plain, at, NULL);
  g_string_truncate (text, text->len - 1);
  g_string_append_printf (out, "\033[7%s%sm", *color != '\0' ? ";" : "", color);
  jank_text_append_left (out, &plain, text->str, plain.n_columns, NULL);
  g_string_append (out, "\033[0m\n");
}

static guint
count_lines (const char *text)
{
  guint n = 0;

  for (; *text != '\0'; text++)
    n += *text == '\n';
  return n;
}

char *
program_table_draw (const GArray *rows, const JankTextStyle *style, guint chosen, guint ret_lines[2])
{
  g_autoptr (CliTable) table = cli_table_new (columns, G_N_ELEMENTS (columns));
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < rows->len; i++)
    take_row (table, &g_array_index (rows, ProgramRow, i));
  cli_table_fit (table, style);
  cli_table_append_row (table, out, style, 0, JANK_TEXT_BOLD);
  for (guint i = 0; i < rows->len; i++)
    {
      const ProgramRow *row = &g_array_index (rows, ProgramRow, i);
      const char *sgr = row->rank == 0 ? JANK_TEXT_RED : row->rank == 1 ? JANK_TEXT_YELLOW : NULL;

      if (i == chosen)
        ret_lines[0] = count_lines (out->str);
      if (i == chosen)
        append_chosen (out, table, i + 1, style, sgr);
      else
        cli_table_append_row (table, out, style, i + 1, sgr);
      append_doing (out, row, style);
      if (i == chosen)
        ret_lines[1] = count_lines (out->str);
    }
  return g_string_free (out, FALSE);
}
