/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Takes the snapshot of all threads: the observed one first, then those that hold the locks it waits for, then the
 * rest. A blocked thread is read from outside, one that runs is asked by one signal; never two at a time, and none
 * that blocks the signal. Watcher thread only. */

#pragma once

#include "sample/jank-sampler-private.h"
#include "sample/jank-thread-snapshot-private.h"

/* skip: the watcher's own thread; max: how many threads are read, JANK_SNAPSHOT_MAX_THREADS at most. Returns: (transfer
 * full) */
JankThreadSnapshot *jank_snapshot_take (JankSampler *sampler, const char *task_folder, pid_t skip, guint max);
