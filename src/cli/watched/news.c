/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watched.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "base/jank-home-private.h"
#include "cli/cli.h"
#include "live/jank-live-reader-private.h"
#include "settings/jank-settings-private.h"

#define REDRAW_MS 100
/* Between two looks: a program may write its file without a pause. */
#define PAUSE_MS  10
#define COMMAND_EVERY_NS JANK_NS_PER_S

enum { PROGRAMS, STOP, N_FDS };

struct _News
{
  /* set at construction */
  JankStore      *store;      /* (owned) */
  char           *session;    /* (owned) (nullable) */
  gboolean        live;
  struct pollfd   fds[N_FDS]; /* the second (owned); -1: there is none */
  GThread        *thread;     /* (owned) (nullable) */

  /* the thread only */
  JankLiveReader *reader;     /* (owned) */
  WatchedWaits   *waits;      /* (owned) */
  ProgramChains  *chains;     /* (owned) */
  LiveLines      *lines;      /* (owned) */
  char          **environment; /* (owned) of what is started */
  char           *own_command; /* (owned) (nullable) */
  gint64          told_ns;     /* when a command was started last, 0: never */
  gboolean        has_said_dropped, has_warned;
  GHashTable     *told;       /* (owned) of (owned) ids */
  gint64          first_ns;   /* when the first program of the session began, 0: none has */
};

/* Without what would have jankwatch watch these processes, too. Returns: (transfer full) */
static char **
news_make_environment (void)
{
  g_auto (GStrv) all = g_get_environ ();
  const char *modules = g_environ_getenv (all, "GTK_MODULES");
  g_auto (GStrv) items = modules != NULL ? g_strsplit (modules, ":", -1) : NULL;
  g_autoptr (GStrvBuilder) out = g_strv_builder_new (), rest = g_strv_builder_new ();
  g_auto (GStrv) kept = NULL;

  for (guint i = 0; all[i] != NULL; i++)
    if (!g_str_has_prefix (all[i], "JANKWATCH") && !g_str_has_prefix (all[i], "GTK_MODULES="))
      g_strv_builder_add (out, all[i]);
  for (guint i = 0; items != NULL && items[i] != NULL; i++)
    if (!g_str_equal (items[i], "jankwatch"))
      g_strv_builder_add (rest, items[i]);
  kept = g_strv_builder_end (rest);
  if (kept[0] != NULL)
    {
      g_autofree char *list = g_strjoinv (":", kept);
      g_autofree char *variable = g_strconcat ("GTK_MODULES=", list, NULL);

      g_strv_builder_add (out, variable);
    }
  return g_strv_builder_end (out);
}

/* In the child: keys of the terminal are not for it, and `jankwatch run` ignores some signals. */
static void
news_set_up_child (gpointer data)
{
  setsid ();
  signal (SIGINT, SIG_DFL);
  signal (SIGQUIT, SIG_DFL);
}

static void
news_spawn (News *self, char **argv)
{
  g_autoptr (GError) error = NULL;

  if (g_spawn_async (NULL, argv, self->environment,
                     G_SPAWN_SEARCH_PATH_FROM_ENVP | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                     news_set_up_child, NULL, NULL, &error) || self->has_warned)
    return;
  self->has_warned = TRUE;
  cli_warn (_("Could not run “%s”: %s. Reports are still saved"), argv[0], error->message);
}

static void
news_run_command (News *self, const char *command, const char *path)
{
  gint64 now_ns = jank_clock_now_ns ();
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_auto (GStrv) parsed = NULL, argv = NULL;
  g_autoptr (GError) error = NULL;

  if (self->told_ns != 0 && now_ns - self->told_ns < COMMAND_EVERY_NS)
    {
      if (!self->has_said_dropped)
        cli_warn (_("“%s” was not run for every report: more than one arrived within a second. Only the first one was "
                    "passed on"),
                  command);
      self->has_said_dropped = TRUE;
      return;
    }
  self->told_ns = now_ns;
  if (!g_shell_parse_argv (command, NULL, &parsed, &error))
    {
      cli_warn (_("Could not run “%s”: %s. Reports are still saved"), command, error->message);
      return;
    }
  g_strv_builder_addv (words, (const char **) parsed);
  g_strv_builder_add (words, path);
  argv = g_strv_builder_end (words);
  news_spawn (self, argv);
}

/* Carries out the settings on-report and notify. The programs get no child by it. report: has its file */
static void
news_tell_report (News *self, JankReport *report)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (JankSettings) settings = jank_settings_load (report->app.name, warnings);
  g_autofree char *file = g_strconcat (report->id, ".json", NULL);
  g_autofree char *path = g_build_filename (jank_store_get_folder (self->store), file, NULL);
  char *notify[] = { self->own_command, (char *) "notify", path, NULL };

  if (settings->on_report[0] != '\0')
    news_run_command (self, settings->on_report, path);
  if (settings->notify && self->own_command != NULL)
    news_spawn (self, notify);
}

static gboolean
news_is_ours (News *self, const JankLiveProgram *program)
{
  return g_strcmp0 (program->live->session, self->session) == 0;
}

