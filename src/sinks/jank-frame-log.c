/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Watcher thread only: the program's thread never writes a file for us. */

#include "sinks/jank-sinks-private.h"

#include <string.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "frames/jank-frame-event-private.h"
#include "sinks/jank-line-file-private.h"

/* Nearly five hours at 60 Hz, about 40 MB. */
#define MAX_LINES 1000000

struct _JankFrameLog
{
  char        *path;     /* (owned) (nullable): until the file is open */
  JankLineFile file;
  gint64       first_ns; /* 0: no frame so far */
};

JankFrameLog *
jank_frame_log_new (const char *path)
{
  JankFrameLog *self = g_new0 (JankFrameLog, 1);
  gsize n_bytes = strlen (path) - (g_str_has_suffix (path, ".csv") ? strlen (".csv") : 0);

  self->path = g_strdup_printf ("%.*s-%d.csv", (int) n_bytes, path, getpid ());
  return self;
}

static void
jank_frame_log_started (gpointer data, JankRecord *record)
{
  JankFrameLog *self = data;

  jank_line_file_open (&self->file, g_steal_pointer (&self->path), MAX_LINES);
  jank_line_file_add (&self->file, g_strdup ("fps,frametime,elapsed,busy,refresh,late\n"));
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
  GString *row;

  if (!frame->follows || frame->interval_ns <= 0)
    return;
  if (self->first_ns == 0)
    self->first_ns = frame->began_ns;
  row = g_string_new (NULL);
  g_string_append_printf (row, "%" G_GINT64_FORMAT ",", JANK_NS_PER_S / frame->interval_ns);
  jank_frame_log_add_ms (row, frame->interval_ns);
  g_string_append_printf (row, ",%" G_GINT64_FORMAT ",", frame->began_ns - self->first_ns);
  jank_frame_log_add_ms (row, frame->busy_ns);
  g_string_append_c (row, ',');
  jank_frame_log_add_ms (row, frame->refresh_ns);
  g_string_append_printf (row, ",%s\n", who[CLAMP (frame->who, 0, JANK_FRAME_LATE_COMPOSITOR)]);
  jank_line_file_add (&self->file, g_string_free (row, FALSE));
}

static void
jank_frame_log_tick (gpointer data, JankRecord *record, gint64 now_ns, gint64 *ret_due_ns)
{
  jank_line_file_write (&((JankFrameLog *) data)->file);
}

static void
jank_frame_log_exiting (gpointer data, JankRecord *record)
{
  jank_line_file_close (&((JankFrameLog *) data)->file);
}

static void
jank_frame_log_free (gpointer data)
{
  JankFrameLog *self = data;

  jank_line_file_clear (&self->file);
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
