/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "monitor/jank-monitor.h"
#include "monitor/jank-tags-private.h"
#include "settings/jank-settings-private.h"
#include "watch/jank-sink-private.h"

/* The signals of JankMonitor: what they are, and who is told when. Reports come by the sink, on the watcher thread;
 * handlers run in the loop, the function that is called while a stall lasts on the thread of the watcher's errands. */

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

/* FALSE with JANK_ERROR_UNAVAILABLE: nothing of ours may run in this process. */
gboolean jank_monitor_may_start (GError **error);

/* On the program's main thread, early: the program is starting up, and that counts as busy since
 * startup_began_ns (CLOCK_MONOTONIC; 0: not known to be). is_in_wait: as in jank_activate(). */
gboolean jank_monitor_start_early (JankMonitor *self, gint64 startup_began_ns, gboolean is_in_wait, GError **error);

JankTags           *jank_monitor_get_tags    (JankMonitor *self);
JankMonitorSignals *jank_monitor_get_signals (JankMonitor *self);

/* Whether the caller may use self until it leaves; else says so, for function. */
gboolean            jank_monitor_enter           (JankMonitor *self, const char *function);
void                jank_monitor_leave           (JankMonitor *self);

/* Each enters, for function. set_text() tells of the properties that change; of the others, what is refused is said
 * as a mistake of the program's. */
gboolean            jank_monitor_set_text        (JankMonitor *self, const char *key, const char *value,
                                                  const char *function, GError **error);
void                jank_monitor_set_or_complain (JankMonitor *self, const char *key, const char *value,
                                                  const char *function);
void                jank_monitor_set_ms          (JankMonitor *self, const char *key, guint value_ms,
                                                  const char *function);
/* Returns: (transfer full) (nullable): another thread runs the context */
JankSettings       *jank_monitor_ref_settings    (JankMonitor *self, const char *function);