/* Returns: (transfer full) (nullable): "script-fu 4711", of plug-ins and helpers: the command's own program came
 * first */
static char *
news_describe_child (News *self, const JankLiveProgram *program)
{
  const JankLive *live = program->live;

  if (self->first_ns == 0 || live->began_ns < self->first_ns)
    self->first_ns = live->began_ns;
  if (live->began_ns == self->first_ns)
    return NULL;
  return g_strdup_printf ("%s %d", jank_text_or_empty (live->name), program->pid != 0 ? program->pid : live->pid);
}

/* The program does not know whom else it waits for; its report shall. Once that was read, and once the report's ID
 * and the stall's length are certain. */
static void
news_keep_chain (News *self, const JankLiveProgram *program, const JankReport *stall)
{
  JankReportChain *chain = program_chains_get_first (self->chains, program, stall);

  if (chain == NULL || (chain->duration_ns != 0 && stall->stall.outcome == JANK_OUTCOME_ONGOING))
    return;
  chain->duration_ns = stall->stall.duration_ns;
  jank_store_keep_chain (self->store, stall->id, chain);
}

static void
news_changed (gpointer data, JankLiveProgram *program)
{
  News *self = data;
  g_autofree char *child = NULL;

  if (!news_is_ours (self, program))
    return;
  child = news_describe_child (self, program);
  if (program->stall == NULL)
    return;
  program_chains_look (self->chains, program);
  news_keep_chain (self, program, program->stall);
  if (self->live)
    live_lines_take (self->lines, program, program->stall, child);
}

/* A report that counts another stall was told already. */
static void
news_ended (gpointer data, JankLiveProgram *program, JankReport *stall)
{
  News *self = data;
  g_autoptr (JankReport) report = NULL;

  if (!news_is_ours (self, program))
    return;
  news_keep_chain (self, program, stall);
  if (self->live)
    {
      g_autofree char *child = news_describe_child (self, program);

      live_lines_take (self->lines, program, stall, child);
    }
  if (!jank_store_is_id (stall->id) || g_hash_table_contains (self->told, stall->id))
    return;
  report = jank_store_load (self->store, stall->id, NULL);
  if (report == NULL)
    return;
  g_hash_table_add (self->told, g_strdup (stall->id));
  news_tell_report (self, report);
}

static void
news_gone (gpointer data, JankLiveProgram *program)
{
  News *self = data;

  live_lines_drop (self->lines, program);
  program_chains_drop (self->chains, program);
}

static gpointer
news_run (gpointer data)
{
  News *self = data;

  jank_live_reader_look (self->reader);
  while (self->fds[STOP].revents == 0)
    {
      if (poll (self->fds, N_FDS, live_lines_draw (self->lines) ? REDRAW_MS : -1) < 0 && errno != EINTR)
        break;
      jank_live_reader_look (self->reader);
      poll (&self->fds[STOP], 1, PAUSE_MS);
    }
  jank_live_reader_look (self->reader);
  return NULL;
}

News *
news_start (const char *store, const char *session, gboolean live, GError **error)
{
  const JankLiveReaderFuncs funcs = { .changed = news_changed, .ended = news_ended, .gone = news_gone,
                                      .ignored = cli_warn_ignored };
  News *self = g_new0 (News, 1);
  sigset_t all, before;

  self->store = jank_store_new (store, G_MAXUINT, G_MAXUINT64);
  self->session = g_strdup (session);
  self->live = live;
  self->environment = news_make_environment ();
  self->own_command = g_file_read_link ("/proc/self/exe", NULL);
  self->told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->reader = jank_live_reader_new (store, session, &funcs, self);
  self->waits = watched_waits_new (self->reader);
  self->chains = program_chains_new (self->waits);
  self->lines = live_lines_new (self->waits, self->chains);
  self->fds[PROGRAMS] = (struct pollfd) { .fd = jank_live_reader_get_fd (self->reader), .events = POLLIN };
  self->fds[STOP] = (struct pollfd) { .fd = eventfd (0, EFD_CLOEXEC), .events = POLLIN };
  if (self->fds[PROGRAMS].fd < 0 || self->fds[STOP].fd < 0)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot watch the folder ‘%s’: %s"), store,
                   jank_home_explain (store, errno));
      return self;
    }
  /* Signals are for the main thread, which passes them on. */
  sigfillset (&all);
  pthread_sigmask (SIG_BLOCK, &all, &before);
  self->thread = g_thread_new ("news", news_run, self);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return self;
}

void
news_stop (News *self)
{
  if (self->thread != NULL)
    {
      eventfd_write (self->fds[STOP].fd, 1);
      g_thread_join (self->thread);
    }
  if (self->fds[STOP].fd >= 0)
    close (self->fds[STOP].fd);
  live_lines_free (self->lines);
  program_chains_free (self->chains);
  watched_waits_free (self->waits);
  jank_live_reader_free (self->reader);
  g_strfreev (self->environment);
  g_free (self->own_command);
  g_hash_table_unref (self->told);
  g_free (self->session);
  jank_store_free (self->store);
  g_free (self);
}
