/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "report-teller.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "base/jank-clock-private.h"
#include "base/jank-home-private.h"
#include "base/jank-error.h"
#include "settings/jank-settings-private.h"
#include "cli/cli.h"

#define COMMAND_EVERY_NS JANK_NS_PER_S
#define SUFFIX           ".json"

struct _ReportTeller
{
  /* set at construction */
  JankStore  *store;       /* (owned) */
  char       *session;     /* (owned) (nullable) */
  char      **environment; /* (owned) of what is started */
  char       *own_command; /* (owned) (nullable) */
  int         events, stop;
  GThread    *thread;      /* (owned) */

  /* the thread only */
  GHashTable *told;        /* (owned) of (owned) ids */
  gint64      told_ns;     /* CLOCK_MONOTONIC, 0: never */
  gboolean    has_said_dropped, has_warned;
};

/* Without what would have jankwatch watch these processes, too. Returns: (transfer full) */
static char **
make_environment (void)
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
set_up_child (gpointer data)
{
  setsid ();
  signal (SIGINT, SIG_DFL);
  signal (SIGQUIT, SIG_DFL);
}

static void
start (ReportTeller *self, char **argv)
{
  g_autoptr (GError) error = NULL;

  if (g_spawn_async (NULL, argv, self->environment,
                     G_SPAWN_SEARCH_PATH_FROM_ENVP | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                     set_up_child, NULL, NULL, &error) || self->has_warned)
    return;
  self->has_warned = TRUE;
  cli_warn (_("Could not run “%s”: %s. Reports are kept all the same"), argv[0], error->message);
}

static void
tell_command (ReportTeller *self, const char *command, const char *path)
{
  gint64 now_ns = jank_clock_now_ns ();
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_auto (GStrv) parsed = NULL, argv = NULL;
  g_autoptr (GError) error = NULL;

  if (self->told_ns != 0 && now_ns - self->told_ns < COMMAND_EVERY_NS)
    {
      if (!self->has_said_dropped)
        cli_warn (_("Could not run “%s” for every report: more than one came in a second. Only the first of them was passed "
                    "on"),
                  command);
      self->has_said_dropped = TRUE;
      return;
    }
  self->told_ns = now_ns;
  if (!g_shell_parse_argv (command, NULL, &parsed, &error))
    {
      cli_warn (_("Could not run “%s”: %s. Reports are kept all the same"), command, error->message);
      return;
    }
  g_strv_builder_addv (words, (const char **) parsed);
  g_strv_builder_add (words, path);
  argv = g_strv_builder_end (words);
  start (self, argv);
}

static void
tell (ReportTeller *self, JankReport *report)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (JankSettings) settings = jank_settings_load (report->app.name, warnings);
  g_autofree char *file = g_strconcat (report->id, SUFFIX, NULL);
  g_autofree char *path = g_build_filename (jank_store_get_folder (self->store), file, NULL);
  char *notify[] = { self->own_command, (char *) "notify", path, NULL };

  if (settings->on_report[0] != '\0')
    tell_command (self, settings->on_report, path);
  if (settings->notify && self->own_command != NULL)
    start (self, notify);
}

/* A report that is written again was told already; of one that goes on we wait for the end. */
static void
look_at (ReportTeller *self, const char *name)
{
  g_autofree char *id = g_str_has_suffix (name, SUFFIX) ? g_strndup (name, strlen (name) - strlen (SUFFIX)) : NULL;
  g_autoptr (JankReport) report = NULL;

  if (id == NULL || !jank_store_is_id (id) || g_hash_table_contains (self->told, id))
    return;
  report = jank_store_load (self->store, id, NULL);
  if (report == NULL || report->stall.outcome == JANK_OUTCOME_ONGOING || g_strcmp0 (report->session, self->session) != 0)
    return;
  g_hash_table_add (self->told, g_steal_pointer (&id));
  tell (self, report);
}

static void
read_events (ReportTeller *self)
{
  char buffer[4096] __attribute__ ((aligned (__alignof__ (struct inotify_event))));
  ssize_t n;

  while ((n = read (self->events, buffer, sizeof buffer)) > 0)
    for (char *p = buffer; p < buffer + n;)
      {
        const struct inotify_event *event = (const void *) p;

        if (event->len > 0)
          look_at (self, event->name);
        p += sizeof *event + event->len;
      }
}

static gpointer
run (gpointer data)
{
  ReportTeller *self = data;
  struct pollfd fds[] = { { .fd = self->events, .events = POLLIN }, { .fd = self->stop, .events = POLLIN } };

  do
    {
      if (poll (fds, G_N_ELEMENTS (fds), -1) < 0 && errno != EINTR)
        break;
      read_events (self);
    }
  while (fds[1].revents == 0);
  return NULL;
}

static void
know_old (ReportTeller *self)
{
  g_autoptr (GDir) folder = g_dir_open (jank_store_get_folder (self->store), 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    if (g_str_has_suffix (name, SUFFIX))
      g_hash_table_add (self->told, g_strndup (name, strlen (name) - strlen (SUFFIX)));
}

ReportTeller *
report_teller_new (const char *folder, const char *session, GError **error)
{
  ReportTeller *self = g_new0 (ReportTeller, 1);
  sigset_t all, before;

  self->store = jank_store_new (folder, G_MAXUINT, G_MAXUINT64);
  self->session = g_strdup (session);
  self->environment = make_environment ();
  self->own_command = g_file_read_link ("/proc/self/exe", NULL);
  self->told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->stop = eventfd (0, EFD_CLOEXEC);
  self->events = inotify_init1 (IN_CLOEXEC | IN_NONBLOCK);
  if (self->stop < 0 || self->events < 0 || inotify_add_watch (self->events, folder, IN_MOVED_TO) < 0)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot watch the folder ‘%s’: %s"), folder,
                   jank_home_explain (folder, errno));
      report_teller_free (self);
      return NULL;
    }
  know_old (self);
  sigfillset (&all);
  pthread_sigmask (SIG_BLOCK, &all, &before);
  self->thread = g_thread_new ("reports", run, self);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return self;
}

void
report_teller_free (ReportTeller *self)
{
  if (self->thread != NULL)
    {
      eventfd_write (self->stop, 1);
      g_thread_join (self->thread);
    }
  if (self->stop >= 0)
    close (self->stop);
  if (self->events >= 0)
    close (self->events);
  g_hash_table_unref (self->told);
  g_strfreev (self->environment);
  g_free (self->own_command);
  g_free (self->session);
  jank_store_free (self->store);
  g_free (self);
}
