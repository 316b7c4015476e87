/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scene.h"

#include "base/jank-clock-private.h"

/* GTK and the display server are done with a new window, and of its frames none is its start-up's. */
#define SETTLE_MS  300
#define STARTUP_MS 1200

const JankGtkPlugin *plugin;

static JankFrameSummary summary;
static JankFrameSnapshot merged, scratch;

void
be_busy_ms (int ms)
{
  gint64 until_us = g_get_monotonic_time () + ms * 1000;

  while (g_get_monotonic_time () < until_us)
    ;
}

static void
before_paint_cb (GdkFrameClock *clock, Scene *self)
{
  gint64 now_ns = jank_clock_now_ns ();

  g_array_append_val (self->begins_ns, now_ns);
}

static void paint_cb (GdkFrameClock *clock, Scene *self) { self->n_frames++; }

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  Scene *self = data;
  guint tick = self->n_ticks++;

  if (tick < self->work->len && g_array_index (self->work, SceneWork, tick).busy_ms > 0)
    {
      SceneWork *work = &g_array_index (self->work, SceneWork, tick);

      work->began_ns = jank_clock_now_ns ();
      be_busy_ms (work->busy_ms);
      work->ended_ns = jank_clock_now_ns ();
    }
  if (self->area != NULL && tick % MAX (self->n_per_drawn, 1) == 0)
    gtk_widget_queue_draw (self->area);
  return G_SOURCE_CONTINUE;
}

static void
draw (Scene *self, cairo_t *cr)
{
  cairo_set_source_rgb (cr, 0.1, 0.4, 0.8);
  cairo_rectangle (cr, 10 + self->n_ticks % 200, 20, 30, 30);
  cairo_fill (cr);
}

#if GTK_MAJOR_VERSION >= 4

static void
draw_cb (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  draw (data, cr);
}

static void
connect_draw (Scene *self)
{
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self->area), draw_cb, self, NULL);
}

static void destroy_window (GtkWindow *window) { gtk_window_destroy (window); }

#else

static gboolean
draw_cb (GtkWidget *area, cairo_t *cr, gpointer data)
{
  draw (data, cr);
  return GDK_EVENT_PROPAGATE;
}

static void
connect_draw (Scene *self)
{
  g_signal_connect (self->area, "draw", G_CALLBACK (draw_cb), self);
  gtk_widget_show (self->area);
}

static void destroy_window (GtkWindow *window) { gtk_widget_destroy (GTK_WIDGET (window)); }

#endif

void
scene_set_child (Scene *self, GtkWidget *child)
{
#if GTK_MAJOR_VERSION < 4
  if (gtk_bin_get_child (GTK_BIN (self->window)) != NULL)
    gtk_widget_destroy (gtk_bin_get_child (GTK_BIN (self->window)));
  if (child == NULL)
    return;
  gtk_widget_show (child);
#endif
  g_object_set (self->window, "child", child, NULL);
}

/* Windows of libadwaita have a content, and refuse a child. */
static void
put_area (Scene *self)
{
  gboolean has_content = g_object_class_find_property (G_OBJECT_GET_CLASS (self->window), "content") != NULL;

  self->area = gtk_drawing_area_new ();
  g_object_add_weak_pointer (G_OBJECT (self->area), (gpointer *) &self->area);
  connect_draw (self);
  g_object_set (self->window, has_content ? "content" : "child", self->area, NULL);
}

Scene *
scene_new (GType window_type)
{
  Scene *self = g_new0 (Scene, 1);

  self->begins_ns = g_array_new (FALSE, TRUE, sizeof (gint64));
  self->work = g_array_new (FALSE, TRUE, sizeof (SceneWork));
  self->window = g_object_new (window_type, "title", "Scene", "default-width", 500, "default-height", 400, NULL);
  put_area (self);
  g_object_add_weak_pointer (G_OBJECT (self->window), (gpointer *) &self->window);
  gtk_window_present (self->window);
  self->clock = gtk_widget_get_frame_clock (GTK_WIDGET (self->window));
  g_signal_connect (self->clock, "before-paint", G_CALLBACK (before_paint_cb), self);
  g_signal_connect (self->clock, "paint", G_CALLBACK (paint_cb), self);
  scene_run_frames (self, 1);
  run_ms (SETTLE_MS);
  return self;
}

Scene *
scene_new_started (GType window_type)
{
  Scene *self = scene_new (window_type);

  run_ms (STARTUP_MS - SETTLE_MS);
  return self;
}

void
scene_free (Scene *self)
{
  if (self->window != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->clock, self);
      g_clear_weak_pointer (&self->area);
      g_object_remove_weak_pointer (G_OBJECT (self->window), (gpointer *) &self->window);
      destroy_window (self->window);
    }
  run_ms (50);
  g_array_unref (self->begins_ns);
  g_array_unref (self->work);
  g_free (self);
}

void
scene_animate (Scene *self)
{
  self->tick_id = gtk_widget_add_tick_callback (GTK_WIDGET (self->window), tick_cb, self, NULL);
}

void
scene_rest (Scene *self)
{
  gtk_widget_remove_tick_callback (GTK_WIDGET (self->window), self->tick_id);
  run_ms (200);
  gtk_widget_queue_draw (GTK_WIDGET (self->window));
  run_ms (200);
}

void
scene_run_frames (Scene *self, guint n_frames)
{
  guint end = self->n_frames + n_frames;

  for (guint i = 0; i < MAX_FRAMES_WAIT_MS / 20 && self->n_frames < end; i++)
    run_ms (20);
  g_assert_cmpuint (self->n_frames, >=, end);
}

void
scene_plan (Scene *self, guint n_frames, int busy_ms)
{
  guint tick = self->n_ticks + n_frames;

  if (self->work->len <= tick)
    g_array_set_size (self->work, tick + 1);
  g_array_index (self->work, SceneWork, tick).busy_ms = busy_ms;
}

const JankFrameSummary *
read_summary (void)
{
  g_assert_true (jank_frame_clocks_summarize (plugin->get_frames (), jank_clock_now_ns (), &merged, &scratch,
                                              &summary));
  return &summary;
}

const JankFrameSnapshot *
read_merged (void)
{
  read_summary ();
  return &merged;
}

gboolean
scene_is_x11 (void)
{
  return g_str_equal (G_OBJECT_TYPE_NAME (gdk_display_get_default ()), "GdkX11Display");
}

int
scene_main (int argc, char **argv, const char *path)
{
  g_test_init (&argc, &argv, NULL);
#if GTK_MAJOR_VERSION >= 4
  gtk_init ();
#else
  gtk_init (&argc, &argv);
#endif
  g_assert_cmpint (argc, ==, 2);
  host_watch_loop ();
  plugin = host_open_plugin (argv[1]);
  plugin->start (&host);
  tests_add_all (path);
  return g_test_run ();
}
