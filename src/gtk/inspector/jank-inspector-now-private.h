/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tab “Now”: frame rate, hitch ratio, the loop, the last minute, time by source, and our own cost. A figure that has a
 * tab leads to it: signal “tab-wanted” (string: the tab's name). */

#pragma once

#include "gtk/inspector/jank-inspector-log-private.h"
#include "gtk/jank-gtk-names-private.h"

#define JANK_TYPE_INSPECTOR_NOW (jank_inspector_now_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorNow, jank_inspector_now, JANK, INSPECTOR_NOW, GtkBox)

/* log (nullable): where the last minute's stalls are. Shows the last second, if one has passed. */
void jank_inspector_now_look (JankInspectorNow *self, JankInspectorLog *log);
