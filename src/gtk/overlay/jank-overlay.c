/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A window's snapshot runs when something in it changed. The picture is redrawn at most four times a second; in
 * between, the same node is appended, and the renderer sees that it did not change. */

#include "config.h"

#include "gtk/overlay/jank-overlay-private.h"

#include <math.h>
#include <string.h>

#include "base/jank-clock-private.h"
#include "gtk/clock/jank-frame-hook-private.h"
#include "gtk/overlay/jank-overlay-face-private.h"
#include "gtk/overlay/jank-overlay-key-private.h"
#include "gtk/overlay/jank-snapshot-wrap-private.h"
#include "gtk/jank-toplevels-private.h"

#define REFRESH_EVERY_NS (250 * JANK_NS_PER_MS)
#define MARGIN_PX 10.0
#define MAX_BARS 4

/* Since this minor version, another renderer has that name. */
#define GL_RENDERER_NEW_SINCE 17

/* In a small window the overlay shrinks down to this; below, it is left out. */
#define SMALLEST_FIT 0.6

typedef struct
{
  GskRenderNode *node;        /* (owned) (nullable) */
  JankOverlayFace face;       /* its costs stay until they are measured again */
  gint64       made_ns;
  double       fit;           /* logical pixels per face pixel; 0: the window is too small */
  double       top_px;        /* of the content, below header bars */
  gint64       cost_ns;       /* since made_ns */
  guint        n_frames;
} View;

static const JankGtkHost *host;
static gboolean is_shown;
static GQuark view_quark;
static JankFrameSnapshot frame_snapshot; /* too large for the stack */

static void
view_free (gpointer data)
{
  View *view = data;

  g_clear_pointer (&view->node, gsk_render_node_unref);
  g_free (view);
}

static View *
get_view (GtkWidget *widget)
{
  View *view = g_object_get_qdata (G_OBJECT (widget), view_quark);

  if (view == NULL)
    {
      view = g_new0 (View, 1);
      g_object_set_qdata_full (G_OBJECT (widget), view_quark, view, view_free);
    }
  return view;
}

static gboolean
is_at_top (JankCorner corner)
{
  return corner == JANK_CORNER_TOP_START || corner == JANK_CORNER_TOP_END;
}

static gboolean
is_at_left (GtkWidget *widget)
{
  gboolean is_start = host->corner == JANK_CORNER_TOP_START || host->corner == JANK_CORNER_BOTTOM_START;

  return is_start == (gtk_widget_get_direction (widget) != GTK_TEXT_DIR_RTL);
}

/* A wide bar at y: a header, tabs, a search. Only the type's name tells. */
static gboolean
find_bar (GtkWidget *widget, double y, double *ret_bottom)
{
  double x = is_at_left (widget) ? MARGIN_PX : gtk_widget_get_width (widget) - MARGIN_PX;
  GtkWidget *child = gtk_widget_pick (widget, x, y, GTK_PICK_INSENSITIVE | GTK_PICK_NON_TARGETABLE);
  graphene_rect_t bounds;

  for (; child != NULL && child != widget; child = gtk_widget_get_parent (child))
    if (g_str_has_suffix (G_OBJECT_TYPE_NAME (child), "Bar") && gtk_widget_compute_bounds (child, widget, &bounds) &&
        2 * bounds.size.width > gtk_widget_get_width (widget))
      {
        *ret_bottom = bounds.origin.y + bounds.size.height;
        return TRUE;
      }
  return FALSE;
}

/* Below the bars in our corner, so that window buttons and tabs stay visible. */
static double
find_top (GtkWidget *widget)
{
  double top = 0;

  for (guint i = 0; i < MAX_BARS && find_bar (widget, top + MARGIN_PX, &top); i++)
    ;
  return top;
}

/* By GTK's font resolution; 96 dpi is 1. */
static double
text_scale (GtkWidget *widget)
{
  int dpi = 0;

  g_object_get (gtk_widget_get_settings (widget), "gtk-xft-dpi", &dpi, NULL);
  return dpi > 0 ? CLAMP (dpi / (96.0 * 1024), 0.5, 3) : 1;
}

