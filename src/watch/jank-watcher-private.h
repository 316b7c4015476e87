/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The thread that watches a beat: parked while the loop is idle, ticking while it works, sampling while it
 * is late. What it finds goes to the functions below, all called on the watcher thread. */

#pragma once

#include "observe/jank-beat-private.h"
#include "observe/jank-dispatch-slot-private.h"
#include "observe/jank-frame-times-private.h"
#include "observe/jank-ping-private.h"
#include "rules/jank-rule-private.h"
#include "sample/jank-sampler-private.h"
#include "watch/jank-stall-private.h"

typedef struct
{
  guint64           n_wakeups; /* of the watcher thread */
  guint64           n_missed;  /* stalls that ended before the watcher was given a CPU */
  guint64           n_dropped; /* stalls that found the ring of ended ones full */
  JankSamplerCounts sampler;
  JankSignalCounts  signals;
} JankWatcherCounts;

typedef struct
{
  /* The watcher is at work; the first call. */
  void (*started) (const JankWatcherCounts *counts, gpointer data);
  /* The rule has found a stall, or it still lasts and is due again. One at a time: a spin that is reported has ended before
   * a stall is. */
  void (*ongoing) (const JankStall *stall, JankCodeMap *map, const JankWatcherCounts *counts, gpointer data);
  /* The loop came back, or (exiting) the program is about to end. */
  void (*ended)   (const JankStall *stall, gboolean exiting, JankCodeMap *map, const JankWatcherCounts *counts, gpointer data);
  /* A busy period too short for a stall has ended, of which there are samples: for late frames. */
  void (*brief)   (const JankStall *stall, JankCodeMap *map, gpointer data);
  /* Something does not work; the watcher goes on without it. */
  void (*failed)  (const GError *error, gpointer data);
  /* The program is about to end; the last call. */
  void (*exiting) (const JankWatcherCounts *counts, gpointer data);
  /* Watching ends, the program goes on; the last call; (nullable). */
  void (*stopped) (const JankWatcherCounts *counts, gpointer data);
  /* Once each time the watcher has looked at the loop; (nullable). Returns: CLOCK_MONOTONIC time for one more call
   * should the loop be idle until then and the watcher parked; 0: none. */
  gint64 (*tick)  (const JankWatcherCounts *counts, JankCodeMap *map, gint64 now_ns, gpointer data);
  /* An opaque ID of the heaviest stack so far, 0: none; (nullable). */
  guint64 (*find_heaviest) (const JankStall *stall, JankPick pick, gpointer data);
  /* A stack has been read, and is about to be counted; (nullable). */
  void (*sampled) (const JankSample *sample, gpointer data);
  /* A busy period too short for a stall has ended, sampled or not; only where the rule says record_ns; (nullable). */
  void (*short_period) (const JankBusyPeriod *period, JankCodeMap *map, gpointer data);
  /* The next frame of the program, in order; only where a rule asks for frames; (nullable). FALSE: none since. */
  gboolean (*next_frame) (JankFrameTime *ret_frame, gpointer data);
  /* A rule that counts frames has a figure, in frames a second; (nullable). */
  void (*figure) (double fps, gpointer data);
  /* When the newest frame began, which is told once it is drawn; (nullable). Returns: 0: none has */
  gint64 (*frame_began) (gpointer data);
} JankWatcherFuncs;

typedef struct _JankWatcher JankWatcher;

/* Starts the thread. task_folder: "/proc/self/task", or a stand-in. beat must outlive the watcher.
 * NULL with JANK_ERROR_UNAVAILABLE when no thread can be had, or it can have no descriptors of its own. */
JankWatcher *jank_watcher_new        (JankBeat *beat, const JankRule *rule, int signal, const char *task_folder,
                                      const JankWatcherFuncs *funcs, gpointer data, GError **error);

/* Any thread but the watcher; waits for it to end. */
void         jank_watcher_free       (JankWatcher *self);

/* On the thread that runs the loop from now on. */
void         jank_watcher_set_thread (JankWatcher *self);

/* Any thread: where time per source is counted; it must live as long as the process. NULL: nowhere. */
void         jank_watcher_set_ledger (JankWatcher *self, const JankSourceLedger *ledger);

/* Any thread: another rule, from now on; a stall that has been reported goes on as it is. */
void         jank_watcher_set_rule   (JankWatcher *self, const JankRule *rule);

/* Any thread. Paused, the watcher sleeps: no samples, no reports, and a report that was of something ongoing is
 * ended first. What is under way when it goes on is left alone. */
void         jank_watcher_set_paused (JankWatcher *self, gboolean paused);

/* Any thread: whose beat is watched; sends what the rule asks for. */
void         jank_watcher_set_ping   (JankWatcher *self, JankPing *ping);

/* When the program ends: has the watcher finish what it was doing, and waits for that, timeout_ns at most. */
void         jank_watcher_exit       (JankWatcher *self, gint64 timeout_ns);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankWatcher, jank_watcher_free)
