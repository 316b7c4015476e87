/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A GTK program that draws in one of several ways and counts its frames itself: frame-counts PHASE SECONDS. The phase
 * begins two seconds after the first frame: what came before it is start-up, and still. Prints one JSON object.
 *
 * A frame is wanted when an animation was under way since the one before it; the time between such two is active time,
 * and more than one and a half refresh intervals of it is late. */

#include "config.h"

#include <gtk/gtk.h>

#include "base/jank-clock-private.h"

#define REFRESH_NS  (JANK_NS_PER_S / 60) /* Xvfb has no display; GTK takes this */
#define LATE_NS     (REFRESH_NS * 3 / 2)
#define NEAR_NS     JANK_NS_PER_MS       /* by so little from that, two clocks may differ */
#define SETTLE_MS   2000
#define SLEEP_US    50000
#define SLEEP_EVERY 20
#define PAUSE_MS    1000
#define CLICK_MS    1000
#define TIMER_MS    40

#ifdef GDK_RENDERING_VULKAN
#define HAS_VULKAN "true" /* GTK was built with it */
#else
#define HAS_VULKAN "false"
#endif

static const char *const phases[] = { "animation", "late", "pauses", "timer", "clicks", "idle", NULL };

typedef struct
{
  GtkApplication *application;
  GtkWidget      *window, *label;
  const char     *phase;
  gint64          length_ns, began_ns; /* began_ns: of the phase, 0 before it */

  guint           tick, n_changes;
  gboolean        is_wanted;           /* the next frame */
  gboolean        has_slept;           /* since the last one */
  gint64          last_ns;             /* when the last frame began */
  guint64         n_drawn;             /* frames, whoever asked for them */
  guint64         n_wanted, n_late, n_near, n_slept; /* n_slept: late as planned */
  gint64          active_ns;
} Counter;

static void
change (Counter *self)
{
  g_autofree char *text = g_strdup_printf ("%06u", ++self->n_changes);

  gtk_label_set_text (GTK_LABEL (self->label), text);
}

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  Counter *self = data;

  change (self);
  if (g_str_equal (self->phase, "late") && self->n_changes % SLEEP_EVERY == 0)
    {
      g_usleep (SLEEP_US);
      self->has_slept = TRUE;
    }
  return G_SOURCE_CONTINUE;
}

static void
animate (Counter *self, gboolean is_on)
{
  if (is_on == (self->tick != 0))
    return;
  if (is_on)
    self->tick = gtk_widget_add_tick_callback (self->label, tick_cb, self, NULL);
  else
    {
      gtk_widget_remove_tick_callback (self->label, self->tick);
      self->tick = 0;
    }
  self->is_wanted = FALSE;
}

static gboolean
toggle_cb (gpointer data)
{
  animate (data, ((Counter *) data)->tick == 0);
  return G_SOURCE_CONTINUE;
}

static gboolean
change_cb (gpointer data)
{
  change (data);
  return G_SOURCE_CONTINUE;
}

static void
before_paint_cb (GdkFrameClock *clock, gpointer data)
{
  Counter *self = data;
  gint64 now_ns = jank_clock_now_ns ();
  gint64 interval_ns = now_ns - self->last_ns;

  if (self->is_wanted)
    {
      self->n_wanted++;
      self->active_ns += interval_ns;
      self->n_late += interval_ns > LATE_NS;
      self->n_near += ABS (interval_ns - LATE_NS) < NEAR_NS;
      self->n_slept += self->has_slept;
    }
  self->has_slept = FALSE;
  self->last_ns = now_ns;
}

static void
paint_cb (GdkFrameClock *clock, gpointer data)
{
  Counter *self = data;

  self->n_drawn += self->began_ns != 0;
}

static void
after_paint_cb (GdkFrameClock *clock, gpointer data)
{
  Counter *self = data;

  self->is_wanted = self->tick != 0;
}

static void
finish_cb (gpointer data)
{
  Counter *self = data;
  gint64 now_ns = jank_clock_now_ns ();

  g_print ("{\"phase\": \"%s\", \"began_ns\": %" G_GINT64_FORMAT ", \"ended_ns\": %" G_GINT64_FORMAT
           ", \"drawn\": %" G_GUINT64_FORMAT ", \"wanted\": %" G_GUINT64_FORMAT ", \"active_ns\": %" G_GINT64_FORMAT
           ", \"late\": %" G_GUINT64_FORMAT ", \"near\": %" G_GUINT64_FORMAT ", \"slept\": %" G_GUINT64_FORMAT
           ", \"renderer\": \"%s\", \"has_vulkan\": %s}\n",
           self->phase, self->began_ns, now_ns, self->n_drawn, self->n_wanted, self->active_ns, self->n_late, self->n_near,
           self->n_slept, G_OBJECT_TYPE_NAME (gtk_native_get_renderer (GTK_NATIVE (self->window))), HAS_VULKAN);
  g_application_quit (G_APPLICATION (self->application));
}

static void
begin_cb (gpointer data)
{
  Counter *self = data;

  if (g_str_equal (self->phase, "animation") || g_str_equal (self->phase, "late") || g_str_equal (self->phase, "pauses"))
    animate (self, TRUE);
  if (g_str_equal (self->phase, "pauses"))
    g_timeout_add (PAUSE_MS, toggle_cb, self);
  if (g_str_equal (self->phase, "timer"))
    g_timeout_add (TIMER_MS, change_cb, self);
  if (g_str_equal (self->phase, "clicks"))
    g_timeout_add (CLICK_MS, change_cb, self);
  self->began_ns = jank_clock_now_ns ();
  g_timeout_add_once ((guint) (self->length_ns / JANK_NS_PER_MS), finish_cb, self);
}

static void
activate_cb (GtkApplication *application, gpointer data)
{
  Counter *self = data;
  GdkFrameClock *clock;

  self->window = gtk_application_window_new (application);
  self->label = gtk_label_new ("000000");
  gtk_window_set_child (GTK_WINDOW (self->window), self->label);
  gtk_window_set_default_size (GTK_WINDOW (self->window), 480, 320);
  gtk_window_present (GTK_WINDOW (self->window));
  clock = gtk_widget_get_frame_clock (self->window);
  g_signal_connect (clock, "before-paint", G_CALLBACK (before_paint_cb), self);
  g_signal_connect (clock, "paint", G_CALLBACK (paint_cb), self);
  g_signal_connect (clock, "after-paint", G_CALLBACK (after_paint_cb), self);
  g_timeout_add_once (SETTLE_MS, begin_cb, self);
}

int
main (int argc, char **argv)
{
  static Counter self;

  if (argc != 3 || !g_strv_contains (phases, argv[1]))
    {
      g_printerr ("frame-counts animation|late|pauses|timer|clicks|idle SECONDS\n");
      return 2;
    }
  self.phase = argv[1];
  self.length_ns = (gint64) (g_ascii_strtod (argv[2], NULL) * JANK_NS_PER_S);
  self.application = gtk_application_new (NULL, G_APPLICATION_NON_UNIQUE);
  g_signal_connect (self.application, "activate", G_CALLBACK (activate_cb), &self);
  g_application_run (G_APPLICATION (self.application), 0, NULL);
  g_object_unref (self.application);
  return 0;
}
