/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch dump`: what a program does now, hanging or not. A watched one is asked through its live file, and its
 * watcher looks from inside; any other is read from outside. */

#include "cli/cli.h"

#include <poll.h>

#include <glib/gi18n.h>

#include "base/jank-clock-private.h"
#include "chain/jank-processes-private.h"
#include "programs.h"
#include "cli/reports/reports.h"
#include "live/jank-live-reader-private.h"
#include "outside/jank-outside-dump-private.h"
#include "text/jank-report-lines-private.h"

/* A watcher that is busy looks four times a second. On an overloaded machine it may have no CPU for long. */
#define ASK_MS  100
#define WAIT_NS (10 * JANK_NS_PER_S)

typedef struct
{
  JankLiveReader *reader; /* (owned) */
  WatchedWaits   *waits;  /* (owned) */
  guint           n_left; /* that have not answered */
  ReportStyle     style;
  int             status;
} Dump;

typedef struct
{
  guint64 n_dumps; /* before it was asked */
} Answer;

/* pids: that go by the name */
static gboolean
dump_is_called (const JankLiveProgram *program, const char *name, const GArray *pids)
{
  for (guint i = 0; i < pids->len; i++)
    if (g_array_index (pids, pid_t, i) == program->pid)
      return TRUE;
  return g_strcmp0 (name, program->live->name) == 0 || g_strcmp0 (name, program->live->id) == 0;
}

static void
dump_take_answer (Dump *self, JankLiveProgram *program)
{
  g_clear_pointer (&program->data, g_free);
  self->n_left--;
}

static void
dump_fail (Dump *self, JankLiveProgram *program, const char *why)
{
  cli_warn (_("%s, process %d: %s"), jank_text_or_empty (program->live->name), program->pid, why);
  self->status = CLI_FAILED;
  dump_take_answer (self, program);
}

static void
dump_print (Dump *self, pid_t pid, JankReport *report)
{
  g_autoptr (JankSourceLines) lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
  g_autoptr (BusNames) names = bus_names_new ();

  jank_report_fill_lines (report, lines);
  bus_names_fill (names, report);
  report->chain = watched_waits_read (self->waits, pid);
  if (report->chain != NULL)
    report->chain->began_monotonic_ns = report->stall.began_monotonic_ns;
  print_report (report, &self->style);
}

static void
dump_changed (gpointer data, JankLiveProgram *program)
{
  Dump *self = data;
  const Answer *answer = program->data;
  g_autoptr (JankReport) report = NULL;
  g_autoptr (JankStore) store = NULL;
  g_autoptr (GError) error = NULL;

  if (answer == NULL || program->live->n_dumps == answer->n_dumps)
    return;
  store = cli_open_store (program->live->store, "jankwatch");
  report = program->live->dump != NULL ? jank_store_load (store, program->live->dump, &error) : NULL;
  if (report == NULL)
    {
      dump_fail (self, program, error != NULL ? error->message : _("its watcher could not write the report"));
      return;
    }
  dump_print (self, program_chains_find_thread (program), report);
  dump_take_answer (self, program);
}

static void
dump_gone (gpointer data, JankLiveProgram *program)
{
  if (program->data != NULL)
    dump_fail (data, program, _("it has ended"));
}

/* The process is not watched. */
static void
dump_read (Dump *self, pid_t pid)
{
  g_autofree char *id = jank_store_make_id (), *lack = NULL;
  g_autoptr (JankReport) report = jank_outside_dump (pid, id, &lack);

  if (report == NULL)
    {
      cli_warn (_("Process %d does not exist, or it has ended"), (int) pid);
      self->status = CLI_FAILED;
      return;
    }
  if (lack != NULL)
    cli_warn ("%s", lack);
  dump_print (self, pid, report);
}

/* A name may stand for several, of which those that are watched count alone. */
static void
dump_find (Dump *self, const char *name)
{
  g_autoptr (GPtrArray) all = jank_live_reader_get_all (self->reader);
  g_autoptr (GArray) pids = jank_processes_find (name);

  JANK_EACH (JankLiveProgram, program, all)
    {
      Answer *answer;

      if (!dump_is_called (program, name, pids))
        continue;
      program->data = answer = g_new0 (Answer, 1);
      answer->n_dumps = program->live->n_dumps;
      self->n_left++;
    }
  for (guint i = 0; self->n_left == 0 && i < pids->len; i++)
    dump_read (self, g_array_index (pids, pid_t, i));
  if (self->n_left > 0 || pids->len > 0)
    return;
  self->status = CLI_FAILED;
  cli_warn (_("None of your processes has the name or number ‘%s’"), name);
}

static void
dump_ask (Dump *self)
{
  g_autoptr (GPtrArray) all = jank_live_reader_get_all (self->reader);

  JANK_EACH (JankLiveProgram, program, all)
    if (program->data != NULL && !jank_live_reader_ask_dump (self->reader, program))
      dump_fail (self, program, _("the timestamps of its live file cannot be set"));
}

static void
dump_give_up (Dump *self)
{
  g_autoptr (GPtrArray) all = jank_live_reader_get_all (self->reader);

  JANK_EACH (JankLiveProgram, program, all)
    {
      if (program->data != NULL)
        dump_fail (self, program, program->live->has_bell
                                    ? _("its watcher does not answer; it may be stopped or paused")
                                    : _("its watcher is asleep and cannot be woken up before Linux 5.16"));
    }
}

static void
dump_wait (Dump *self)
{
  struct pollfd fd = { .fd = jank_live_reader_get_fd (self->reader), .events = POLLIN };
  gint64 until_ns = jank_clock_now_ns () + WAIT_NS;

  while (self->n_left > 0 && jank_clock_now_ns () < until_ns)
    {
      dump_ask (self);
      poll (&fd, 1, ASK_MS);
      jank_live_reader_look (self->reader);
    }
  dump_give_up (self);
}

int
command_dump (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  Dump self = { .status = CLI_FINE };
  const JankLiveReaderFuncs funcs = { .changed = dump_changed, .gone = dump_gone, .ignored = cli_warn_ignored };
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &self.style.json, N_("Print the report as JSON"), NULL },
    { "native", 0, 0, G_OPTION_ARG_NONE, &self.style.native,
      N_("Show all calls of the stack, including those of libraries and interpreters"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &folder, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (JankStore) store = NULL;

  if (!cli_begin (&argc, &argv, "PID|NAME", CLI_ANY_WORDS, entries, NULL,
                  _("Shows what every thread of a program is doing, with its locks and waits, whether the program "
                    "hangs or not. A watched program writes a report, which is not counted as a stall. Other programs "
                    "are read like a debugger does; running threads are stopped for a moment.")))
    return CLI_USAGE;
  if (argc != 2)
    return cli_fail_usage ("dump", _("Name one process, by its number or name"));
  store = cli_open_store (folder, "jankwatch");
  self.reader = jank_live_reader_new (jank_store_get_folder (store), NULL, &funcs, &self);
  jank_live_reader_look (self.reader);
  self.waits = watched_waits_new (self.reader);
  dump_find (&self, argv[1]);
  dump_wait (&self);
  watched_waits_free (self.waits);
  jank_live_reader_free (self.reader);
  return self.status;
}
