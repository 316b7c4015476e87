/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined (JANKWATCH_INSIDE) && !defined (JANKWATCH_COMPILATION)
#error "Only <jankwatch.h> can be included directly."
#endif

#include <glib-object.h>
#include "base/jank-version-macros.h"
#include "monitor/jank-frame-stats.h"
#include "report/jank-report.h"

G_BEGIN_DECLS

#define JANK_TYPE_MONITOR (jank_monitor_get_type ())

JANK_API
G_DECLARE_FINAL_TYPE (JankMonitor, jank_monitor, JANK, MONITOR, GObject)

JANK_API JankMonitor *jank_monitor_get_default     (void);
JANK_API JankMonitor *jank_monitor_new             (void);
JANK_API JankMonitor *jank_monitor_new_for_context (GMainContext *context);
JANK_API gboolean     jank_monitor_set_setting     (JankMonitor *self, const char *key, const char *value, GError **error);
JANK_API gboolean     jank_monitor_start           (JankMonitor *self, GError **error);
JANK_API void         jank_monitor_stop            (JankMonitor *self);
JANK_API gboolean     jank_monitor_is_running      (JankMonitor *self);
JANK_API void         jank_monitor_set_paused      (JankMonitor *self, gboolean paused);
JANK_API gboolean     jank_monitor_get_paused      (JankMonitor *self);
JANK_API guint        jank_monitor_push_tag        (JankMonitor *self, const char *name, const char *value);
JANK_API gboolean     jank_monitor_pop_tag         (JankMonitor *self, guint tag);

G_END_DECLS
