/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "programs.h"

#include <glib/gi18n.h>

#include "base/jank-clock-private.h"
#include "proc/jank-proc-private.h"
#include "store/jank-session-private.h"
#include "text/jank-text-report-private.h"

#define HANG_NS (250 * JANK_NS_PER_MS)
#define INDENT 4

enum { BY_TROUBLE, BY_PROGRAM, BY_STALLS, BY_HANGS, BY_OVERHEAD };
const char *const program_rows_orders[] = { "trouble", "program", "stalls", "hangs", "overhead", NULL };

/* The state of the first thread alone: that of the process sums up all threads' times. */
static gboolean
is_stopped (gint pid)
{
  return pid > 0 && g_ascii_tolower (jank_proc_read_state (pid, pid)) == 't';
}

static gboolean
program_rows_pass (const JankLive *live, const char *filter)
{
  g_autofree char *folded = *filter != '\0' ? g_utf8_casefold (filter, -1) : NULL;

  return folded == NULL || jank_text_contains (live->name, folded) || jank_text_contains (live->id, folded) ||
         jank_text_contains (live->exe, folded);
}

static ProgramRow
make_row (JankLiveProgram *program, guint order)
{
  const JankLive *live = program->live;
  gint64 now_ns = jank_clock_now_ns (), watched_ns = MAX (now_ns - live->began_ns, 1);
  JankSessionHangs hangs = { live->n_hangs, live->hung_ns, watched_ns, 0.0 };
  ProgramRow self = { program, is_stopped (program->pid), 2, 0, live->n_stalls, live->longest_ns };

  if (self.is_stopped)
    self.rank = 0;
  else if (live->state != JANK_LIVE_CALM)
    {
      self.lasts_ns = live->duration_ns + MAX (now_ns - live->written_ns, 0);
      self.rank = jank_report_kind_is_stall ((JankReportKind) (live->state - 1)) ? 0 : 1;
    }
  if (self.rank == 0 && self.lasts_ns > 0)
    {
      self.n_stalls++;
      self.longest_ns = MAX (self.longest_ns, self.lasts_ns);
      hangs.n_hangs += self.lasts_ns > HANG_NS;
      hangs.hung_ns += self.lasts_ns > HANG_NS ? self.lasts_ns : 0;
    }
  self.hang_rate = jank_session_hang_rate (&hangs);
  self.has_rate = watched_ns >= JANK_SESSION_RATE_NS;
  self.overhead = (double) live->cost_ns / (double) watched_ns;
  self.weight = order == BY_TROUBLE  ? (double) live->total_ns
                : order == BY_STALLS ? (double) self.n_stalls
                : order == BY_HANGS  ? self.hang_rate
                : order == BY_OVERHEAD ? self.overhead
                                       : 0.0;
  return self;
}

static int
compare_rows_cb (gconstpointer a, gconstpointer b)
{
  const ProgramRow *x = a, *y = b;
  int names = g_strcmp0 (x->program->live->name, y->program->live->name);

  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->lasts_ns != y->lasts_ns)
    return x->lasts_ns > y->lasts_ns ? -1 : 1;
  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  return names != 0 ? names : x->program->pid < y->program->pid ? -1 : 1;
}

GArray *
program_rows_new (JankLiveReader *reader, ProgramChains *chains, const char *filter, guint order)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (ProgramRow));
  g_autoptr (GPtrArray) programs = jank_live_reader_get_all (reader);

  for (guint i = 0; i < programs->len; i++)
    {
      ProgramRow row = make_row (g_ptr_array_index (programs, i), order);

      if (!program_rows_pass (row.program->live, filter))
        continue;
      if (row.rank == 0 && !row.is_stopped)
        row.chain = program_chains_look (chains, row.program);
      g_array_append_val (rows, row);
    }
  g_array_sort (rows, compare_rows_cb);
  return rows;
}

/* "stuck 3.2 s". Returns: (transfer full) */
static char *
program_row_say_state (const ProgramRow *self)
{
  static const char *const states[] = {
    NC_("now", "calm"), NC_("now", "stuck"), NC_("now", "start-up"), NC_("now", "no frame"), NC_("now", "spins"),
    NC_("now", "busy"), NC_("now", "no answer")
  };
  g_autofree char *length = self->lasts_ns > 0 ? jank_text_duration (self->lasts_ns) : NULL;
  const char *state = self->is_stopped ? NC_("now", "stopped") : states[self->program->live->state];

  return g_strjoin (" ", g_dpgettext2 (NULL, "now", state), length, NULL);
}

char *
program_row_say (const JankReport *stall, const JankReportChain *chain)
{
  g_autofree char *rest = jank_text_doing_rest ((JankReport *) stall, chain, FALSE);
  g_autofree char *who = jank_text_culprit ((JankReport *) stall), *doing = jank_text_doing ((JankReport *) stall);
  g_autoptr (GString) text = g_string_new (who);

  if (doing != NULL)
    jank_text_append_item (text, doing);
  g_string_append (text, jank_text_or_empty (rest));
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

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
