/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the kernel says, and a program may have a hand in: names of threads, maps, and the page of a live file.
 * The first byte chooses the reader. */

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "proc/jank-task-private.h"
#include "proc/jank-thread-private.h"
#include "sample/jank-stack-ranges-private.h"
#include "live/jank-live-private.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize n_bytes);

static void
read_maps (const char *text, gsize n_bytes)
{
  int fd = memfd_create ("fuzz", MFD_CLOEXEC);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  JankStackRanges *ranges;

  g_assert_cmpint (write (fd, text, n_bytes), ==, (gssize) n_bytes);
  ranges = jank_stack_ranges_new (path);
  for (guint i = 0; i < ranges->n_ranges; i++)
    g_assert_cmpuint (jank_stack_ranges_find (ranges, ranges->ranges[i].low).high, ==, ranges->ranges[i].high);
  jank_stack_ranges_free (ranges);
  close (fd);
}

static void
read_task (const char *text, gsize n_bytes)
{
  static const char *const names[] = { "stat", "status", "schedstat", "syscall", "comm" };
  static char *folder;
  JankThreadTimes times;
  JankThreadStatus status;
  JankThreadTurns turns;
  JankSyscall call;
  JankThread *thread;
  JankTask task;

  if (folder == NULL)
    {
      g_autofree char *own = NULL;

      folder = g_dir_make_tmp ("jankwatch-fuzz-XXXXXX", NULL);
      own = g_build_filename (folder, "1", NULL);
      g_assert_cmpint (g_mkdir (own, 0700), ==, 0);
    }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, "1", names[i], NULL);

      g_assert_true (g_file_set_contents_full (path, text, (gssize) n_bytes, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
    }
  jank_task_read (folder, 1, &task);
  thread = jank_thread_new (&(JankThreadInfo) { .tid = 1, .cpu_clock = jank_cpu_clock_of (1) }, folder);
  jank_thread_read_times (thread, &times);
  jank_thread_read_status (thread, &status);
  jank_thread_read_turns (thread, &turns);
  jank_thread_read_syscall (thread, &call);
  jank_thread_is_traced (thread);
  jank_thread_free (thread);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize n_bytes)
{
  char page[JANK_LIVE_PAGE_BYTES] = "";
  g_autofree char *text = NULL, *lines = NULL;
  guint64 number;
  JankSyscall call;
  g_autoptr (JankLive) live = NULL;

  if (n_bytes == 0)
    return 0;
  text = g_strndup ((const char *) data + 1, n_bytes - 1);
  switch (data[0])
    {
    case 'c':
      jank_syscall_parse (text, &call);
      break;
    case 'l':
      live = jank_live_from_json (text);
      break;
    case 'm':
      read_maps ((const char *) data + 1, n_bytes - 1);
      break;
    case 'p':
      memcpy (page, data + 1, MIN (n_bytes - 1, sizeof page));
      lines = jank_live_page_unpack (page, &number);
      live = lines != NULL ? jank_live_from_json (lines) : NULL;
      break;
    case 't':
      read_task ((const char *) data + 1, n_bytes - 1);
      break;
    default:
      break;
    }
  return 0;
}
