/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watched.h"

#include <string.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/jank-clock-private.h"
#include "cli/cli.h"
#include "text/jank-text-report-private.h"

#define CLEAR_LINE "\r\033[K"

/* A start-up below that is nobody's trouble: the programs that are quick have one, too. */
#define STARTUP_NS (250 * JANK_NS_PER_MS)

/* Where no line can be written anew, what lasts is told again when it has lasted this long. */
static const gint64 milestones[] = { JANK_NS_PER_S, 5 * JANK_NS_PER_S, 25 * JANK_NS_PER_S, 125 * JANK_NS_PER_S };

struct _LiveLines
{
  /* set at construction */
  WatchedWaits  *waits;
  ProgramChains *chains;
  JankTextStyle  style;
  gboolean       in_place;    /* the terminal can write a line anew */

  /* the thread of the news only */
  JankReport    *shown;       /* (owned) (nullable): the stall under way that was told last */
  char          *process;     /* (owned) (nullable): of it, or of the one that is being told */
  const JankLiveProgram *shown_of; /* (nullable): its program, while that runs */
  gint64         shown_at_ns; /* when its duration was as told */
  gint64         printed_ns;  /* its duration when a line was last printed of it, 0: not yet */
};

/* How long, and what; "so far" where it lasts. */
static char *
describe_length (JankReport *gist, gint64 duration_ns)
{
  g_autofree char *length = jank_text_duration (duration_ns);
  const JankTextKind *kind = &jank_text_kinds[gist->kind];
  const char *words = gist->stall.outcome == JANK_OUTCOME_ONGOING ? kind->lasting : kind->ended;
  GString *text;

  if (gist->stall.fps > 0.0)
    return g_strdup_printf (_("%.1f frames per second in %s"), gist->stall.fps, length);
  text = g_string_new (words != NULL ? _(words) : "%s");
  g_string_replace (text, "%s", length, 1);
  return g_string_free (text, FALSE);
}

/* "1.2 s so far: load_settings() (ledger.c:14), waiting for a lock"; of a child "[script-fu 4711] 1.2 s so far: …".
 * chain: (nullable); is_short: its end is worth more than what leads there */
static char *
make_line (LiveLines *self, JankReport *gist, gint64 duration_ns, const JankReportChain *chain, gboolean is_short)
{
  g_autofree char *who = jank_text_culprit (gist), *doing = is_short ? NULL : jank_text_doing (gist);
  g_autofree char *length = describe_length (gist, duration_ns);
  g_autofree char *rest = jank_text_doing_rest (gist, chain, is_short);
  GString *line = g_string_new ("jankwatch: ");

  if (self->process != NULL)
    g_string_append_printf (line, "[%s] ", self->process);
  g_string_append (line, length);
  if (who != NULL)
    g_string_append_printf (line, ": %s", who);
  if (who != NULL && doing != NULL)
    jank_text_append_item (line, doing);
  g_string_append (line, jank_text_or_empty (rest));
  if (self->style.ascii)
    jank_text_make_ascii (line);
  return g_string_free (line, FALSE);
}

static gboolean
is_worth_a_line (JankReport *gist, gint64 duration_ns)
{
  return gist->kind != JANK_REPORT_STARTUP || duration_ns >= STARTUP_NS;
}

/* It must not reach the next row. */
gboolean
live_lines_draw (LiveLines *self)
{
  g_autofree char *line = NULL;
  g_autoptr (GString) cut = g_string_new (CLEAR_LINE);
  const JankReportChain *chain;
  gint64 duration_ns;

  if (self->shown == NULL || !self->in_place)
    return FALSE;
  duration_ns = self->shown->stall.duration_ns + jank_clock_now_ns () - self->shown_at_ns;
  if (!is_worth_a_line (self->shown, duration_ns))
    return TRUE;
  chain = self->shown_of != NULL ? program_chains_look (self->chains, self->shown_of) : NULL;
  line = make_line (self, self->shown, duration_ns, chain, FALSE);
  if (chain != NULL && jank_text_width (line) >= self->style.n_columns)
    {
      g_free (line);
      line = make_line (self, self->shown, duration_ns, chain, TRUE);
    }
  jank_text_append_left (cut, &self->style, line, self->style.n_columns - 1, NULL);
  g_printerr ("%s", cut->str);
  self->printed_ns = duration_ns;
  return TRUE;
}

