/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Watcher thread only: the program's thread never writes a file for us. Rows are collected and written together. When
 * that fails, it says so once and ends. */

#include "sinks/jank-sinks-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "frames/jank-frame-event-private.h"
#include "guest/jank-errands-private.h"
#include "guest/jank-rest-private.h"

/* Nearly five hours at 60 Hz, about 40 MB. */
#define MAX_ROWS 1000000

struct _JankFrameLog
{
  char    *path;     /* (owned) */
  int      fd;       /* -1: cannot be written, or not now */
  GString *rows;     /* (owned): not written yet */
  guint    n_rows;
  gint64   first_ns; /* 0: no frame so far */
};

JankFrameLog *
jank_frame_log_new (const char *path)
{
  JankFrameLog *self = g_new0 (JankFrameLog, 1);
  gsize n_bytes = strlen (path) - (g_str_has_suffix (path, ".csv") ? strlen (".csv") : 0);

  self->path = g_strdup_printf ("%.*s-%d.csv", (int) n_bytes, path, getpid ());
  self->fd = -1;
  self->rows = g_string_new (NULL);
  return self;
}

static void
jank_frame_log_fail (JankFrameLog *self, const char *reason)
{
  jank_errands_say (_("Could not write “%s”: %s. The program runs on, the record is incomplete"), self->path, reason);
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
}

/* A FIFO without a reader cannot be opened, one with a reader is not. Returns: (nullable): why it cannot be written */
static const char *
jank_frame_log_try_open (JankFrameLog *self)
{
  struct stat status;

  self->fd = open (self->path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (self->fd < 0 && errno != ENXIO)
    return g_strerror (errno);
  if (self->fd < 0 || fstat (self->fd, &status) != 0 || !S_ISREG (status.st_mode))
    return _("it is not a regular file");
  return ftruncate (self->fd, 0) == 0 ? NULL : g_strerror (errno);
}

static void
jank_frame_log_started (gpointer data, JankRecord *record)
{
  JankFrameLog *self = data;
  const char *reason;

  jank_rest_begin ();
  reason = jank_frame_log_try_open (self);
  jank_rest_end ();
  if (reason != NULL)
    jank_frame_log_fail (self, reason);
  g_string_append (self->rows, "fps,frametime,elapsed,busy,refresh,late\n");
}

/* In a table numbers have a point in every locale. */
static void
jank_frame_log_add_ms (GString *row, gint64 time_ns)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (row, g_ascii_formatd (text, sizeof text, "%.3f", (double) time_ns / JANK_NS_PER_MS));
}

static void
jank_frame_log_frame (gpointer data, JankRecord *record, const JankFrameTime *frame)
{
  static const char *const who[] = { "", "program", "display" };
  JankFrameLog *self = data;
  GString *row = self->rows;

  if (!frame->follows || frame->interval_ns <= 0 || ++self->n_rows > MAX_ROWS)
    return;
  if (self->first_ns == 0)
    self->first_ns = frame->began_ns;
  g_string_append_printf (row, "%" G_GINT64_FORMAT ",", JANK_NS_PER_S / frame->interval_ns);
  jank_frame_log_add_ms (row, frame->interval_ns);
  g_string_append_printf (row, ",%" G_GINT64_FORMAT ",", frame->began_ns - self->first_ns);
  jank_frame_log_add_ms (row, frame->busy_ns);
  g_string_append_c (row, ',');
  jank_frame_log_add_ms (row, frame->refresh_ns);
  g_string_append_printf (row, ",%s\n", who[CLAMP (frame->who, 0, JANK_FRAME_LATE_COMPOSITOR)]);
}

static void
jank_frame_log_write (JankFrameLog *self)
{
  gsize n_written = 0;

  while (self->fd >= 0 && n_written < self->rows->len)
    {
      gssize n;

      jank_rest_begin ();
      n = write (self->fd, self->rows->str + n_written, self->rows->len - n_written);
      jank_rest_end ();
      if (n >= 0)
        n_written += (gsize) n;
      else if (errno != EINTR)
        jank_frame_log_fail (self, g_strerror (errno));
    }
  g_string_truncate (self->rows, 0);
}

static void
jank_frame_log_tick (gpointer data, JankRecord *record, gint64 now_ns, gint64 *ret_due_ns)
{
  jank_frame_log_write (data);
}

static void
jank_frame_log_exiting (gpointer data, JankRecord *record)
{
  JankFrameLog *self = data;

  jank_frame_log_write (self);
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
}

static void
jank_frame_log_free (gpointer data)
{
  JankFrameLog *self = data;

  g_string_free (self->rows, TRUE);
  g_free (self->path);
  g_free (self);
}

const JankSinkFuncs jank_frame_log_sink = {
  .started = jank_frame_log_started,
  .frame = jank_frame_log_frame,
  .tick = jank_frame_log_tick,
  .exiting = jank_frame_log_exiting,
  .free = jank_frame_log_free,
};
