/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Records a run for rules/jank-replay-private.h, where the setting “events” asks for it: every busy period, every
 * stack, every frame. Bounded in lines; a file that cannot be written costs the record. Watcher thread only, but
 * for the two ends of its life. */

#pragma once

#include "base/jank-settings-private.h"
#include "observe/jank-frame-times-private.h"
#include "report/jank-brief-stacks-private.h"

/* Busy periods shorter than this matter to no rule. */
#define JANK_EVENT_LOG_SHORTEST_NS (JANK_NS_PER_MS)

typedef struct _JankEventLog JankEventLog;

/* path: begins the name of the file, which ends in this process's number. namer: outlives the log.
 * Returns: (transfer full) */
JankEventLog *jank_event_log_new        (const char *path, JankBriefStacks *namer);
void          jank_event_log_free       (JankEventLog *self);

/* A stack that was read, before anything is done with it. */
void          jank_event_log_add_sample (JankEventLog *self, const JankSample *sample);
/* culprit (nullable): of the report. */
void          jank_event_log_add_period (JankEventLog *self, JankCodeMap *map, gint64 began_ns, gint64 ended_ns,
                                         gboolean startup, const char *culprit);
void          jank_event_log_add_frame  (JankEventLog *self, const JankFrameTime *frame);

/* Writes what there is; ended_ns: when watching ends, 0: not yet. */
void          jank_event_log_flush      (JankEventLog *self, JankCodeMap *map, gint64 ended_ns);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankEventLog, jank_event_log_free)
