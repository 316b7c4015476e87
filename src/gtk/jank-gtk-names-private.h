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
#define gtk_label_set_wrap                      gtk_label_set_line_wrap
#define gtk_box_append(box, child)              gtk_container_add (GTK_CONTAINER (box), child)
#define gtk_box_prepend(box, child) \
  (gtk_container_add (GTK_CONTAINER (box), child), gtk_box_reorder_child (box, child, 0))
#define gtk_list_box_append(list, row)          (gtk_widget_show_all (row), gtk_list_box_insert (list, row, -1))
#define gtk_list_box_remove(list, row)          gtk_container_remove (GTK_CONTAINER (list), row)
#define gtk_list_box_row_set_child(row, child)  gtk_container_add (GTK_CONTAINER (row), child)
#define gtk_expander_set_child(expander, child) gtk_container_add (GTK_CONTAINER (expander), child)
#define gtk_widget_add_css_class(widget, name) \
  gtk_style_context_add_class (gtk_widget_get_style_context (widget), name)
#define gtk_widget_remove_css_class(widget, name) \
  gtk_style_context_remove_class (gtk_widget_get_style_context (widget), name)
#define gtk_widget_dispose_template(widget, type) ((void) (widget))
#define gtk_widget_set_overflow(widget, overflow) ((void) (widget))
#define gtk_widget_set_focusable                gtk_widget_set_can_focus
#define gtk_style_context_add_provider_for_display(display, provider, priority) \
  gtk_style_context_add_provider_for_screen (gdk_display_get_default_screen (display), provider, priority)
#define gtk_editable_get_text(entry)            gtk_entry_get_text (GTK_ENTRY (entry))
#define GTK_DROP_DOWN                           GTK_COMBO_BOX
#define gtk_drop_down_get_selected(drop_down)   ((guint) gtk_combo_box_get_active (drop_down))
#define gtk_drop_down_set_selected(drop_down, i) gtk_combo_box_set_active (drop_down, (gint) (i))
#define GTK_ACCESSIBLE_ROLE_GROUP               ATK_ROLE_PANEL
#define GTK_ACCESSIBLE_ROLE_IMG                 ATK_ROLE_ICON

#endif
