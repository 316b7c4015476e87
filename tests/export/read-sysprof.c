/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Prints what Sysprof's own library reads of the capture on standard input: a line a sample, innermost first, a mark, a
 * value of a counter. Times are since the capture began. */

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sysprof.h>
#include <sysprof-capture.h>

/* The library wants a file. */
static int
copy_input (void)
{
  int fd = memfd_create ("capture", 0);
  char buffer[65536];
  gssize n;

  while ((n = read (STDIN_FILENO, buffer, sizeof buffer)) > 0)
    g_assert_cmpint (write (fd, buffer, (gsize) n), ==, n);
  lseek (fd, 0, SEEK_SET);
  return fd;
}

static void
print_sample (SysprofSymbolResolver *resolver, const SysprofCaptureSample *sample, gint64 began_ns)
{
  printf ("sample\t%" G_GINT64_FORMAT, sample->frame.time - began_ns);
  for (guint i = 0; i < sample->n_addrs; i++)
    {
      GQuark tag = 0;
      g_autofree char *name = sysprof_symbol_resolver_resolve_with_context (
        resolver, (guint64) sample->frame.time, sample->frame.pid, SYSPROF_ADDRESS_CONTEXT_USER, sample->addrs[i],
        &tag);

      printf ("\t%s", name != NULL ? name : "(unresolved)");
    }
  printf ("\n");
}

static void
print_value (const SysprofCaptureCounterSet *set, gint64 began_ns)
{
  for (guint i = 0; i < set->n_values; i++)
    for (guint j = 0; j < G_N_ELEMENTS (set->values[i].ids); j++)
      if (set->values[i].ids[j] != 0)
        printf ("fps\t%" G_GINT64_FORMAT "\t%f\n", set->frame.time - began_ns, set->values[i].values[j].vdbl);
}

int
main (void)
{
  SysprofCaptureReader *reader = sysprof_capture_reader_new_from_fd (copy_input ());
  g_autoptr (SysprofSymbolResolver) resolver = sysprof_capture_symbol_resolver_new ();
  SysprofCaptureFrameType type;
  gint64 began_ns;

  g_assert_nonnull (reader);
  began_ns = sysprof_capture_reader_get_start_time (reader);
  sysprof_symbol_resolver_load (resolver, reader);
  sysprof_capture_reader_reset (reader);
  while (sysprof_capture_reader_peek_type (reader, &type))
    if (type == SYSPROF_CAPTURE_FRAME_SAMPLE)
      print_sample (resolver, sysprof_capture_reader_read_sample (reader), began_ns);
    else if (type == SYSPROF_CAPTURE_FRAME_CTRSET)
      print_value (sysprof_capture_reader_read_counter_set (reader), began_ns);
    else if (type == SYSPROF_CAPTURE_FRAME_MARK)
      {
        const SysprofCaptureMark *mark = sysprof_capture_reader_read_mark (reader);

        printf ("mark\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\t%s\t%s\n", mark->frame.time - began_ns,
                mark->duration,
                 mark->name, mark->message);
      }
    else
      g_assert_true (sysprof_capture_reader_skip (reader));
  sysprof_capture_reader_unref (reader);
  return 0;
}
