/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proc/jank-task-private.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"
#include "guest/jank-own-files-private.h"
#include "proc/jank-proc-private.h"
#include "proc/jank-thread-private.h"

/* The proportional set size stays unknown: the kernel walks all page tables for it, under a lock that holds up
 * the program's mmap(); 2.5 ms were measured for a demo, 23 ms for GTK's widget factory. */

/* More than this are not counted one by one. */
#define MAX_DESCRIPTORS 65536

#define UNKNOWN(member, name, meaning) -1,

/* The number behind a name that begins a line, -1 when there is none. */
static gint64
jank_process_facts_find_number (const char *text, const char *name)
{
  const char *line = g_str_has_prefix (text, name) ? text : strstr (text, name);
  long long value;

  return line != NULL && sscanf (line + strlen (name), " %lld", &value) == 1 ? value : -1;
}

static gint64
jank_process_facts_count_descriptors (void)
{
  char path[48];
  struct dirent *entry;
  gint64 n = 0;
  DIR *folder;

  jank_proc_path (path, sizeof path, 0, "fd");
  folder = opendir (path);
  if (folder == NULL)
    return -1;
  while (n < MAX_DESCRIPTORS && (entry = readdir (folder)) != NULL)
    n += entry->d_name[0] != '.';
  closedir (folder);
  return jank_own_files_has () || jank_memory_get_other () != 0 ? n : n - 1; /* without the folder's own */
}

static gboolean
jank_process_facts_read_file (const char *name, char *buffer, gsize n_bytes)
{
  char path[48];

  jank_proc_path (path, sizeof path, 0, "%s", name);
  return jank_proc_read (path, buffer, n_bytes);
}

static void
jank_process_facts_read_io (JankProcessFacts *facts)
{
  char text[512];

  if (!jank_process_facts_read_file ("io", text, sizeof text))
    return;
  facts->read_bytes = jank_process_facts_find_number (text, "\nread_bytes:");
  facts->written_bytes = jank_process_facts_find_number (text, "\nwrite_bytes:");
}

void
jank_process_facts_read (JankProcessFacts *ret_facts)
{
  JankProcessFacts facts = { -1, JANK_PROCESS_FACTS (UNKNOWN) jank_pressure_read_machine (""),
                             jank_pressure_read_group ("") };
  char text[4096];
  long long n_pages;

  if (jank_process_facts_read_file ("statm", text, sizeof text) && sscanf (text, "%*d %lld", &n_pages) == 1)
    facts.rss_bytes = n_pages * sysconf (_SC_PAGESIZE);
  if (jank_process_facts_read_file ("status", text, sizeof text))
    facts.n_threads = jank_process_facts_find_number (text, "\nThreads:");
  facts.cpu_ns = jank_clock_read_ns (jank_cpu_clock_of_process (jank_memory_get_pid ()));
  facts.n_descriptors = jank_process_facts_count_descriptors ();
  jank_process_facts_read_io (&facts);
  *ret_facts = facts;
}
