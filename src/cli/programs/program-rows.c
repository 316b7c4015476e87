/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "programs.h"

#include <glib/gi18n.h>

#include "base/jank-clock-private.h"
#include "proc/jank-proc-private.h"
#include "store/jank-session-private.h"
#include "text/jank-text-report-private.h"

#define HANG_NS (250 * JANK_NS_PER_MS)

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

char *
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
