/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/charts/jank-toolkit-private.h"

void
jank_widget_get_color (GtkWidget *widget, GdkRGBA *ret_color)
{
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), ret_color);
}

void
jank_widget_describe (GtkWidget *widget, const char *label, const char *description)
{
  if (label != NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  if (description != NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

void
jank_canvas_add_rect (JankCanvas *canvas, const GdkRGBA *color, double x, double y, double width, double height)
{
  gtk_snapshot_append_color (canvas, color, &GRAPHENE_RECT_INIT ((float) x, (float) y, (float) width, (float) height));
}

void
jank_canvas_add_text (JankCanvas *canvas, const GdkRGBA *color, PangoLayout *layout, double x, double y)
{
  gtk_snapshot_save (canvas);
  gtk_snapshot_translate (canvas, &GRAPHENE_POINT_INIT ((float) x, (float) y));
  gtk_snapshot_append_layout (canvas, layout, color);
  gtk_snapshot_restore (canvas);
}
