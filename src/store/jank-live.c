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

#include "base/jank-text-clean-private.h"
#include "store/jank-session-private.h"

#define SUFFIX ".live"

/* Fields of a line, tabs between them. Two texts of that length and the rest fit into PIPE_BUF: lines of several
 * processes do not mix. */
#define N_FIELDS       8
#define MAX_TEXT_BYTES 1500

static char *
get_path (const char *store_folder, const char *session)
{
  g_autofree char *name = g_strconcat (session, SUFFIX, NULL);

  return g_build_filename (store_folder, JANK_SESSION_FOLDER, name, NULL);
}

char *
jank_live_open (const char *store_folder, const char *session, int *ret_fd)
{
  g_autofree char *path = get_path (store_folder, session);
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

/* Returns: (transfer full): without control characters, a tab among them */
static char *
make_field (const char *text)
{
  char *field = jank_text_clean (text);
  gsize n = strlen (field);

  if (n > MAX_TEXT_BYTES)
    {
      for (n = MAX_TEXT_BYTES; (field[n] & 0xc0) == 0x80; n--)
        ;
      field[n] = '\0';
    }
  return field;
}

gboolean
jank_live_send (const char *store_folder, const char *session, const JankLive *live)
{
  g_autofree char *path = get_path (store_folder, session);
  g_autofree char *who = make_field (live->who), *doing = make_field (live->doing), *line = NULL;
  int fd = open (path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
  struct stat status;
  gboolean taken;

  if (fd < 0)
    return FALSE;
  line = g_strdup_printf ("%d\t%s\t%d\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\t%s\t%s\t%s\n", (gint) live->state,
                          jank_report_kind_to_nick (live->kind), live->pid, live->began_ns, live->duration_ns,
                          live->id != NULL ? live->id : "", who, doing);
  taken = fstat (fd, &status) == 0 && S_ISFIFO (status.st_mode) && strlen (line) <= PIPE_BUF &&
          write (fd, line, strlen (line)) > 0;
  close (fd);
  return taken;
}

static gboolean
parse_number (const char *text, gint64 max, gint64 *ret_number)
{
  return g_ascii_string_to_signed (text, 10, 0, max, ret_number, NULL);
}

static gboolean
parse_kind (const char *nick, JankReportKind *ret_kind)
{
  for (guint i = 0; i < JANK_N_REPORT_KINDS; i++)
    if (strcmp (nick, jank_report_kind_nicks[i]) == 0)
      {
        *ret_kind = (JankReportKind) i;
        return TRUE;
      }
  return FALSE;
}

JankLive *
jank_live_parse (const char *line)
{
  g_auto (GStrv) fields = g_strsplit (line, "\t", N_FIELDS + 1);
  gint64 state, pid, began_ns, duration_ns;
  JankReportKind kind;
  JankLive *self;

  if (g_strv_length (fields) != N_FIELDS || !g_utf8_validate (line, -1, NULL)
      || !parse_number (fields[0], JANK_LIVE_DROPPED, &state) || !parse_kind (fields[1], &kind)
      || !parse_number (fields[2], G_MAXINT, &pid) || !parse_number (fields[3], G_MAXINT64, &began_ns)
      || !parse_number (fields[4], G_MAXINT64, &duration_ns))
    return NULL;
  self = g_new (JankLive, 1);
  *self = (JankLive) {
    .state = (JankLiveState) state,
    .kind = kind,
    .pid = (gint) pid,
    .began_ns = began_ns,
    .duration_ns = duration_ns,
    .id = *fields[5] != '\0' ? g_strdup (fields[5]) : NULL,
    .who = jank_text_clean (fields[6]),
    .doing = jank_text_clean (fields[7]),
  };
  return self;
}

void
jank_live_free (JankLive *self)
{
  g_free (self->id);
  g_free (self->who);
  g_free (self->doing);
  g_free (self);
}
