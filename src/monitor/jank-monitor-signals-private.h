/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The signals of JankMonitor: what they are, and who is told when. Reports come by the sink, on the watcher thread;
 * handlers run in the loop, the function that is called while a stall lasts on the thread of the watcher's errands. */

#pragma once

#include "monitor/jank-monitor.h"
#include "watch/jank-sink-private.h"

typedef struct _JankMonitorSignals JankMonitorSignals;

typedef struct
{
  JankOngoingFunc func;    /* (nullable) */
  gpointer        data;
  GDestroyNotify  destroy; /* (nullable) */
} JankOngoing;

void                jank_monitor_signals_install    (GObjectClass *klass);

/* monitor owns it. */
JankMonitorSignals *jank_monitor_signals_new        (GObject *monitor, GMainContext *context);
void                jank_monitor_signals_free       (JankMonitorSignals *self);

/* While nothing is watched. */
void                jank_monitor_signals_set_ongoing(JankMonitorSignals *self, const JankOngoing *ongoing);

extern const JankSinkFuncs jank_monitor_signals_sink;
