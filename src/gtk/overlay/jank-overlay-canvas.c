/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/overlay/jank-overlay-parts-private.h"

#include <math.h>

/* Since this minor version, another renderer has that name. */
#define GL_RENDERER_NEW_SINCE 17

/* For two renderers a cairo node is cheaper than a texture. The cairo renderer copies a texture in every frame. The old
 * GL renderer uploads a cairo node once and draws it without interpolation: with software GL, two thirds of the cost.
 * Newer renderers upload a cairo node in every frame. */
static gboolean
jank_overlay_canvas_prefers_cairo (GskRenderer *renderer)
{
  const char *name = renderer != NULL ? G_OBJECT_TYPE_NAME (renderer) : "";

  return g_str_equal (name, "GskCairoRenderer") ||
         (g_str_equal (name, "GskGLRenderer") && gtk_get_minor_version () < GL_RENDERER_NEW_SINCE);
}

static GskRenderNode *
jank_overlay_canvas_make_cairo_node (cairo_surface_t *image, const graphene_rect_t *bounds, double scale)
{
  GskRenderNode *node = gsk_cairo_node_new (bounds);
  cairo_t *cr = gsk_cairo_node_get_draw_context (node);

  cairo_scale (cr, 1 / scale, 1 / scale);
  cairo_set_source_surface (cr, image, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  cairo_destroy (cr);
  return node;
}

JankPicture *
jank_overlay_canvas_keep (cairo_surface_t *image, GtkWidget *widget)
{
  int width_px = cairo_image_surface_get_width (image), height_px = cairo_image_surface_get_height (image);
  gsize stride = (gsize) cairo_image_surface_get_stride (image);
  float scale = (float) gtk_widget_get_scale_factor (widget);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, (float) width_px / scale, (float) height_px / scale);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GdkTexture) texture = NULL;

  if (jank_overlay_canvas_prefers_cairo (gtk_native_get_renderer (GTK_NATIVE (widget))))
    return jank_overlay_canvas_make_cairo_node (image, &bounds, scale);
  bytes = g_bytes_new (cairo_image_surface_get_data (image), stride * (gsize) height_px);
  texture = gdk_memory_texture_new (width_px, height_px, GDK_MEMORY_DEFAULT, bytes, stride);
  return gsk_texture_node_new (texture, &bounds);
}

void
jank_overlay_canvas_free (JankPicture *picture)
{
  gsk_render_node_unref (picture);
}

void
jank_overlay_canvas_get_size (JankPicture *picture, double *ret_width, double *ret_height)
{
  graphene_rect_t bounds;

  gsk_render_node_get_bounds (picture, &bounds);
  *ret_width = bounds.size.width;
  *ret_height = bounds.size.height;
}

void
jank_overlay_canvas_draw (JankCanvas *canvas, JankPicture *picture, double x, double y)
{
  gtk_snapshot_save (canvas);
  gtk_snapshot_translate (canvas, &GRAPHENE_POINT_INIT ((float) x, (float) y));
  gtk_snapshot_append_node (canvas, picture);
  gtk_snapshot_restore (canvas);
}

void
jank_overlay_canvas_get_area (GtkWidget *window, GdkRectangle *ret_area)
{
  *ret_area = (GdkRectangle) { 0, 0, gtk_widget_get_width (window), gtk_widget_get_height (window) };
}

gboolean
jank_overlay_canvas_get_bounds (GtkWidget *widget, GtkWidget *window, GdkRectangle *ret_bounds)
{
  graphene_rect_t bounds;

  if (!gtk_widget_get_mapped (widget) || GTK_IS_NATIVE (widget) || !gtk_widget_compute_bounds (widget, window, &bounds))
    return FALSE;
  *ret_bounds = (GdkRectangle) { (int) floor (bounds.origin.x), (int) floor (bounds.origin.y),
                                 (int) ceil (bounds.size.width), (int) ceil (bounds.size.height) };
  return TRUE;
}
