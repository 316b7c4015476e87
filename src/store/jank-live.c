/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A FIFO, and no socket: a long path has room, a sandbox that shares the store shares it, and the watched process keeps
 * no descriptor. SIGPIPE is no danger: the watcher thread has every signal blocked. */

#include "config.h"

#include "store/jank-live-private.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/jank-report-json-private.h"
#include "store/jank-session-private.h"

#define SUFFIX ".live"

static char *
jank_live_get_path (const char *store_folder, const char *session)
{
  g_autofree char *name = g_strconcat (session, SUFFIX, NULL);

  return g_build_filename (store_folder, JANK_SESSION_FOLDER, name, NULL);
}

char *
jank_live_open (const char *store_folder, const char *session, int *ret_fd)
{
  g_autofree char *path = jank_live_get_path (store_folder, session);
  int fd;

  if (mkfifo (path, 0600) != 0)
    return NULL;
  /* For writing, too: else it would end with each of its writers. */
  fd = open (path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    {
      unlink (path);
      return NULL;
    }
  *ret_fd = fd;
  return g_steal_pointer (&path);
}

/* Lines of several processes do not mix. Returns: (transfer full) */
static char *
jank_live_make_line (JankLiveState state, JankReport *gist)
{
  g_autofree char *json = jank_report_generate_json (gist, FALSE);

  return g_strdup_printf ("%d %s\n", (gint) state, json);
}

gboolean
jank_live_send (const char *store_folder, const char *session, JankLiveState state, JankReport *gist)
{
  g_autofree char *path = jank_live_get_path (store_folder, session), *line = NULL;
  int fd = open (path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
  struct stat status;
  gboolean taken;

  if (fd < 0)
    return FALSE;
  line = jank_live_make_line (state, gist);
  if (strlen (line) > PIPE_BUF)
    {
      g_free (line);
      g_ptr_array_set_size (gist->samples, 0);
      line = jank_live_make_line (state, gist);
    }
  taken = fstat (fd, &status) == 0 && S_ISFIFO (status.st_mode) && strlen (line) <= PIPE_BUF &&
          write (fd, line, strlen (line)) > 0;
  close (fd);
  return taken;
}

JankLive *
jank_live_parse (const char *line)
{
  JankReport *report;
  JankLive *self;

  if (line[0] < '0' || line[0] > '0' + JANK_LIVE_ENDED || line[1] != ' ')
    return NULL;
  report = jank_report_from_json (line + 2, strlen (line + 2), NULL);
  if (report == NULL)
    return NULL;
  self = g_new (JankLive, 1);
  *self = (JankLive) { (JankLiveState) (line[0] - '0'), report };
  return self;
}

void
jank_live_free (JankLive *self)
{
  jank_report_unref (self->report);
  g_free (self);
}
