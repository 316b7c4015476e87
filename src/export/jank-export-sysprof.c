/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A capture for Sysprof. Its samples have no weight, so each of ours is there once a millisecond that it stands for, or
 * less often where that would be too many. A function's address is made up, and its name is in the capture. */

#include "export/jank-export-private.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>
#include <sysprof-capture.h>

#include "base/jank-error.h"
#include "base/jank-order-private.h"
#include "json/jank-json-private.h"

#define MAX_SAMPLES     100000
#define BUFFER_BYTES    (1024 * 1024)
/* Addresses of a function's own. The reader takes the end of a row's range as in it. */
#define FIRST_ADDRESS   G_GUINT64_CONSTANT (0x10000000)
#define FUNCTION_BYTES  16
/* No stack of Sysprof's is longer. */
#define MAX_CALLS       1000

/* A row of the file __symbols__, ended by one of zeros; text is by its place in the file. */
typedef struct
{
  guint64 begin, end;
  guint32 pid, name, tag, padding;
} __attribute__ ((packed)) Symbol;

typedef struct
{
  const JankExport     *export;
  SysprofCaptureWriter *writer;
  gint64                began_ns, quantum_ns;
  gboolean              fine;
} Capture;

static guint32
append_text (GByteArray *texts, const char *text)
{
  guint32 at = texts->len;

  g_byte_array_append (texts, (const guint8 *) text, (guint) strlen (text) + 1);
  return at;
}

JANK_ORDER_RISING (compare_pids, gint, [0])

/* A capture's processes share functions, but each has a row for each of them. The reader wants them sorted. */
static void
add_symbols (Capture *self)
{
  g_autoptr (GByteArray) file = g_byte_array_new (), texts = g_byte_array_new ();
  g_autoptr (GArray) pids = g_array_new (FALSE, FALSE, sizeof (gint));
  g_autoptr (GArray) rows = g_array_new (FALSE, TRUE, sizeof (Symbol));
  guint32 n_before;

  for (guint i = 0; i < self->export->processes->len; i++)
    g_array_append_val (pids, ((JankExportProcess *) g_ptr_array_index (self->export->processes, i))->pid);
  g_array_sort (pids, compare_pids);
  for (guint i = 0; i < pids->len; i++)
    {
      gint pid = g_array_index (pids, gint, i);

      if (i > 0 && pid == g_array_index (pids, gint, i - 1))
        continue;
      for (guint j = 0; j < self->export->functions->len; j++)
        {
          const JankExportFunction *function = g_ptr_array_index (self->export->functions, j);
          guint64 begin = FIRST_ADDRESS + j * FUNCTION_BYTES;
          g_autofree char *base = g_path_get_basename (function->module);
          Symbol row = { begin, begin + FUNCTION_BYTES - 1, (guint32) pid, append_text (texts, function->name),
                         append_text (texts, function->module[0] != '\0' ? base : ""), 0 };

          g_array_append_val (rows, row);
        }
    }
  g_array_set_size (rows, rows->len + 1);
  n_before = rows->len * (guint) sizeof (Symbol);
  for (guint i = 0; i + 1 < rows->len; i++)
    {
      g_array_index (rows, Symbol, i).name += n_before;
      g_array_index (rows, Symbol, i).tag += n_before;
    }
  g_byte_array_append (file, (const guint8 *) rows->data, n_before);
  g_byte_array_append (file, texts->data, texts->len);
  for (gsize at = 0; at < file->len;)
    {
      gsize n = MIN (file->len - at, 4096 * 4);

      self->fine &= sysprof_capture_writer_add_file (self->writer, self->began_ns, -1, -1, "__symbols__",
                                                     at + n == file->len, file->data + at, n);
      at += n;
    }
}

/* What is rounded off is carried on: in sum the shares are right. */
static void
add_samples (Capture *self, const JankExportReport *report, gint pid)
{
  gint64 owed_ns = self->quantum_ns / 2;

  JANK_EACH_IN (const JankExportSample, sample, report->samples)
    {
      const GArray *stack = g_ptr_array_index (report->stacks, sample->stack);
      SysprofCaptureAddress addresses[MAX_CALLS];
      guint n = MIN (stack->len, MAX_CALLS);

      for (guint j = 0; j < n; j++)
        addresses[j] = FIRST_ADDRESS + g_array_index (stack, JankExportCall,
                                                      stack->len - 1 - j).function * FUNCTION_BYTES;
      owed_ns += sample->to_ns - sample->from_ns;
      for (gint64 at_ns = sample->from_ns; owed_ns >= self->quantum_ns;
           at_ns += self->quantum_ns, owed_ns -= self->quantum_ns)
        self->fine &= sysprof_capture_writer_add_sample (self->writer, self->began_ns + report->began_ns + at_ns, -1,
                                                         pid, pid, addresses, n);
    }
}

