/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A running monitor: the observer of the loop, the watcher, the recorder, the GTK plug-in. Lives from the monitor's
 * start to its stop. The loop's thread only. */

#pragma once

#include "settings/jank-settings-private.h"
#include "sinks/jank-gtk-host-private.h"
#include "watch/jank-sink-private.h"
#include "monitor/jank-tags-private.h"
#include "observe/jank-source-ledger-private.h"
#include "base/jank-histogram-private.h"
#include "watch/jank-watcher-private.h"
#include "sinks/jank-program-private.h"

typedef struct _JankWatchedLoop JankWatchedLoop;

/* Everything here outlives the loop. */
typedef struct
{
  GMainContext           *context;
  JankTags               *tags;
  const JankInspectorHost *inspector;
  JankSink                sinks[2]; /* told after those of its own */
  gboolean                is_in_wait; /* of the context, whose thread this is */
} JankWatchedLoopOwner;

/* settings: nobody changes them any more. startup_began_ns: as in jank_monitor_start_early(). NULL with an error. */
JankWatchedLoop          *jank_watched_loop_new        (const JankWatchedLoopOwner *owner, JankSettings *settings,
                                                    gint64 startup_began_ns, gboolean paused, GError **error);
/* Waits for a report that is being written. */
void                    jank_watched_loop_free       (JankWatchedLoop *self);

/* key: the one that differs from before */
void                    jank_watched_loop_apply      (JankWatchedLoop *self, JankSettings *settings, const char *key);
void                    jank_watched_loop_set_paused (JankWatchedLoop *self, gboolean paused);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankWatchedLoop, jank_watched_loop_free)

/* The watchers of this process: at its end each may finish its last report. Any thread. */

/* TRUE the first time that a process asks: it may be activated. A fork of a program that has no loop yet may be the
 * program itself (gvim, daemons), and asks anew. No system call, no lock. */
gboolean jank_running_claim  (void);

void     jank_running_add    (JankWatcher *watcher);

/* FALSE: it is not in the list, which is empty in a forked child. */
gboolean jank_running_remove (JankWatcher *watcher);

/* Turns what the watcher finds into reports, for all its sinks. Runs on the watcher thread; only the functions below
 * that say so may be called from another. A failure is said once and costs a report, never the program. */

typedef struct _JankRecorder JankRecorder;

/* session (nullable): the name that reports of this run carry. gtk (nullable): asked for the toolkit's facts; gtk and
 * tags outlive the recorder. */
JankRecorder *jank_recorder_new          (JankSettings *settings, const char *session, JankGtkHostState *gtk,
                                          JankTags *tags);
void          jank_recorder_free         (JankRecorder *self);

/* Any thread. program: (transfer full) */
void          jank_recorder_set_program  (JankRecorder *self, JankProgram *program);

/* Any thread: what holds from the next stall on. settings: (transfer full) */
void          jank_recorder_set_settings (JankRecorder *self, JankSettings *settings);

/* The recorder, and whom it tells: more are added (transfer full) before the watcher starts. */
JankSinks    *jank_recorder_get_sinks    (JankRecorder *self);
