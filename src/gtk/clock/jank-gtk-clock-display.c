/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The refresh interval comes from the last frame's timings, else from the monitor, which is asked again only when
 * the window moves to another. A window that was hidden or minimised since its last frame is not late.
 *
 * From 4.24 on, GTK tells a frame that changed nothing from one that the display still holds. Before, both have
 * incomplete timings. */

#include "gtk/clock/jank-gtk-clock-private.h"

#include <dlfcn.h>

#include "base/jank-clock-private.h"

/* GTK 4's bit 16: GDK_TOPLEVEL_STATE_SUSPENDED, since 4.12. Only that tells of a hidden window on Wayland. */
#define STATE_NOT_SHOWN (GDK_TOPLEVEL_STATE_MINIMIZED | (1 << 16))

/* Since GTK 4.24; looked up by name. */
static int (*get_result) (GdkFrameTimings *timings);
static int result_skipped, result_outstanding, result_discarded;

static void
jank_gtk_clock_display_find_results (void)
{
  static gboolean has_looked;
  GType (*get_type) (void);
  GEnumClass *klass;
  GEnumValue *skipped, *outstanding, *discarded;

  if (has_looked)
    return;
  has_looked = TRUE;
  get_type = (GType (*) (void)) dlsym (RTLD_DEFAULT, "gdk_frame_result_get_type");
  if (get_type == NULL)
    return;
  klass = g_type_class_ref (get_type ());
  skipped = g_enum_get_value_by_nick (klass, "skipped");
  outstanding = g_enum_get_value_by_nick (klass, "outstanding");
  discarded = g_enum_get_value_by_nick (klass, "discarded");
  if (skipped != NULL && outstanding != NULL && discarded != NULL)
    {
      result_skipped = skipped->value;
      result_outstanding = outstanding->value;
      result_discarded = discarded->value;
      get_result = (int (*) (GdkFrameTimings *)) dlsym (RTLD_DEFAULT, "gdk_frame_timings_get_result");
    }
  g_type_class_unref (klass);
}

static void
jank_gtk_clock_display_set_away (JankGtkClock *self, gboolean is_away)
{
  self->was_away |= self->is_away | is_away;
  self->is_away = is_away;
}

#if GTK_MAJOR_VERSION >= 4

static void
jank_gtk_clock_display_away_cb (GdkSurface *surface, GParamSpec *pspec, JankGtkClock *self)
{
  gboolean is_minimised = GDK_IS_TOPLEVEL (surface) &&
                          (gdk_toplevel_get_state (GDK_TOPLEVEL (surface)) & STATE_NOT_SHOWN) != 0;

  jank_gtk_clock_display_set_away (self, is_minimised || !gdk_surface_get_mapped (surface));
}

static void
jank_gtk_clock_display_monitor_cb (GdkSurface *surface, GdkMonitor *monitor, JankGtkClock *self)
{
  self->monitor_is_stale = TRUE;
}

static void
jank_gtk_clock_display_connect (JankGtkClock *self)
{
  self->display_handlers[0] = g_signal_connect (self->surface, "notify::mapped",
                                                G_CALLBACK (jank_gtk_clock_display_away_cb), self);
  self->display_handlers[1] = g_signal_connect (self->surface, "notify::state",
                                                G_CALLBACK (jank_gtk_clock_display_away_cb), self);
  self->display_handlers[2] = g_signal_connect (self->surface, "enter-monitor",
                                                G_CALLBACK (jank_gtk_clock_display_monitor_cb), self);
}

static gpointer
jank_gtk_clock_display_get_connected (JankGtkClock *self)
{
  return self->surface;
}

#else

/* Showing and hiding changes the state, too. */
static gboolean
jank_gtk_clock_display_away_cb (GtkWidget *window, GdkEventWindowState *event, JankGtkClock *self)
{
  const GdkWindowState away = GDK_WINDOW_STATE_ICONIFIED | GDK_WINDOW_STATE_WITHDRAWN;

  jank_gtk_clock_display_set_away (self, (event->new_window_state & away) != 0);
  return GDK_EVENT_PROPAGATE;
}

/* GTK 3 does not tell of another monitor, but it is one only after a move. */
static gboolean
jank_gtk_clock_display_moved_cb (GtkWidget *window, GdkEvent *event, JankGtkClock *self)
{
  self->monitor_is_stale = TRUE;
  return GDK_EVENT_PROPAGATE;
}

