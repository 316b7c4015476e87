/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One stall in detail. */

#pragma once

#include "gtk/inspector/jank-inspector-stall-private.h"
#include "gtk/jank-gtk-names-private.h"
#include "gtk/jank-inspector-host-private.h"

#define JANK_TYPE_INSPECTOR_STALL_VIEW (jank_inspector_stall_view_get_type ())
JANK_API G_DECLARE_FINAL_TYPE (JankInspectorStallView, jank_inspector_stall_view, JANK, INSPECTOR_STALL_VIEW, GtkBox)

/* stall (nullable) */
JANK_API void jank_inspector_stall_view_set_stall (JankInspectorStallView *self, JankInspectorStall *stall);
/* host: what is asked of it is set_resolved (nullable here) and find_command; outlives self. Without one, the
 * monitor is asked. */
JANK_API void jank_inspector_stall_view_set_host  (JankInspectorStallView *self, const JankInspectorHost *host);
/* Puts an issue of the stall, if there is one, on the clipboard, as soon as the command has written it. */
JANK_API void jank_inspector_stall_view_copy      (JankInspectorStallView *self);
/* As `jankwatch report-bug`: opens the page for a new issue in the program's bug tracker; what that does not take is
 * put on the clipboard. */
JANK_API void jank_inspector_stall_view_report    (JankInspectorStallView *self);
/* widget: shows all calls, in place of the heaviest path's list; GTK 4 alone */
JANK_API void jank_inspector_stall_view_set_calls (JankInspectorStallView *self, GtkWidget *widget);
