/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proc/jank-task-private.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "base/jank-order-private.h"
#include "proc/jank-proc-private.h"
#include "proc/jank-thread-private.h"

#define MAX_LISTINGS 4

/* Of a thread's line in /proc/PID/task/TID/stat, counted from its state. */
enum { FIELD_STATE, FIELD_PARENT, FIELD_SESSION = 3, FIELD_CPU_USER = 11, FIELD_CPU_SYSTEM, FIELD_NICE = 16,
       FIELD_BEGAN = 19, FIELD_PRIORITY = 37, FIELD_POLICY, N_FIELDS };

static void
jank_task_fill_numbers (JankTask *task, const char *fields)
{
  gint64 ns_per_tick = JANK_NS_PER_S / sysconf (_SC_CLK_TCK);
  gint64 values[N_FIELDS] = { 0 };
  char *end = (char *) fields;

  task->state = *end++;
  for (guint i = 1; i < N_FIELDS; i++)
    {
      const char *begin = end;

      values[i] = g_ascii_strtoll (begin, &end, 10);
      if (end == begin)
        return;
    }
  task->parent = (pid_t) values[FIELD_PARENT];
  task->session = (pid_t) values[FIELD_SESSION];
  task->nice = (int) values[FIELD_NICE];
  task->priority = (int) values[FIELD_PRIORITY];
  task->policy = (int) values[FIELD_POLICY];
  task->cpu_ns = (values[FIELD_CPU_USER] + values[FIELD_CPU_SYSTEM]) * ns_per_tick;
  /* The kernel counts from boot, time in suspend included, and does not tell how much of it came before the thread
   * began. */
  task->began_boot_ns = values[FIELD_BEGAN] * ns_per_tick;
  if (jank_clock_suspended_ns () < ns_per_tick)
    task->began_ns = task->began_boot_ns;
}

gboolean
jank_task_read (const char *task_folder, pid_t tid, JankTask *ret_task)
{
  char path[PATH_MAX], line[1024], *name, *name_end;
  JankTask task = { .tid = tid, .cpu_ns = -1, .began_ns = -1, .began_boot_ns = -1 };
  gint64 cpu_ns = jank_clock_read_ns (jank_cpu_clock_of (tid));

  g_snprintf (path, sizeof path, "%s/%d/stat", task_folder, (int) tid);
  if (!jank_proc_read (path, line, sizeof line))
    return FALSE;
  name = strchr (line, '(');
  name_end = strrchr (line, ')');
  if (name == NULL || name_end == NULL || name_end < name || name_end[1] != ' ' || name_end[2] == '\0')
    return FALSE;

  *name_end = '\0';
  jank_proc_text (task.name, sizeof task.name, name + 1);
  jank_task_fill_numbers (&task, name_end + 2);
  /* stat has ticks. */
  if (cpu_ns > 0)
    task.cpu_ns = cpu_ns;
  *ret_task = task;
  return TRUE;
}

gboolean
jank_task_read_first (pid_t pid, JankTask *ret_task)
{
  char folder[48];

  jank_proc_path (folder, sizeof folder, pid, "task");
  return pid > 0 && jank_task_read (folder, pid, ret_task);
}

JANK_ORDER_RISING (jank_task_compare_tids, pid_t, [0])

/* Returns whether any of them were not in tids. */
static gboolean
jank_task_add_tids (const char *task_folder, GArray *tids)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (pid_t));
  DIR *folder = opendir (task_folder);
  struct dirent *entry;

  while (folder != NULL && (entry = readdir (folder)) != NULL)
    {
      pid_t tid = atoi (entry->d_name);

      if (tid > 0 && !g_array_binary_search (tids, &tid, jank_task_compare_tids, NULL))
        g_array_append_val (found, tid);
    }
  if (folder != NULL)
    closedir (folder);
  g_array_append_vals (tids, found->data, found->len);
  g_array_sort (tids, jank_task_compare_tids);
  return found->len != 0;
}

/* A thread that ends during the listing may take others out of it: the list is read again until it has nothing new.
 * */
static GArray *
jank_task_list_tids (const char *task_folder)
{
  GArray *tids = g_array_new (FALSE, FALSE, sizeof (pid_t));

  for (guint i = 0; i < MAX_LISTINGS && jank_task_add_tids (task_folder, tids); i++)
    continue;
  return tids;
}

GArray *
jank_task_list (const char *task_folder, guint max, pid_t skip, guint *ret_n_tasks)
{
  GArray *tasks = g_array_new (FALSE, FALSE, sizeof (JankTask));
  g_autoptr (GArray) tids = jank_task_list_tids (task_folder);

  for (guint i = 0; i < tids->len && tasks->len < max; i++)
    {
      pid_t tid = g_array_index (tids, pid_t, i);
      JankTask task;

      if (tid != skip && jank_task_read (task_folder, tid, &task))
        g_array_append_val (tasks, task);
    }
  if (ret_n_tasks != NULL)
    *ret_n_tasks = tids->len;
  return tasks;
}
