/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Records a run for replay/jank-replay-private.h, where the setting “events” asks for it: every busy period, every
 * stack, every frame. The number of lines is bounded. When the file cannot be written, the record ends. */

#pragma once

#include "base/jank-clock-private.h"
#include "watch/jank-sink-private.h"
#include "observe/jank-turns-private.h"

/* Busy periods shorter than this matter to no rule. */
#define JANK_EVENT_LOG_SHORTEST_NS (JANK_NS_PER_MS)

typedef struct _JankEventLog JankEventLog;

/* path: begins the file's name, which ends in this process's number. turns (nullable): their states are recorded. */
JankEventLog *jank_event_log_new (const char *path, JankTurns *turns);

extern const JankSinkFuncs jank_event_log_sink;
