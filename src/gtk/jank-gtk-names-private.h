/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTK for sources that are built twice: they use GTK 4's names, and here GTK 3's stand behind them. What differs in
 * more than its name has a file in gtk3/. */

#pragma once

#include <gtk/gtk.h>

/* An emission hook on a signal that a type may not have made yet. */
static inline gulong
jank_gtk_add_hook (GType type, const char *signal, GSignalEmissionHook func, gpointer data)
{
  gpointer klass = g_type_class_ref (type);
  gulong id = g_signal_add_emission_hook (g_signal_lookup (signal, type), 0, func, data, NULL);

  g_type_class_unref (klass);
  return id;
}

#if GTK_MAJOR_VERSION >= 4

typedef GtkSnapshot JankCanvas;

static inline void
jank_gtk_foreach_child (GtkWidget *widget, GFunc func, gpointer data)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    func (child, data);
}

#else

/* What a window is drawn on. */
typedef cairo_t JankCanvas;

typedef GdkWindow GdkSurface;
typedef GtkWidget GtkRoot;

#define GTK_NATIVE                              GTK_WIDGET
#define gtk_native_get_surface                  gtk_widget_get_window
#define gdk_surface_get_frame_clock             gdk_window_get_frame_clock
#define gdk_surface_get_display                 gdk_window_get_display
#define gdk_surface_is_destroyed                gdk_window_is_destroyed
#define gdk_display_get_monitor_at_surface      gdk_display_get_monitor_at_window
#define gtk_widget_get_width                    gtk_widget_get_allocated_width
#define gtk_widget_get_height                   gtk_widget_get_allocated_height
#define gtk_widget_get_root                     gtk_widget_get_toplevel
#define gtk_window_get_child(window)            gtk_bin_get_child (GTK_BIN (window))

/* Also children that the program did not add itself. */
static inline void
jank_gtk_foreach_child (GtkWidget *widget, GFunc func, gpointer data)
{
  if (GTK_IS_CONTAINER (widget))
    gtk_container_forall (GTK_CONTAINER (widget), (GtkCallback) func, data);
}

#endif
