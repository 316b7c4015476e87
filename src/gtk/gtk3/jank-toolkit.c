/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/charts/jank-toolkit-private.h"

gpointer
jank_widget_add_input (GtkWidget *widget, JankInput input)
{
  gpointer controller =
    input == JANK_INPUT_MOTION ? (gpointer) gtk_event_controller_motion_new (widget)
    : input == JANK_INPUT_KEY ? (gpointer) gtk_event_controller_key_new (widget)
    : input == JANK_INPUT_CLICK ? (gpointer) gtk_gesture_multi_press_new (widget)
    : input == JANK_INPUT_SCROLL
      ? (gpointer) gtk_event_controller_scroll_new (widget, GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES)
    : (gpointer) gtk_gesture_drag_new (widget);

  g_object_set_data_full (G_OBJECT (widget), G_OBJECT_TYPE_NAME (controller), controller, g_object_unref);
  return controller;
}

GdkModifierType
jank_input_get_state (GtkEventController *controller)
{
  GdkModifierType state = 0;

  gtk_get_current_event_state (&state);
  return state;
}

void
jank_widget_get_color (GtkWidget *widget, GdkRGBA *ret_color)
{
  GtkStyleContext *context = gtk_widget_get_style_context (widget);

  gtk_style_context_get_color (context, gtk_style_context_get_state (context), ret_color);
}

void
jank_widget_copy_text (GtkWidget *widget, const char *text)
{
  gtk_clipboard_set_text (gtk_widget_get_clipboard (widget, GDK_SELECTION_CLIPBOARD), text, -1);
}

void
jank_widget_describe (GtkWidget *widget, const char *label, const char *description)
{
  AtkObject *accessible = gtk_widget_get_accessible (widget);

  if (label != NULL)
    atk_object_set_name (accessible, label);
  if (description != NULL)
    atk_object_set_description (accessible, description);
}

void
jank_widget_foreach (GtkWidget *widget, GFunc func, gpointer data)
{
  if (GTK_IS_CONTAINER (widget))
    gtk_container_forall (GTK_CONTAINER (widget), (GtkCallback) func, data);
}

void
jank_canvas_add_rect (JankCanvas *canvas, const GdkRGBA *color, double x, double y, double width, double height)
{
  gdk_cairo_set_source_rgba (canvas, color);
  cairo_rectangle (canvas, x, y, width, height);
  cairo_fill (canvas);
}

void
jank_canvas_add_text (JankCanvas *canvas, const GdkRGBA *color, PangoLayout *layout, double x, double y)
{
  gdk_cairo_set_source_rgba (canvas, color);
  cairo_move_to (canvas, x, y);
  pango_cairo_show_layout (canvas, layout);
}
