/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sinks/jank-line-file-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "guest/jank-errands-private.h"
#include "guest/jank-rest-private.h"

static void
jank_line_file_fail (JankLineFile *self, const char *reason)
{
  jank_errands_say (_("Could not write “%s”: %s. The program runs on, the record is incomplete"), self->path, reason);
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
}

/* A FIFO without a reader cannot be opened, one with a reader is not. Returns: (nullable): why it cannot be written */
static const char *
jank_line_file_try_open (JankLineFile *self)
{
  struct stat status;

  self->fd = open (self->path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (self->fd < 0 && errno != ENXIO)
    return g_strerror (errno);
  if (self->fd < 0 || fstat (self->fd, &status) != 0 || !S_ISREG (status.st_mode))
    return _("it is not a regular file");
  return ftruncate (self->fd, 0) == 0 ? NULL : g_strerror (errno);
}

void
jank_line_file_open (JankLineFile *self, char *path, guint max_lines)
{
  const char *reason;

  *self = (JankLineFile) { .path = path, .lines = g_string_new (NULL), .max_lines = max_lines };
  jank_rest_begin ();
  reason = jank_line_file_try_open (self);
  jank_rest_end ();
  if (reason != NULL)
    jank_line_file_fail (self, reason);
}

void
jank_line_file_add (JankLineFile *self, char *line)
{
  if (self->n_lines++ < self->max_lines)
    g_string_append (self->lines, line);
  g_free (line);
}

void
jank_line_file_write (JankLineFile *self)
{
  gsize n_written = 0;

  while (self->fd >= 0 && n_written < self->lines->len)
    {
      gssize n;

      jank_rest_begin ();
      n = write (self->fd, self->lines->str + n_written, self->lines->len - n_written);
      jank_rest_end ();
      if (n >= 0)
        n_written += (gsize) n;
      else if (errno != EINTR)
        jank_line_file_fail (self, g_strerror (errno));
    }
  g_string_truncate (self->lines, 0);
}

void
jank_line_file_close (JankLineFile *self)
{
  jank_line_file_write (self);
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
}

void
jank_line_file_clear (JankLineFile *self)
{
  if (self->lines != NULL)
    g_string_free (self->lines, TRUE);
  g_free (self->path);
}
