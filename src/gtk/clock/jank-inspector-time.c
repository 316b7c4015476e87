/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTK's inspector opens a display connection of its own. When a display is opened, assume that the inspector is
 * opening; confirmed if our page is made, or in GTK 3 its window shown, before the busy period ends. */

#include "gtk/clock/jank-inspector-time-private.h"

#include "gtk/jank-toplevels-private.h"

static JankOwnTime nobodys;
static JankOwnTime *own = &nobodys;
static gulong opened_handler, debugging_hook, map_hook; /* map_hook: of GTK 3, which has no page of ours */

static void
jank_inspector_time_display_opened_cb (GdkDisplayManager *manager, GdkDisplay *display, gpointer data)
{
  if (gdk_display_get_default () != NULL && display != gdk_display_get_default ())
    jank_own_time_begin_rest (own, FALSE);
}

static gboolean
jank_inspector_time_debugging_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  jank_own_time_begin_rest (own, TRUE);
  return TRUE;
}

#if GTK_MAJOR_VERSION < 4
static gboolean
jank_inspector_time_mapped_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  GtkWidget *widget = values[0].data[0].v_pointer;

  if (GTK_IS_WINDOW (widget) && jank_toplevels_is_inspector (GTK_WINDOW (widget)))
    {
      jank_inspector_time_confirm ();
      jank_inspector_time_watch (widget);
    }
  return TRUE;
}
#endif

void
jank_inspector_time_start (JankOwnTime *new_own)
{
  own = new_own != NULL ? new_own : &nobodys;
  opened_handler = g_signal_connect (gdk_display_manager_get (), "display-opened",
                                     G_CALLBACK (jank_inspector_time_display_opened_cb), NULL);
  debugging_hook = jank_gtk_add_hook (GTK_TYPE_WINDOW, "enable-debugging", jank_inspector_time_debugging_cb, NULL);
#if GTK_MAJOR_VERSION < 4
  map_hook = jank_gtk_add_hook (GTK_TYPE_WIDGET, "map", jank_inspector_time_mapped_cb, NULL);
#endif
}

void
jank_inspector_time_stop (void)
{
  own = &nobodys;
  g_clear_signal_handler (&opened_handler, gdk_display_manager_get ());
  g_signal_remove_emission_hook (g_signal_lookup ("enable-debugging", GTK_TYPE_WINDOW), debugging_hook);
  if (map_hook != 0)
    g_signal_remove_emission_hook (g_signal_lookup ("map", GTK_TYPE_WIDGET), map_hook);
  map_hook = 0;
}

JankOwnTime *
jank_inspector_time_get (void)
{
  return own;
}

void
jank_inspector_time_confirm (void)
{
  jank_own_time_begin_rest (own, TRUE);
}

/* The first event shows which source is the display's. An inspector without a display of its own has the program's. */
static gboolean
jank_inspector_time_event_cb (GtkWidget *window)
{
  if (gtk_widget_get_display (window) != gdk_display_get_default ())
    atomic_store_explicit (&own->source, (guint64) (guintptr) g_main_current_source (), memory_order_relaxed);
  return GDK_EVENT_PROPAGATE;
}

void
jank_inspector_time_watch (GtkWidget *window)
{
#if GTK_MAJOR_VERSION >= 4
  GtkEventController *events = gtk_event_controller_legacy_new ();

  gtk_event_controller_set_propagation_phase (events, GTK_PHASE_CAPTURE);
  g_signal_connect_object (events, "event", G_CALLBACK (jank_inspector_time_event_cb), window, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (window, events);
#else
  if (g_signal_handler_find (window, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, jank_inspector_time_event_cb, NULL) == 0)
    g_signal_connect (window, "event", G_CALLBACK (jank_inspector_time_event_cb), NULL);
#endif
}
