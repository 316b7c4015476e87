/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One stall in detail. */

#pragma once

#include "gtk/inspector/jank-inspector-stall-private.h"
#include "gtk/jank-gtk-names-private.h"

#define JANK_TYPE_INSPECTOR_STALL_VIEW (jank_inspector_stall_view_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorStallView, jank_inspector_stall_view, JANK, INSPECTOR_STALL_VIEW, GtkBox)

void jank_inspector_stall_view_set_stall (JankInspectorStallView *self, JankInspectorStall *stall);
