/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tab “Stalls”: the list, sorted and filtered, and the selected stall; in a low window, that is a page of its own. */

#pragma once

#include "gtk/inspector/jank-inspector-log-private.h"
#include "gtk/jank-gtk-names-private.h"

#define JANK_TYPE_INSPECTOR_STALLS (jank_inspector_stalls_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorStalls, jank_inspector_stalls, JANK, INSPECTOR_STALLS, GtkBox)

void jank_inspector_stalls_set_log (JankInspectorStalls *self, JankInspectorLog *log);
/* Around new stalls: if the newest one was selected, select the new newest; else keep the selection. */
void jank_inspector_stalls_hold    (JankInspectorStalls *self);
void jank_inspector_stalls_update  (JankInspectorStalls *self);
/* While it is shown. */
void jank_inspector_stalls_look    (JankInspectorStalls *self);
/* Shows its details; clears the filters where they hide it. */
void jank_inspector_stalls_select  (JankInspectorStalls *self, JankInspectorStall *stall);
