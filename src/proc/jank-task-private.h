/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every thread of this process, as the kernel lists them, and the process itself. A thread may end while it is read:
 * fields that could not be read are unknown. Watcher thread only. */

#pragma once

#include <glib.h>
#include <sys/types.h>

typedef struct
{
  pid_t  tid;
  char   name[16];
  char   state;      /* as in /proc: R running, S sleeping, D in the disk, T stopped …, 0 unknown */
  int    policy;     /* SCHED_OTHER … */
  int    priority;   /* real-time priority, 0: none */
  int    nice;
  gint64 cpu_ns;     /* since it began, -1 unknown */
  gint64 began_ns;   /* CLOCK_MONOTONIC, -1 unknown, also once the machine was suspended */
  gint64 began_boot_ns; /* the same, CLOCK_BOOTTIME, in ticks of 10 ms or so; -1 unknown */
  pid_t  parent, session; /* of its process, 0 unknown */
} JankTask;

/* Threads of task_folder ("/proc/self/task"), lowest tid first, at most max of them; skip: one that is left out, 0:
 * none. ret_n_tasks: how many there are in all. Returns: (transfer full) (element-type JankTask) */
GArray *jank_task_list      (const char *task_folder, guint max, pid_t skip, guint *ret_n_tasks);

/* One of them. False when the thread is gone. */
gboolean jank_task_read     (const char *task_folder, pid_t tid, JankTask *ret_task);

/* The first thread of a process, which is as old as that. */
gboolean jank_task_read_first (pid_t pid, JankTask *ret_task);

/* In which share of the last 10 s some thread could not go on for lack of it: the kernel's “some avg10”, which comes up
 * to 2 s late. -1: not known. */
typedef struct { double memory, io, cpu; } JankPressure;

/* root: "", or a folder that stands for /. Of the machine; of this process's control group, which may have limits. */
JankPressure jank_pressure_read_machine (const char *root);
JankPressure jank_pressure_read_group   (const char *root);

/* Numbers of the process; -1 for what cannot be read, or is not cheap to read. FACT (member, name and meaning in the
 * report) */
#define JANK_PROCESS_FACTS(FACT) \
  FACT (rss_bytes, "rss_bytes", "Resident memory.") \
  FACT (cpu_ns, "cpu_ns", "CPU time of all threads since the start.") \
  FACT (n_descriptors, "descriptors", "Open file descriptors.") \
  FACT (read_bytes, "read_bytes", "Read from storage since the start.") \
  FACT (written_bytes, "written_bytes", "Written to storage since the start.")

#define JANK_PROCESS_FACT_MEMBER(member, name, meaning) gint64 member;

typedef struct
{
  gint64 n_threads;
  JANK_PROCESS_FACTS (JANK_PROCESS_FACT_MEMBER)
  JankPressure machine, group;
} JankProcessFacts;

void    jank_process_facts_read (JankProcessFacts *ret_facts);
