/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The window of `jankwatch view`: what was recorded, and what runs now. Reports are shown by the inspector's own
 * widgets. */

#pragma once

#include "view/jank-view-source-private.h"

#include <gtk/gtk.h>

#define JANK_TYPE_VIEW_WINDOW (jank_view_window_get_type ())
G_DECLARE_FINAL_TYPE (JankViewWindow, jank_view_window, JANK, VIEW_WINDOW, GtkApplicationWindow)

/* app (nullable). source: a reference is kept. Begins to read it. */
JankViewWindow *jank_view_window_new (GtkApplication *app, JankViewSource *source);
