/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page “Jank” of GTK's inspector. Starting registers an extension; widgets are made when the inspector opens, or at
 * once if it is open. GTK's thread only. */

#pragma once

#include "gtk/charts/jank-frame-history-private.h"
#include "gtk/jank-gtk-names-private.h"
#include "gtk/jank-gtk-plugin-private.h"

#define JANK_INSPECTOR_RESOURCES "/org/jankwatch/inspector/"

/* host: stays valid until jank_inspector_stop(). page_type: of the widget that is the page. */
void                     jank_inspector_start       (const JankGtkHost *host, GType page_type);
void                     jank_inspector_stop        (void);

void                     jank_inspector_add_frame   (const JankFrameEvent *event, gconstpointer window);

/* (nullable): NULL when stopped */
const JankInspectorHost *jank_inspector_get_host    (void);
/* There may be several pages: one in the inspector of each display. func is called soon after a report was added, also
 * after a stop and a new start. data: the listener, at most once each. */
void                     jank_inspector_listen      (JankInspectorFunc func, gpointer data);
void                     jank_inspector_unlisten    (gpointer data);
/* Once: templates and styles. */
void                     jank_inspector_load_resource (void);
/* Once for each display. */
JANK_API void            jank_inspector_load_style   (GdkDisplay *display);
/* (transfer none): the newest frames of all windows */
JankFrameHistory        *jank_inspector_get_history (void);
