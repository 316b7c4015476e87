/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Turns what the watcher finds into reports, and tells its sinks. Runs on the watcher thread; only the functions below
 * that say so may be called from another. A failure is said once and costs a report, never the program. */

#pragma once

#include "sinks/jank-gtk-host-private.h"
#include "sinks/jank-sink-private.h"
#include "monitor/jank-tags-private.h"

typedef struct _JankRecorder JankRecorder;

/* session (nullable): the name that reports of this run carry. gtk (nullable): asked for frames; gtk and tags outlive
 * the recorder. sinks (transfer full): those with data. */
JankRecorder *jank_recorder_new          (const JankSettings *settings, const char *session, JankGtkHostState *gtk,
                                          JankTags *tags, const JankSink *sinks, guint n_sinks);
void          jank_recorder_free         (JankRecorder *self);

/* Any thread. program: (transfer full) */
void          jank_recorder_set_program  (JankRecorder *self, JankProgram *program);

/* Any thread: what holds from the next stall on. settings: (transfer full) */
void          jank_recorder_set_settings (JankRecorder *self, JankSettings *settings);

/* For jank_watcher_new(), with the recorder as their data. */
extern const JankWatcherFuncs jank_recorder_funcs;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankRecorder, jank_recorder_free)
