/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A window's snapshot runs when something in it changed. The picture is redrawn at most four times a second; in
 * between, the same picture is drawn, and GTK 4's renderer sees that it did not change. */

#include "gtk/overlay/jank-overlay-private.h"

#include <string.h>

#include "base/jank-clock-private.h"
#include "gtk/overlay/jank-overlay-parts-private.h"
#include "gtk/jank-toplevels-private.h"

#define REFRESH_EVERY_NS (250 * JANK_NS_PER_MS)

typedef struct
{
  JankPicture *picture;       /* (owned) (nullable) */
  JankOverlayFace face;       /* its costs stay until they are measured again */
  gint64       made_ns;
  JankOverlayPlace place;     /* as old as the picture */
  gint64       cost_ns;       /* since made_ns */
  guint        n_frames;
} View;

static const JankOverlayFeed *feed;
static GQuark view_quark;
static JankFrameSnapshot frame_snapshot; /* too large for the stack */

static void
jank_overlay_window_view_free (gpointer data)
{
  View *view = data;

  g_clear_pointer (&view->picture, jank_overlay_canvas_free);
  g_free (view);
}

static View *
jank_overlay_window_get_view (GtkWidget *widget)
{
  View *view = g_object_get_qdata (G_OBJECT (widget), view_quark);

  if (view == NULL)
    {
      view = g_new0 (View, 1);
      g_object_set_qdata_full (G_OBJECT (widget), view_quark, view, jank_overlay_window_view_free);
    }
  return view;
}

static void
jank_overlay_window_read_frames (View *view, GtkWidget *widget, gint64 now_ns)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (widget));
  JankGtkClock *clock = surface != NULL ? feed->find_clock (gdk_surface_get_frame_clock (surface)) : NULL;

  if (clock == NULL || clock->stats == NULL || !jank_frame_board_read (&clock->stats->board, &frame_snapshot))
    return;
  jank_frame_snapshot_age (&frame_snapshot, now_ns);
  jank_frame_numbers_from (&frame_snapshot, &view->face.numbers);
  view->face.n_bars = frame_snapshot.n_bars;
  memcpy (view->face.bars, frame_snapshot.bars, sizeof view->face.bars);
}

static void
jank_overlay_window_refresh (View *view, GtkWidget *widget, gint64 now_ns)
{
  const JankGtkHost *host = feed->host;
  JankOverlayLook look = { .opacity = host->settings->overlay_opacity };

  g_clear_pointer (&view->picture, jank_overlay_canvas_free);
  jank_overlay_place_find (&view->place, widget, host->settings);
  if (view->place.fit > 0)
    {
      PangoContext *context = gtk_widget_create_pango_context (widget);
      JankOverlayFace *face = &view->face;
      JankInputFigures figures;
      cairo_surface_t *image;

      look.preset = view->place.preset;
      look.scale = view->place.fit * gtk_widget_get_scale_factor (widget);
      look.is_rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
      jank_overlay_window_read_frames (view, widget, now_ns);
      /* The rule's own figure, once it has one. An idle program has no rate. */
      if (host->get_fps != NULL && face->numbers.fps_now >= 0)
        face->numbers.fps_now = host->get_fps (host->data);
      if (jank_input_board_sum_up (feed->input, &figures))
        face->input_p98_ns = figures.answered.n < JANK_INTERACTION_N_PERCENTILE ? 0 : figures.answered.p98_ns;
      face->has_stall = host->get_last_stall != NULL && host->get_last_stall (host->data, &face->stall);
      face->stall_age_ns = now_ns - face->stall.ended_ns;
      if (view->n_frames > 0)
        {
          face->cost_us_per_frame = (double) view->cost_ns / view->n_frames / JANK_NS_PER_US;
          face->cost_share = (double) view->cost_ns / (double) (now_ns - view->made_ns);
        }
      view->cost_ns = 0;
      view->n_frames = 0;
      image = jank_overlay_face_draw (face, &look, context);
      view->picture = jank_overlay_canvas_keep (image, widget);
      cairo_surface_destroy (image);
      g_object_unref (context);
    }
  view->made_ns = now_ns;
}

