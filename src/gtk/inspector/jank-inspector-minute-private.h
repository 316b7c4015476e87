/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last minute as two lines, frames per second and how busy the loop was, with the seconds that had a stall. GTK's
 * thread only. */

#pragma once

#include "gtk/charts/jank-drawing-private.h"
#include "gtk/charts/jank-frame-history-private.h"
#include "gtk/inspector/jank-inspector-log-private.h"

#define JANK_TYPE_INSPECTOR_MINUTE (jank_inspector_minute_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorMinute, jank_inspector_minute, JANK, INSPECTOR_MINUTE, JankDrawing)

/* busy: share of the second before now_ns, 0 to 1. log: (nullable) */
void jank_inspector_minute_update (JankInspectorMinute *self, gint64 now_ns, double busy,
                                   const JankFrameHistory *history, JankInspectorLog *log);