static void
add_fps (Capture *self)
{
  SysprofCaptureCounter counter = { .category = "Frames", .name = "FPS", .description = "Frames a second" };

  counter.id = sysprof_capture_writer_request_counter (self->writer, 1);
  counter.type = SYSPROF_CAPTURE_COUNTER_DOUBLE;
  self->fine &= sysprof_capture_writer_define_counters (self->writer, self->began_ns, -1, -1, &counter, 1);
  JANK_EACH (const JankExportReport, report, self->export->reports)
    {
      SysprofCaptureCounterValue value = { .vdbl = report->fps };

      if (report->fps >= 0.0)
        self->fine &= sysprof_capture_writer_set_counters (self->writer,
                                                           self->began_ns + report->began_ns + report->length_ns,
                                                           -1, -1, (unsigned int[]) { counter.id }, &value, 1);
    }
}

static gint64
find_quantum (const JankExport *export)
{
  gint64 total_ns = 0;

  for (guint i = 0; i < export->reports->len; i++)
    jank_json_sum (&total_ns, ((JankExportReport *) g_ptr_array_index (export->reports, i))->length_ns);
  return MAX (JANK_NS_PER_MS, total_ns / MAX_SAMPLES);
}

static void
fill (Capture *self)
{
  add_symbols (self);
  add_fps (self);
  JANK_EACH (const JankExportProcess, process, self->export->processes)
    {
      self->fine &= sysprof_capture_writer_add_process (self->writer, self->began_ns, -1, process->pid,
                                                        process->program);
      JANK_EACH (const JankExportMark, mark, process->marks)
        self->fine &= sysprof_capture_writer_add_mark (self->writer, self->began_ns + mark->from_ns, -1, process->pid,
                                                       (guint64) (mark->to_ns - mark->from_ns), "jankwatch",
                                                       jank_export_mark_nicks[mark->kind], mark->text);
    }
  JANK_EACH (const JankExportReport, report, self->export->reports)
    add_samples (self, report,
                 ((JankExportProcess *) g_ptr_array_index (self->export->processes, report->process))->pid);
  self->fine &= sysprof_capture_writer_flush (self->writer);
}

/* The library believes that what it writes happens now. */
static gboolean
set_times (int fd, const JankExport *export)
{
  gint64 times_ns[] = { export->began_real_ns, export->began_real_ns + export->length_ns };
  gsize places[] = { offsetof (SysprofCaptureFileHeader, time), offsetof (SysprofCaptureFileHeader, end_time) };
  g_autoptr (GDateTime) began = g_date_time_new_from_unix_utc (export->began_real_ns / JANK_NS_PER_S);
  g_autofree char *text = began != NULL ? g_date_time_format_iso8601 (began) : NULL;
  char field[sizeof ((SysprofCaptureFileHeader *) NULL)->capture_time] = { 0 };

  g_strlcpy (field, text != NULL ? text : "", sizeof field);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    if (pwrite (fd, &times_ns[i], sizeof times_ns[i], (off_t) places[i]) != sizeof times_ns[i])
      return FALSE;
  return pwrite (fd, field, sizeof field, offsetof (SysprofCaptureFileHeader, capture_time)) == sizeof field;
}

/* The library writes to a file: to one in memory. */
static GBytes *
jank_export_sysprof_make (const JankExport *self, GError **error)
{
  Capture capture = { .export = self, .began_ns = self->began_real_ns, .quantum_ns = find_quantum (self),
                      .fine = TRUE };
  int fd = memfd_create ("sysprof", MFD_CLOEXEC);
  int copy = fd >= 0 ? dup (fd) : -1;
  GBytes *bytes = NULL;
  g_autoptr (GMappedFile) file = NULL;

  capture.writer = copy >= 0 ? sysprof_capture_writer_new_from_fd (copy, BUFFER_BYTES) : NULL;
  if (capture.writer != NULL)
    {
      fill (&capture);
      sysprof_capture_writer_unref (capture.writer);
      file = capture.fine && set_times (fd, self) ? g_mapped_file_new_from_fd (fd, FALSE, NULL) : NULL;
    }
  if (file != NULL)
    bytes = g_mapped_file_get_bytes (file);
  else
    g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot write a capture: %s"), g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return bytes;
}

const JankExportFormat jank_export_sysprof = {
  "sysprof", N_("A capture for Sysprof"), JANK_EXPORT_BINARY, jank_export_sysprof_make,
};
