/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Turns what the watcher finds into reports, for all its sinks. Runs on the watcher thread; only the functions below
 * that say so may be called from another. A failure is said once and costs a report, never the program. */

#pragma once

#include "sinks/jank-gtk-host-private.h"
#include "sinks/jank-program-private.h"
#include "watch/jank-sink-private.h"
#include "monitor/jank-tags-private.h"

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
