/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/overlay/jank-overlay-parts-private.h"

#include <math.h>

struct _JankPicture
{
  cairo_surface_t *surface; /* (owned): where the window's pixels are, so that no frame sends them anew */
  double           width, height;
};

JankPicture *
jank_overlay_canvas_keep (cairo_surface_t *image, GtkWidget *window)
{
  JankPicture *self = g_new (JankPicture, 1);
  int scale = gtk_widget_get_scale_factor (window);
  cairo_t *cr;

  self->width = (double) cairo_image_surface_get_width (image) / scale;
  self->height = (double) cairo_image_surface_get_height (image) / scale;
  self->surface = gdk_window_create_similar_surface (gtk_widget_get_window (window), CAIRO_CONTENT_COLOR_ALPHA,
                                                     (int) ceil (self->width), (int) ceil (self->height));
  cairo_surface_set_device_scale (image, scale, scale);
  cr = cairo_create (self->surface);
  cairo_set_source_surface (cr, image, 0, 0);
  cairo_paint (cr);
  cairo_destroy (cr);
  return self;
}

void
jank_overlay_canvas_free (JankPicture *self)
{
  cairo_surface_destroy (self->surface);
  g_free (self);
}

void
jank_overlay_canvas_get_size (JankPicture *self, double *ret_width, double *ret_height)
{
  *ret_width = self->width;
  *ret_height = self->height;
}

void
jank_overlay_canvas_draw (JankCanvas *canvas, JankPicture *picture, double x, double y)
{
  cairo_save (canvas);
  cairo_set_source_surface (canvas, picture->surface, x, y);
  cairo_paint (canvas);
  cairo_restore (canvas);
}

gboolean
jank_overlay_canvas_is_window (GtkWindow *window)
{
  GdkWindowTypeHint hint = gtk_window_get_type_hint (window);

  return gtk_window_get_window_type (window) == GTK_WINDOW_TOPLEVEL &&
         (hint == GDK_WINDOW_TYPE_HINT_NORMAL || hint == GDK_WINDOW_TYPE_HINT_DIALOG);
}

gboolean
jank_overlay_canvas_is_screen (JankCanvas *canvas, GtkWidget *window)
{
  return gdk_cairo_get_drawing_context (canvas) != NULL &&
         gtk_cairo_should_draw_window (canvas, gtk_widget_get_window (window));
}

gboolean
jank_overlay_canvas_is_whole (JankCanvas *canvas, GtkWidget *window)
{
  GdkRectangle clip;
  cairo_rectangle_list_t *parts = cairo_copy_clip_rectangle_list (canvas);
  gboolean is_one = parts->status == CAIRO_STATUS_SUCCESS && parts->num_rectangles == 1;

  cairo_rectangle_list_destroy (parts);
  return is_one && gdk_cairo_get_clip_rectangle (canvas, &clip) && clip.x <= 0 && clip.y <= 0 &&
         clip.x + clip.width >= gtk_widget_get_allocated_width (window) &&
         clip.y + clip.height >= gtk_widget_get_allocated_height (window);
}

void
jank_overlay_canvas_get_area (GtkWidget *window, GdkRectangle *ret_area)
{
  GtkWidget *child = gtk_bin_get_child (GTK_BIN (window));

  if (child != NULL && gtk_widget_get_mapped (child))
    gtk_widget_get_allocation (child, ret_area);
  else
    *ret_area = (GdkRectangle) { 0, 0, gtk_widget_get_allocated_width (window),
                                gtk_widget_get_allocated_height (window) };
}

gboolean
jank_overlay_canvas_get_bounds (GtkWidget *widget, GtkWidget *window, GdkRectangle *ret_bounds)
{
  ret_bounds->width = gtk_widget_get_allocated_width (widget);
  ret_bounds->height = gtk_widget_get_allocated_height (widget);
  return gtk_widget_get_mapped (widget) &&
         gtk_widget_translate_coordinates (widget, window, 0, 0, &ret_bounds->x, &ret_bounds->y);
}
