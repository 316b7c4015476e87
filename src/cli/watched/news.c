/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "news.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/jank-error.h"
#include "base/jank-home-private.h"
#include "live-lines.h"
#include "report-teller.h"
#include "store/jank-live-private.h"

#define MAX_BYTES 65536 /* without an end of line: somebody else writes there */
#define MAX_READS 16    /* what a FIFO holds */
#define REDRAW_MS 100
#define SUFFIX    ".json"

enum { STALLS, REPORTS, STOP, N_FDS };

struct _News
{
  /* set at construction */
  JankStore    *store;      /* (owned) */
  char         *session;    /* (owned) (nullable) */
  char         *path;       /* (owned) (nullable): of the FIFO */
  struct pollfd fds[N_FDS]; /* (owned); -1: there is none */
  GThread      *thread;     /* (owned) (nullable) */

  /* the thread only */
  LiveLines    *lines;      /* (owned) */
  ReportTeller *teller;     /* (owned) */
  GString      *input;      /* (owned): the beginning of a line */
  GHashTable   *told;       /* (owned) of (owned) ids */
};

static void
read_stalls (News *self)
{
  char bytes[4096], *end;
  gssize n;

  for (guint k = 0; k < MAX_READS && (n = read (self->fds[STALLS].fd, bytes, sizeof bytes)) > 0; k++)
    {
      /* A byte 0 would hide what follows. */
      for (gssize i = 0; i < n; i++)
        g_string_append_c (self->input, bytes[i] != '\0' ? bytes[i] : '?');
      while ((end = strchr (self->input->str, '\n')) != NULL)
        {
          *end = '\0';
          live_lines_take (self->lines, self->input->str);
          g_string_erase (self->input, 0, end - self->input->str + 1);
        }
      if (self->input->len > MAX_BYTES)
        g_string_truncate (self->input, 0);
    }
}

/* A report that is written again was told already; of one that goes on we wait for the end. */
static void
take_file (News *self, const char *name)
{
  g_autofree char *id = g_str_has_suffix (name, SUFFIX) ? g_strndup (name, strlen (name) - strlen (SUFFIX)) : NULL;
  g_autoptr (JankReport) report = NULL;

  if (id == NULL || !jank_store_is_id (id) || g_hash_table_contains (self->told, id))
    return;
  report = jank_store_load (self->store, id, NULL);
  if (report == NULL || report->stall.outcome == JANK_OUTCOME_ONGOING ||
      g_strcmp0 (report->session, self->session) != 0)
    return;
  g_hash_table_add (self->told, g_steal_pointer (&id));
  report_teller_tell (self->teller, report);
}

static void
read_reports (News *self)
{
  char buffer[4096] __attribute__ ((aligned (__alignof__ (struct inotify_event))));
  ssize_t n;

  while ((n = read (self->fds[REPORTS].fd, buffer, sizeof buffer)) > 0)
    for (char *p = buffer; p < buffer + n;)
      {
        const struct inotify_event *event = (const void *) p;

        if (event->len > 0)
          take_file (self, event->name);
        p += sizeof *event + event->len;
      }
}

static gpointer
news_run (gpointer data)
{
  News *self = data;

  do
    {
      if (poll (self->fds, N_FDS, live_lines_draw (self->lines) ? REDRAW_MS : -1) < 0 && errno != EINTR)
        break;
      read_stalls (self);
      read_reports (self);
    }
  while (self->fds[STOP].revents == 0);
  return NULL;
}

/* What is there already is no news. */
static void
know_old (News *self, const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, SUFFIX))
      g_hash_table_add (self->told, g_strndup (name, strlen (name) - strlen (SUFFIX)));
}

static gboolean
open_all (News *self, const char *folder, gboolean live)
{
  for (guint i = 0; i < N_FDS; i++)
    self->fds[i] = (struct pollfd) { .fd = -1, .events = POLLIN };
  self->fds[STOP].fd = eventfd (0, EFD_CLOEXEC);
  if (self->fds[STOP].fd < 0)
    return FALSE;
  if (live)
    self->path = jank_live_open (folder, self->session, &self->fds[STALLS].fd);
  self->fds[REPORTS].fd = inotify_init1 (IN_CLOEXEC | IN_NONBLOCK);
  return self->fds[REPORTS].fd >= 0 && inotify_add_watch (self->fds[REPORTS].fd, folder, IN_MOVED_TO) >= 0;
}

News *
news_start (const char *folder, const char *session, gboolean live, GError **error)
{
  News *self = g_new0 (News, 1);
  sigset_t all, before;

  self->store = jank_store_new (folder, G_MAXUINT, G_MAXUINT64);
  self->session = g_strdup (session);
  self->lines = live_lines_new (self->store);
  self->teller = report_teller_new (folder);
  self->input = g_string_new (NULL);
  self->told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (open_all (self, folder, live))
    know_old (self, folder);
  else
    g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot watch the folder ‘%s’: %s"), folder,
                 jank_home_explain (folder, errno));
  if (self->fds[STOP].fd < 0)
    return self;
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
  if (self->path != NULL)
    unlink (self->path);
  if (self->thread != NULL)
    {
      eventfd_write (self->fds[STOP].fd, 1);
      g_thread_join (self->thread);
    }
  for (guint i = 0; i < N_FDS; i++)
    if (self->fds[i].fd >= 0)
      close (self->fds[i].fd);
  live_lines_free (self->lines);
  report_teller_free (self->teller);
  g_hash_table_unref (self->told);
  g_string_free (self->input, TRUE);
  g_free (self->path);
  g_free (self->session);
  jank_store_free (self->store);
  g_free (self);
}