static void
jank_overlay_window_get_rectangle (View *view, GtkWidget *widget, GdkRectangle *ret_rectangle)
{
  double width, height;

  jank_overlay_canvas_get_size (view->picture, &width, &height);
  jank_overlay_place_get (&view->place, widget, feed->host->settings, width, height, ret_rectangle);
}

static gboolean
jank_overlay_window_takes (GtkWindow *window)
{
  return jank_overlay_canvas_is_window (window) && !jank_toplevels_is_inspector (window);
}

static void
jank_overlay_window_snapshot_over (GtkWidget *widget, JankCanvas *canvas)
{
  GdkRectangle rectangle;
  gint64 now_ns;
  View *view;

  if (!feed->is_shown || !jank_overlay_window_takes (GTK_WINDOW (widget)) ||
      !jank_overlay_canvas_is_screen (canvas, widget))
    return;
  jank_spans_begin (&feed->get_own ()->spans);
  now_ns = jank_clock_now_ns ();
  view = jank_overlay_window_get_view (widget);
  if (now_ns - view->made_ns >= REFRESH_EVERY_NS && jank_overlay_canvas_is_whole (canvas, widget))
    jank_overlay_window_refresh (view, widget, now_ns);
  if (view->picture != NULL)
    {
      jank_overlay_window_get_rectangle (view, widget, &rectangle);
      jank_overlay_canvas_draw (canvas, view->picture, rectangle.x, rectangle.y);
    }
  view->cost_ns += jank_clock_now_ns () - now_ns;
  view->n_frames++;
  jank_spans_end (&feed->get_own ()->spans);
}

#if JANK_OVERLAY_CANVAS_IS_PARTIAL
static void
jank_overlay_window_redraw_picture (View *view, GtkWidget *widget)
{
  GdkRectangle rectangle;

  if (view->picture == NULL)
    return;
  jank_overlay_window_get_rectangle (view, widget, &rectangle);
  feed->queue_draw (widget, &rectangle);
}

void
jank_overlay_window_paint (GtkWindow *window)
{
  GtkWidget *widget = GTK_WIDGET (window);
  gint64 now_ns;
  View *view;

  if (feed == NULL || !feed->is_shown || !jank_overlay_window_takes (window))
    return;
  now_ns = jank_clock_now_ns ();
  view = jank_overlay_window_get_view (widget);
  if (now_ns - view->made_ns < REFRESH_EVERY_NS)
    return;
  jank_spans_begin (&feed->get_own ()->spans);
  jank_overlay_window_redraw_picture (view, widget);
  jank_overlay_window_refresh (view, widget, now_ns);
  jank_overlay_window_redraw_picture (view, widget);
  view->cost_ns += jank_clock_now_ns () - now_ns;
  jank_spans_end (&feed->get_own ()->spans);
}

#endif

static void
jank_overlay_window_wrap (GtkWindow *window)
{
  if (jank_overlay_window_takes (window))
    jank_snapshot_wrap (GTK_WIDGET (window), jank_overlay_window_snapshot_over);
}

static void
jank_overlay_window_draw (GtkWindow *window)
{
  g_object_set_qdata (G_OBJECT (window), view_quark, NULL);
  if (gtk_widget_get_mapped (GTK_WIDGET (window)) && jank_overlay_window_takes (window))
    feed->queue_draw (GTK_WIDGET (window), NULL);
}

void
jank_overlay_window_update (const JankOverlayFeed *new_feed)
{
  feed = new_feed;
  view_quark = g_quark_from_static_string ("jankwatch-overlay");
  if (feed->is_shown)
    jank_toplevels_watch (jank_overlay_window_wrap);
  else
    jank_toplevels_unwatch ();
  jank_toplevels_foreach (jank_overlay_window_draw);
}
