/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All threads of the process at one moment of a stall: who runs, who waits for whom. Threads are read one after
 * the other, at most one of them interrupted at a time, 64 threads or 50 ms at most. Watcher thread only. */

#pragma once

#include "proc/jank-task-private.h"
#include "sample/jank-sampler-private.h"

#define JANK_SNAPSHOT_MAX_THREADS 64

typedef struct
{
  JankTask         task;
  JankSample       sample;     /* (owned): the state is that at the snapshot */
  gint64           stall_cpu_ns; /* CPU time from the stall's first snapshot to its end, or to when it was last seen; -1
                                  * unknown */
  double           share;      /* of that time, 0..1; -1 unknown */
  gboolean         observed;   /* the thread that runs the loop */
  gboolean         is_gone;    /* ended before the stall did */
} JankSnapshotThread;

typedef struct
{
  gint64            at_ns, since_ns; /* CLOCK_MONOTONIC; when the stall's first one was taken */
  gint64            cost_ns;   /* CPU time of the watcher thread */
  guint             n_threads; /* in the process, also those that were not read */
  GArray           *threads;   /* (owned) JankSnapshotThread */
  JankProcessFacts  process;

  /* From the observed thread along lock owners, by index into threads; ends with a thread that does not wait for
   * a lock whose owner is known. cycle: it ends with one that is in the chain before, as in 0 1 2 1: a deadlock. All
   * of them were seen waiting at one moment. */
  GArray           *chain;     /* (owned) guint; less than two: none */
  gboolean          cycle;
} JankThreadSnapshot;

JankThreadSnapshot *jank_thread_snapshot_new    (void);
void                jank_thread_snapshot_free   (JankThreadSnapshot *self);

/* Whether it is to be taken again: 1, 5, 25 … s into a stall, as a deadlock may have formed since. One never ends. */
gboolean            jank_thread_snapshot_is_old (const JankThreadSnapshot *self, gint64 stall_began_ns);

/* Of the same stall: what threads compute is counted from the first on. */
void                jank_thread_snapshot_continue (JankThreadSnapshot *self, const JankThreadSnapshot *before);

/* What the threads have computed since, until now_ns. */
void                jank_thread_snapshot_update (JankThreadSnapshot *self, gint64 now_ns);

/* (nullable): of those that live the thread that has computed most since, as of the last update */
const JankSnapshotThread *jank_thread_snapshot_get_busiest (const JankThreadSnapshot *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankThreadSnapshot, jank_thread_snapshot_free)

/* Who waits for whom: from a thread to the owner of the lock it waits for, to the owner of the lock that one waits
 * for. Pure. */

/* tids[i] waits for a lock of owners[i], 0: for none whose owner is known. Appends indices to chain (of guint),
 * beginning with start; nothing when start waits for nobody that is in tids.
 * Returns: whether it is a cycle: then the last index is in the chain before */
gboolean jank_lock_chain_find (const pid_t *tids, const pid_t *owners, guint n, guint start, GArray *chain);

/* Takes the snapshot of all threads: the observed one first, then those that hold the locks it waits for, then the
 * rest. A blocked thread is read from outside, one that runs is asked by one signal; never two at a time, and none
 * that blocks the signal. Watcher thread only. */

/* skip: the watcher's own thread; max: how many threads are read, JANK_SNAPSHOT_MAX_THREADS at most. Returns: (transfer
 * full) */
JankThreadSnapshot *jank_snapshot_take (JankSampler *sampler, const char *task_folder, pid_t skip, guint max);
