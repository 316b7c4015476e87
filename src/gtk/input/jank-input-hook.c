/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every event of GTK 4 is emitted by its surface, once, before a widget sees it. Which widget a click is for, GTK
 * finds out afterwards and does not say; but those that react to clicks mostly do so by a GtkGestureClick, those that
 * scroll by a GtkEventControllerScroll, whose signals come before their handlers. */

#include "gtk/input/jank-input-hook-private.h"

#include "gtk/jank-toplevels-private.h"

static const struct { GType (*get_type) (void); const char *signal; } naming[] = {
  { gtk_gesture_click_get_type, "pressed" },
  { gtk_gesture_click_get_type, "released" },
  { gtk_event_controller_scroll_get_type, "scroll" },
};

static gulong event_hook, method_hook, naming_hooks[G_N_ELEMENTS (naming)];

/* Returns: (nullable): the window that surface, or the popover on it, belongs to */
static GtkWindow *
jank_input_hook_find_window (GdkSurface *surface)
{
  GtkNative *native = gtk_native_get_for_surface (surface);
  GtkRoot *root = native != NULL ? gtk_widget_get_root (GTK_WIDGET (native)) : NULL;

  return GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL;
}

static gboolean
jank_input_hook_event_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  GdkSurface *surface = values[0].data[0].v_pointer;
  GdkEvent *event = values[1].data[0].v_pointer;
  JankInteractionKind kind = jank_input_notes_find_kind (gdk_event_get_event_type (event));
  guint32 stamp_ms = gdk_event_get_time (event);
  GtkWindow *window;

  if (gdk_surface_get_display (surface) != gdk_display_get_default ())
    jank_input_notes_close ();
  else if (kind == JANK_INTERACTION_NONE)
    jank_input_notes_pass (gdk_event_get_event_type (event) == GDK_MOTION_NOTIFY, stamp_ms);
  else if (gdk_event_get_device_tool (event) != NULL || (window = jank_input_hook_find_window (surface)) == NULL ||
           jank_toplevels_is_inspector (window))
    jank_input_notes_close ();
  else
    jank_input_notes_take (kind, stamp_ms, gdk_surface_get_frame_clock (surface),
                           kind == JANK_INTERACTION_KEY ? gtk_window_get_focus (window) : NULL);
  return TRUE;
}

static gboolean
jank_input_hook_name_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  GtkWidget *widget = gtk_event_controller_get_widget (values[0].data[0].v_pointer);

  if (widget != NULL)
    jank_input_notes_name (widget);
  return TRUE;
}

/* An input method took a key. */
static gboolean
jank_input_hook_method_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  jank_input_notes_ask_method ();
  return TRUE;
}

void
jank_input_hook_start (const JankGtkHost *host)
{
  jank_input_notes_set_host (host);
  event_hook = jank_gtk_add_hook (GDK_TYPE_SURFACE, "event", jank_input_hook_event_cb, NULL);
  method_hook = jank_gtk_add_hook (GTK_TYPE_EVENT_CONTROLLER_KEY, "im-update", jank_input_hook_method_cb, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (naming); i++)
    naming_hooks[i] = jank_gtk_add_hook (naming[i].get_type (), naming[i].signal, jank_input_hook_name_cb, NULL);
}

void
jank_input_hook_stop (void)
{
  g_signal_remove_emission_hook (g_signal_lookup ("event", GDK_TYPE_SURFACE), event_hook);
  g_signal_remove_emission_hook (g_signal_lookup ("im-update", GTK_TYPE_EVENT_CONTROLLER_KEY), method_hook);
  for (guint i = 0; i < G_N_ELEMENTS (naming); i++)
    g_signal_remove_emission_hook (g_signal_lookup (naming[i].signal, naming[i].get_type ()), naming_hooks[i]);
  jank_input_notes_set_host (NULL);
}
