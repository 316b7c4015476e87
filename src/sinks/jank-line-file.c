/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sinks/jank-line-file-private.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "guest/jank-errands-private.h"

static void
jank_line_file_fail (JankLineFile *self, gint number)
{
  jank_errands_say (_("Could not write “%s”: %s. The program runs on, the record is incomplete"), self->path,
                    g_strerror (number));
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
}

void
jank_line_file_open (JankLineFile *self, char *path, guint max_lines)
{
  *self = (JankLineFile) { .path = path, .lines = g_string_new (NULL), .max_lines = max_lines };
  self->fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (self->fd < 0)
    jank_line_file_fail (self, errno);
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
      gssize n = write (self->fd, self->lines->str + n_written, self->lines->len - n_written);

      if (n >= 0)
        n_written += (gsize) n;
      else if (errno != EINTR)
        jank_line_file_fail (self, errno);
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
