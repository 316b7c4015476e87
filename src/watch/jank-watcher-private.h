/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The thread that watches a beat: parked while the loop is idle, ticking while it works, sampling while it
 * is late. What it finds goes to its sinks. */

#pragma once

#include "observe/jank-ping-private.h"
#include "rules/jank-rule-private.h"
#include "watch/jank-sink-private.h"

typedef struct _JankWatcher JankWatcher;

/* Starts the thread. task_folder: "/proc/self/task", or a stand-in. beat and sinks must outlive the watcher.
 * NULL with JANK_ERROR_UNAVAILABLE when no thread can be had, or it can have no descriptors of its own. */
JankWatcher *jank_watcher_new        (JankBeat *beat, const JankRule *rule, int signal, const char *task_folder,
                                      JankSinks *sinks, GError **error);

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