static void
jank_gtk_clock_display_connect (JankGtkClock *self)
{
  self->display_handlers[0] = g_signal_connect (self->window, "window-state-event",
                                                G_CALLBACK (jank_gtk_clock_display_away_cb), self);
  self->display_handlers[1] = g_signal_connect (self->window, "configure-event",
                                                G_CALLBACK (jank_gtk_clock_display_moved_cb), self);
}

static gpointer
jank_gtk_clock_display_get_connected (JankGtkClock *self)
{
  return self->window;
}

#endif

static void
jank_gtk_clock_display_read_monitor (JankGtkClock *self)
{
  GdkMonitor *monitor;
  int rate_mhz;

  self->monitor_is_stale = FALSE;
  if (self->surface == NULL || gdk_surface_is_destroyed (self->surface))
    return;
  monitor = gdk_display_get_monitor_at_surface (gdk_surface_get_display (self->surface), self->surface);
  if (monitor == NULL)
    return;
  /* A rate outside 5..1000 Hz is no refresh rate. */
  rate_mhz = gdk_monitor_get_refresh_rate (monitor);
  self->monitor_refresh_ns = rate_mhz >= 5000 && rate_mhz <= 1000000 ? 1000 * JANK_NS_PER_S / rate_mhz : 0;
}

void
jank_gtk_clock_display_attach (JankGtkClock *self, GtkWindow *window)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (window));

  jank_gtk_clock_display_find_results ();
  self->window = window;
  self->surface = surface;
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &self->window);
  g_object_add_weak_pointer (G_OBJECT (surface), (gpointer *) &self->surface);
  jank_gtk_clock_display_connect (self);
  self->monitor_is_stale = TRUE;
  self->is_remote = g_str_equal (G_OBJECT_TYPE_NAME (gdk_surface_get_display (surface)), "GdkBroadwayDisplay");
}

void
jank_gtk_clock_display_detach (JankGtkClock *self)
{
  gpointer connected = jank_gtk_clock_display_get_connected (self);

  for (guint i = 0; connected != NULL && i < G_N_ELEMENTS (self->display_handlers); i++)
    g_clear_signal_handler (&self->display_handlers[i], connected);
  if (self->surface != NULL)
    g_object_remove_weak_pointer (G_OBJECT (self->surface), (gpointer *) &self->surface);
  if (self->window != NULL)
    g_object_remove_weak_pointer (G_OBJECT (self->window), (gpointer *) &self->window);
}

static gboolean
jank_gtk_clock_display_is_unpaced (JankGtkClock *self, GdkFrameTimings *timings)
{
  if (timings != NULL && get_result != NULL)
    return get_result (timings) == result_skipped;
  return self->has_presentation && (timings == NULL || !gdk_frame_timings_get_complete (timings));
}

gboolean
jank_gtk_clock_display_holds (JankGtkClock *self)
{
  GdkFrameTimings *timings = NULL;

  if (self->has_presentation)
    timings = gdk_frame_clock_get_timings (self->gdk, gdk_frame_clock_get_frame_counter (self->gdk));
  if (timings != NULL && get_result != NULL)
    return get_result (timings) == result_outstanding;
  return timings != NULL && !gdk_frame_timings_get_complete (timings);
}

void
jank_gtk_clock_display_read (JankGtkClock *self, JankGtkClockReading *ret_reading)
{
  gint64 counter = gdk_frame_clock_get_frame_counter (self->gdk);
  GdkFrameTimings *timings = gdk_frame_clock_get_timings (self->gdk, counter - 1);

  if (timings != NULL)
    {
      if (!self->is_remote)
        ret_reading->presented_ns = gdk_frame_timings_get_presentation_time (timings) * JANK_NS_PER_US;
      ret_reading->drawn_for_ns = gdk_frame_timings_get_frame_time (timings) * JANK_NS_PER_US;
      ret_reading->predecessor_unseen = get_result != NULL && get_result (timings) == result_discarded;
      if (gdk_frame_timings_get_complete (timings))
        ret_reading->refresh_ns = gdk_frame_timings_get_refresh_interval (timings) * JANK_NS_PER_US;
    }
  ret_reading->predecessor_unpaced = jank_gtk_clock_display_is_unpaced (self, timings);
  if (G_UNLIKELY (self->monitor_is_stale))
    jank_gtk_clock_display_read_monitor (self);
}