static double
find_fit (GtkWidget *widget, double top_px)
{
  double wanted = host->scale * text_scale (widget);
  double width = gtk_widget_get_width (widget) - 2 * MARGIN_PX;
  double height = gtk_widget_get_height (widget) - 2 * MARGIN_PX - top_px;
  double possible = MIN (width / JANK_OVERLAY_WIDTH_PX, height / JANK_OVERLAY_HEIGHT_PX);

  return possible >= SMALLEST_FIT * MIN (wanted, 1) ? MIN (wanted, possible) : 0;
}

static void
read_frames (View *view, GtkWidget *widget, gint64 now_ns)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (widget));
  JankGtkClock *clock = surface != NULL ? jank_frame_hook_find (gdk_surface_get_frame_clock (surface)) : NULL;

  if (clock == NULL || clock->stats == NULL || !jank_frame_meter_snapshot (clock->stats, &frame_snapshot))
    return;
  jank_frame_snapshot_age (&frame_snapshot, now_ns);
  jank_frame_numbers_from (&frame_snapshot, &view->face.numbers);
  view->face.n_bars = frame_snapshot.n_bars;
  memcpy (view->face.bars, frame_snapshot.bars, sizeof view->face.bars);
}

/* The rule's own figure, once it has one. An idle program has no rate. */
static void
read_figure (JankOverlayFace *face)
{
  if (host->get_fps != NULL && face->numbers.fps_now >= 0)
    face->numbers.fps_now = host->get_fps (host->data);
}

static void
read_stall (JankOverlayFace *face, gint64 now_ns)
{
  gint64 ended_ns;

  face->culprit[0] = '\0';
  face->has_stall = host->get_last_stall != NULL &&
                    host->get_last_stall (host->data, face->culprit, sizeof face->culprit, &face->stall_ns, &ended_ns);
  if (face->has_stall)
    face->stall_age_ns = now_ns - ended_ns;
}

static void
read_cost (View *view, gint64 now_ns)
{
  if (view->n_frames > 0)
    {
      view->face.cost_us_per_frame = (double) view->cost_ns / view->n_frames / JANK_NS_PER_US;
      view->face.cost_share = (double) view->cost_ns / (double) (now_ns - view->made_ns);
    }
  view->cost_ns = 0;
  view->n_frames = 0;
}

/* For two renderers a cairo node is cheaper than a texture. The cairo renderer copies a texture in every frame. The old
 * GL renderer uploads a cairo node once and draws it without interpolation: with software GL, two thirds of the cost.
 * Newer renderers upload a cairo node in every frame. */
static gboolean
prefers_cairo (GskRenderer *renderer)
{
  const char *name = renderer != NULL ? G_OBJECT_TYPE_NAME (renderer) : "";

  return g_str_equal (name, "GskCairoRenderer") ||
         (g_str_equal (name, "GskGLRenderer") && gtk_get_minor_version () < GL_RENDERER_NEW_SINCE);
}

static GskRenderNode *
make_cairo_node (cairo_surface_t *image, const graphene_rect_t *bounds, double scale)
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

static GskRenderNode *
make_node (cairo_surface_t *image, GtkWidget *widget)
{
  int width_px = cairo_image_surface_get_width (image), height_px = cairo_image_surface_get_height (image);
  gsize stride = (gsize) cairo_image_surface_get_stride (image);
  float scale = (float) gtk_widget_get_scale_factor (widget);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, (float) width_px / scale, (float) height_px / scale);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GdkTexture) texture = NULL;

  if (prefers_cairo (gtk_native_get_renderer (GTK_NATIVE (widget))))
    return make_cairo_node (image, &bounds, scale);
  bytes = g_bytes_new (cairo_image_surface_get_data (image), stride * (gsize) height_px);
  texture = gdk_memory_texture_new (width_px, height_px, GDK_MEMORY_DEFAULT, bytes, stride);
  return gsk_texture_node_new (texture, &bounds);
}