static void
print_line (LiveLines *self, const JankLiveProgram *program, JankReport *gist)
{
  gboolean lasts = gist->stall.outcome == JANK_OUTCOME_ONGOING;
  const JankReportChain *chain = lasts ? program_chains_look (self->chains, program)
                                       : program_chains_get_first (self->chains, program, gist);
  g_autofree char *line = make_line (self, gist, gist->stall.duration_ns, chain, FALSE);

  g_printerr ("%s%s\n", self->in_place ? CLEAR_LINE : "", line);
}

/* At its beginning and at the milestones. */
static void
print_if_due (LiveLines *self, const JankLiveProgram *program, JankReport *gist)
{
  gint64 duration_ns = gist->stall.duration_ns, due_ns = 0;

  for (guint i = 0; self->printed_ns != 0 && (i == 0 || due_ns <= self->printed_ns); i++)
    due_ns = i < G_N_ELEMENTS (milestones) ? milestones[i] : G_MAXINT64;
  if (!is_worth_a_line (gist, duration_ns) || duration_ns < due_ns)
    return;
  print_line (self, program, gist);
  self->printed_ns = duration_ns;
}

static void
end_shown (LiveLines *self)
{
  if (self->shown != NULL && self->in_place && self->printed_ns != 0)
    g_printerr ("\n");
  g_clear_pointer (&self->shown, jank_report_unref);
  self->printed_ns = 0;
}

static gboolean
is_shown (LiveLines *self, JankReport *gist)
{
  return self->shown != NULL && self->shown->app.pid == gist->app.pid &&
         self->shown->stall.began_monotonic_ns == gist->stall.began_monotonic_ns;
}

static void
show_program (LiveLines *self, const JankLiveProgram *program, JankReport *gist, const char *process)
{
  if (!is_shown (self, gist))
    end_shown (self);
  jank_set_text (&self->process, process);
  g_clear_pointer (&self->shown, jank_report_unref);
  self->shown = jank_report_ref (gist);
  self->shown_of = program;
  self->shown_at_ns = jank_clock_now_ns ();
  if (!self->in_place)
    print_if_due (self, program, gist);
}

void
live_lines_take (LiveLines *self, const JankLiveProgram *program, JankReport *gist, const char *process)
{
  watched_waits_fill (self->waits, program, gist);
  if (gist->stall.outcome == JANK_OUTCOME_ONGOING)
    {
      show_program (self, program, gist, process);
      return;
    }
  if (!is_shown (self, gist))
    end_shown (self);
  jank_set_text (&self->process, process);
  if (is_worth_a_line (gist, gist->stall.duration_ns))
    print_line (self, program, gist);
  g_clear_pointer (&self->shown, jank_report_unref);
  self->printed_ns = 0;
}

void
live_lines_drop (LiveLines *self, const JankLiveProgram *program)
{
  if (self->shown_of == program)
    self->shown_of = NULL;
}

LiveLines *
live_lines_new (WatchedWaits *waits, ProgramChains *chains)
{
  const char *terminal = g_getenv ("TERM");
  LiveLines *self = g_new0 (LiveLines, 1);

  self->waits = waits;
  self->chains = chains;
  self->style = cli_text_style (stderr, 80);
  self->in_place = isatty (STDERR_FILENO) == 1 && terminal != NULL && strcmp (terminal, "dumb") != 0;
  return self;
}

void
live_lines_free (LiveLines *self)
{
  end_shown (self);
  g_free (self->process);
  g_free (self);
}
