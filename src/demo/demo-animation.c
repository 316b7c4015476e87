/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "demo.h"

#include <math.h>

#define N_DOTS 13
#define DOT_SPACING_PX 28
#define DOT_RADIUS_PX 10
#define PERIOD_US (1.6 * G_USEC_PER_SEC)

struct _DemoAnimation
{
  GtkWidget parent_instance;

  gint64 now_us; /* frame time of the latest frame */
};

G_DEFINE_FINAL_TYPE (DemoAnimation, demo_animation, GTK_TYPE_WIDGET)

static gboolean
demo_animation_tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  DEMO_ANIMATION (widget)->now_us = gdk_frame_clock_get_frame_time (clock);
  gtk_widget_queue_draw (widget);
  return G_SOURCE_CONTINUE;
}

static void
demo_animation_append_dot (GtkSnapshot *snapshot, float x, float y, float radius, const GdkRGBA *color)
{
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (x - radius, y - radius, 2 * radius, 2 * radius);
  GskRoundedRect outline;

  gsk_rounded_rect_init_from_rect (&outline, &bounds, radius);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_color (snapshot, color, &bounds);
  gtk_snapshot_pop (snapshot);
}

static void
demo_animation_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  double phase = 2 * G_PI * (double) DEMO_ANIMATION (widget)->now_us / PERIOD_US;
  float left = (float) gtk_widget_get_width (widget) / 2.f - DOT_SPACING_PX * (N_DOTS - 1) / 2.f;
  float middle = (float) gtk_widget_get_height (widget) / 2.f;
  GdkRGBA accent = { 0.21f, 0.52f, 0.89f, 1.f };

  gtk_style_context_lookup_color (gtk_widget_get_style_context (widget), "theme_selected_bg_color", &accent);
  for (int i = 0; i < N_DOTS; i++)
    {
      float swell = (float) (1 + sin (phase - i * 2 * G_PI / N_DOTS)) / 2;
      GdkRGBA color = accent;

      color.alpha = 0.2f + 0.8f * swell * swell;
      demo_animation_append_dot (snapshot, left + (float) i * DOT_SPACING_PX, middle,
                                 DOT_RADIUS_PX * (0.3f + 0.7f * swell * swell), &color);
    }
}

static void
demo_animation_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                        int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? N_DOTS * DOT_SPACING_PX : 3 * DOT_RADIUS_PX;
  *natural = *minimum;
}

static void
demo_animation_class_init (DemoAnimationClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = demo_animation_snapshot;
  widget_class->measure = demo_animation_measure;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
demo_animation_init (DemoAnimation *self)
{
  gtk_widget_add_tick_callback (GTK_WIDGET (self), demo_animation_tick_cb, NULL, NULL);
}
