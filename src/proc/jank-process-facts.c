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

static double
jank_pressure_read_share (const char *path)
{
  char text[256];
  double percent;

  if (!jank_proc_read (path, text, sizeof text) || sscanf (text, "some avg10=%lf", &percent) != 1)
    return -1;
  return CLAMP (percent / 100, 0, 1);
}

static JankPressure
jank_pressure_read_folder (const char *folder, const char *suffix)
{
  const char *const resources[] = { "memory", "io", "cpu" };
  double shares[G_N_ELEMENTS (resources)];
  char path[512];

  for (guint i = 0; i < G_N_ELEMENTS (resources); i++)
    shares[i] = g_snprintf (path, sizeof path, "%s/%s%s", folder, resources[i], suffix) < (int) sizeof path
              ? jank_pressure_read_share (path) : -1;
  return (JankPressure) { shares[0], shares[1], shares[2] };
}

JankPressure
jank_pressure_read_machine (const char *root)
{
  g_autofree char *folder = g_strconcat (root, "/proc/pressure", NULL);

  return jank_pressure_read_folder (folder, "");
}

JankPressure
jank_pressure_read_group (const char *root)
{
  static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
  g_autofree char *list = NULL;
  JankPressure pressure = { -1, -1, -1 };
  char path[48], text[4096];
  char *line;

  jank_proc_path (path, sizeof path, 0, "cgroup");
  list = g_strconcat (root, path, NULL);
  if (!jank_proc_read (list, text, sizeof text))
    return pressure;
  line = g_str_has_prefix (text, "0::/") ? text : strstr (text, "\n0::/");
  if (line == NULL)
    return pressure;
  line = strchr (line, '/');
  line[strcspn (line, "\n")] = '\0';
  /* The root is the machine; “/..” is outside of what is mounted here. */
  if (line[1] == '\0' || strstr (line, "/..") != NULL)
    return pressure;
  for (guint i = 0; i < G_N_ELEMENTS (mounts) && pressure.memory < 0; i++)
    {
      g_autofree char *folder = g_strconcat (root, mounts[i], line, NULL);

      pressure = jank_pressure_read_folder (folder, ".pressure");
    }
  return pressure;
}