static void
refresh (View *view, GtkWidget *widget, gint64 now_ns)
{
  JankOverlayLook look = { .opacity = host->opacity };

  g_clear_pointer (&view->node, gsk_render_node_unref);
  view->top_px = is_at_top (host->corner) ? find_top (widget) : 0;
  view->fit = find_fit (widget, view->top_px);
  if (view->fit > 0)
    {
      PangoContext *context = gtk_widget_create_pango_context (widget);
      cairo_surface_t *image;

      look.scale = view->fit * gtk_widget_get_scale_factor (widget);
      look.is_rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
      read_frames (view, widget, now_ns);
      read_figure (&view->face);
      read_stall (&view->face, now_ns);
      read_cost (view, now_ns);
      image = jank_overlay_face_draw (&view->face, &look, context);
      view->node = make_node (image, widget);
      cairo_surface_destroy (image);
      g_object_unref (context);
    }
  view->made_ns = now_ns;
}

static void
append (View *view, GtkWidget *widget, GtkSnapshot *snapshot)
{
  double x = MARGIN_PX, y = view->top_px + MARGIN_PX;
  graphene_rect_t bounds;

  gsk_render_node_get_bounds (view->node, &bounds);
  if (!is_at_left (widget))
    x = gtk_widget_get_width (widget) - MARGIN_PX - bounds.size.width;
  if (!is_at_top (host->corner))
    y = gtk_widget_get_height (widget) - MARGIN_PX - bounds.size.height;

  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) floor (x), (float) floor (y)));
  gtk_snapshot_append_node (snapshot, view->node);
  gtk_snapshot_restore (snapshot);
}

static void
snapshot_over (GtkWidget *widget, GtkSnapshot *snapshot)
{
  gint64 now_ns;
  View *view;

  if (!is_shown || jank_toplevels_is_inspector (GTK_WINDOW (widget)))
    return;
  now_ns = jank_clock_now_ns ();
  view = get_view (widget);
  if (now_ns - view->made_ns >= REFRESH_EVERY_NS)
    refresh (view, widget, now_ns);
  if (view->node != NULL)
    append (view, widget, snapshot);
  view->cost_ns += jank_clock_now_ns () - now_ns;
  view->n_frames++;
}

static void
wrap_window (GtkWindow *window)
{
  if (!jank_toplevels_is_inspector (window))
    jank_snapshot_wrap (GTK_WIDGET (window), snapshot_over);
}

static void
draw_window (GtkWindow *window)
{
  g_object_set_qdata (G_OBJECT (window), view_quark, NULL);
  if (gtk_widget_get_mapped (GTK_WIDGET (window)) && !jank_toplevels_is_inspector (window))
    jank_frame_hook_queue_draw (GTK_WIDGET (window));
}

void
jank_overlay_set (gboolean shown)
{
  if (is_shown == shown)
    return;
  is_shown = shown;
  if (shown)
    jank_toplevels_watch (wrap_window);
  else
    jank_toplevels_unwatch ();
  jank_toplevels_foreach (draw_window);
}

gboolean
jank_overlay_get (void)
{
  return is_shown;
}

static void
toggle_cb (void)
{
  jank_overlay_set (!is_shown);
}

static void
start_key (void)
{
  if (host->toggle != NULL && host->toggle[0] != '\0')
    jank_overlay_key_start (host->toggle, toggle_cb);
}

void
jank_overlay_configure (void)
{
  jank_overlay_key_stop ();
  start_key ();
  if (is_shown)
    jank_toplevels_foreach (draw_window);
}

void
jank_overlay_start (const JankGtkHost *new_host)
{
  host = new_host;
  view_quark = g_quark_from_static_string ("jankwatch-overlay");
  start_key ();
  jank_overlay_set (host->overlay);
}

void
jank_overlay_stop (void)
{
  jank_overlay_key_stop ();
  jank_overlay_set (FALSE);
}
