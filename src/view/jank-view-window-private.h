/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The window of `jankwatch view`: a list of problems, and the chosen one's report by the inspector's own widgets. */

#pragma once

#include <gtk/gtk.h>

#include "view/jank-view-source-private.h"

#define JANK_TYPE_VIEW_WINDOW (jank_view_window_get_type ())
G_DECLARE_FINAL_TYPE (JankViewWindow, jank_view_window, JANK, VIEW_WINDOW, GtkApplicationWindow)

/* app (nullable). source: a reference is kept. Begins to read it. One window a process: the inspector's widgets know
 * one host. */
JankViewWindow *jank_view_window_new (GtkApplication *app, JankViewSource *source);
