/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined (JANKWATCH_INSIDE) && !defined (JANKWATCH_COMPILATION)
#error "Only <jankwatch.h> can be included directly."
#endif

#include <glib-object.h>
#include "jank-report.h"
#include "jank-tag.h"
#include "jank-version-macros.h"

G_BEGIN_DECLS

#define JANK_TYPE_MONITOR (jank_monitor_get_type ())

JANK_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (JankMonitor, jank_monitor, JANK, MONITOR, GObject)

/**
 * JankOngoingFunc: (skip)
 * @report: the stall so far
 * @data: what [method@Monitor.set_ongoing_func] was given
 *
 * Is called while a stall lasts.
 */
typedef void (*JankOngoingFunc) (JankReport *report, gpointer data);

JANK_AVAILABLE_IN_0_1 JankMonitor *jank_monitor_get_default      (void);
JANK_AVAILABLE_IN_0_1 JankMonitor *jank_monitor_new              (void);
JANK_AVAILABLE_IN_0_1 JankMonitor *jank_monitor_new_for_context  (GMainContext *context);
JANK_AVAILABLE_IN_0_1 void         jank_monitor_set_threshold_ms (JankMonitor *self, guint threshold_ms);
JANK_AVAILABLE_IN_0_1 guint        jank_monitor_get_threshold_ms (JankMonitor *self);
JANK_AVAILABLE_IN_0_1 void         jank_monitor_set_interval_ms  (JankMonitor *self, guint interval_ms);
JANK_AVAILABLE_IN_0_1 guint        jank_monitor_get_interval_ms  (JankMonitor *self);
JANK_AVAILABLE_IN_0_1 void         jank_monitor_set_store        (JankMonitor *self, const char *folder);
JANK_AVAILABLE_IN_0_1 const char  *jank_monitor_get_store        (JankMonitor *self);
JANK_AVAILABLE_IN_0_1 gboolean     jank_monitor_set_setting      (JankMonitor *self, const char *key, const char *value,
                                                                  GError **error);
JANK_AVAILABLE_IN_0_1 char        *jank_monitor_get_setting      (JankMonitor *self, const char *key);
JANK_AVAILABLE_IN_0_1 void         jank_monitor_set_ongoing_func (JankMonitor *self, JankOngoingFunc func,
                                                                  gpointer data, GDestroyNotify destroy);
JANK_AVAILABLE_IN_0_1 gboolean     jank_monitor_start            (JankMonitor *self, GError **error);
JANK_AVAILABLE_IN_0_1 void         jank_monitor_stop             (JankMonitor *self);
JANK_AVAILABLE_IN_0_1 gboolean     jank_monitor_is_running       (JankMonitor *self);
JANK_AVAILABLE_IN_0_1 void         jank_monitor_set_paused       (JankMonitor *self, gboolean paused);
JANK_AVAILABLE_IN_0_1 gboolean     jank_monitor_get_paused       (JankMonitor *self);
JANK_AVAILABLE_IN_0_1 JankTag     *jank_monitor_push_tag         (JankMonitor *self, const char *name,
                                                                  const char *value);

G_END_DECLS
