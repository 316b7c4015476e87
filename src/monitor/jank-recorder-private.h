/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Turns what the watcher finds into reports on disk. Runs on the watcher thread; only the functions below that say
 * so may be called from another. Whatever fails is said once and costs a report, never the program. */

#pragma once

#include "base/jank-settings-private.h"
#include "monitor/jank-gtk-host-private.h"
#include "monitor/jank-program-private.h"
#include "monitor/jank-tags-private.h"
#include "report/jank-report.h"
#include "watch/jank-watcher-private.h"

typedef struct _JankRecorder JankRecorder;

/* Called on the watcher thread with each final report. */
typedef void (*JankReportFunc) (JankReport *report, gpointer data);

/* session: the value of JANKWATCH_SESSION, (nullable). gtk (nullable): asked for frames; it and tags outlive the
 * recorder. */
JankRecorder *jank_recorder_new          (const JankSettings *settings, const char *session, JankGtkHostState *gtk,
                                          JankTags *tags, JankReportFunc func, gpointer data);
void          jank_recorder_free         (JankRecorder *self);

/* Any thread. program: (transfer full) */
void          jank_recorder_set_program  (JankRecorder *self, JankProgram *program);

/* Any thread: what it does from the next stall on. settings: (transfer full) */
void          jank_recorder_set_settings (JankRecorder *self, JankSettings *settings);

/* Any thread, once: exact times of sources, for the session. */
void          jank_recorder_set_ledger   (JankRecorder *self, const JankSourceLedger *ledger);

/* For jank_watcher_new(), with the recorder as their data. */
extern const JankWatcherFuncs jank_recorder_funcs;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankRecorder, jank_recorder_free)
