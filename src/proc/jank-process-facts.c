/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proc/jank-task-private.h"

#include <dirent.h>
#include <stdio.h>
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

void
jank_process_facts_read (JankProcessFacts *ret_facts)
{
  JankProcessFacts facts = { -1, JANK_PROCESS_FACTS (UNKNOWN) jank_pressure_read_machine (""),
                             jank_pressure_read_group ("") };
  char path[48], text[128];
  long long n_pages;

  jank_proc_path (path, sizeof path, 0, "statm");
  if (jank_proc_read (path, text, sizeof text) && sscanf (text, "%*d %lld", &n_pages) == 1)
    facts.rss_bytes = n_pages * sysconf (_SC_PAGESIZE);
  facts.n_threads = jank_proc_to_number (jank_proc_read_field (0, "Threads:", "status"));
  facts.cpu_ns = jank_clock_read_ns (jank_cpu_clock_of_process (jank_memory_get_pid ()));
  facts.n_descriptors = jank_process_facts_count_descriptors ();
  facts.read_bytes = jank_proc_to_number (jank_proc_read_field (0, "read_bytes:", "io"));
  facts.written_bytes = jank_proc_to_number (jank_proc_read_field (0, "write_bytes:", "io"));
  *ret_facts = facts;
}
