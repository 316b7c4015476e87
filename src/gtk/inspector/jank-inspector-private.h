/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page “Jank” of GTK's inspector. Starting registers a type and an extension; widgets are made when the
 * inspector opens, or now if it is open. GTK's thread only. */

#pragma once

#include "gtk/inspector/jank-frame-history-private.h"
#include "gtk/jank-gtk-plugin-private.h"

#define JANK_INSPECTOR_RESOURCES "/org/jankwatch/inspector/"

/* host: stays valid until jank_inspector_stop(). */
void                     jank_inspector_start       (const JankGtkHost *host);
void                     jank_inspector_stop        (void);

/* Every frame of every window. */
void                     jank_inspector_add_frame   (const JankFrameEvent *event, gconstpointer window);

/* (nullable): stopped, or nobody to ask */
const JankInspectorHost *jank_inspector_get_host    (void);
/* GTK has an inspector for each display, and a page in each. func is called soon after a report was added, also when
 * the host was stopped and started again meanwhile; data names who listens, once at most. */
void                     jank_inspector_listen      (JankInspectorFunc func, gpointer data);
void                     jank_inspector_unlisten    (gpointer data);
/* Sources are timed while anybody wants it; each who did takes it back. */
void                     jank_inspector_watch_sources (gboolean wanted);
/* (transfer none): the newest frames of the program, of all its windows */
JankFrameHistory        *jank_inspector_get_history (void);
/* Makes the templates of this folder known; again and again. */
void                     jank_inspector_ensure_resources (void);
