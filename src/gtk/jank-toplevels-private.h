/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The program's toplevel windows. Nothing here keeps a window alive. GTK's thread only. */

#pragma once

#include "gtk/jank-gtk-names-private.h"

typedef void (*JankToplevelFunc) (GtkWindow *window);

/* A window of GTK's inspector, or a dialog of one. */
gboolean   jank_toplevels_is_inspector (GtkWindow *window);

/* Returns: (transfer none) (nullable): the window drawn at the pace of gdk */
GtkWindow *jank_toplevels_find         (GdkFrameClock *gdk);

/* Returns: (transfer none) (nullable): the window that has the keyboard, not the inspector's */
GtkWindow *jank_toplevels_find_active  (void);

void       jank_toplevels_foreach      (JankToplevelFunc func);

/* Calls func for every window now, and for every new one later; one func at a time. */
void       jank_toplevels_watch        (JankToplevelFunc func);
void       jank_toplevels_unwatch      (void);
