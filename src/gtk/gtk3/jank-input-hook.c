/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTK 3 emits an event from the widget that it is for, then from each of those around it until one handles it; a key
 * press from the window first. An event that a program makes or sends again is no interaction. Of a step of scrolling
 * GDK makes two events; the one of the kind that no widget below the pointer asked for goes to the window, and is
 * marked as emulated. */

#include "gtk/input/jank-input-hook-private.h"

#include "gtk/input/jank-input-notes-private.h"
#include "gtk/jank-shown-hook-private.h"
#include "gtk/jank-toplevels-private.h"

static gulong event_hook;
static GdkEventType last_type; /* of the last one that was looked at */
static guint32 last_ms;

/* Whether a text may get a character, which is looked at for that alone. */
static gboolean
jank_input_hook_may_write (GtkWidget *focus, const GdkEventKey *event)
{
  return (GTK_IS_EDITABLE (focus) || GTK_IS_TEXT_VIEW (focus)) && gdk_keyval_to_unicode (event->keyval) >= ' ' &&
         (event->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)) == 0;
}

static void
jank_input_hook_take (GtkWidget *widget, const GdkEvent *event, JankInteractionKind kind)
{
  GtkWidget *root = gtk_widget_get_toplevel (widget);
  GdkWindow *gdk = gtk_widget_get_window (root);

  jank_input_notes_close ();
  if (event->any.send_event || gdk_event_get_pointer_emulated ((GdkEvent *) event) ||
      gdk_event_get_device_tool (event) != NULL ||
      (GTK_IS_WINDOW (root) && jank_toplevels_is_inspector (GTK_WINDOW (root))))
    return;
  if (kind == JANK_INTERACTION_KEY)
    widget = GTK_IS_WINDOW (root) ? gtk_window_get_focus (GTK_WINDOW (root)) : NULL;
  jank_input_notes_take (kind, gdk_event_get_time (event), gdk != NULL ? gdk_window_get_frame_clock (gdk) : NULL,
                         widget);
  if (kind == JANK_INTERACTION_KEY && jank_input_hook_may_write (widget, &event->key))
    jank_input_notes_ask_method ();
}

static gboolean
jank_input_hook_event_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  GtkWidget *widget = values[0].data[0].v_pointer;
  const GdkEvent *event = values[1].data[0].v_pointer;
  JankInteractionKind kind = jank_input_notes_find_kind (event->type);
  guint32 stamp_ms = gdk_event_get_time (event);

  if ((event->type == last_type && stamp_ms == last_ms) ||
      (kind == JANK_INTERACTION_SCROLL && gdk_event_get_pointer_emulated ((GdkEvent *) event)))
    return TRUE;
  last_type = event->type;
  last_ms = stamp_ms;
  jank_shown_hook_take (event->type);
  if (gtk_widget_get_display (widget) != gdk_display_get_default ())
    jank_input_notes_close ();
  else if (kind == JANK_INTERACTION_NONE)
    jank_input_notes_pass (event->type == GDK_MOTION_NOTIFY && !event->any.send_event, stamp_ms);
  else
    jank_input_hook_take (widget, event, kind);
  return TRUE;
}

void
jank_input_hook_start (const JankGtkHost *host)
{
  jank_input_notes_set_host (host);
  event_hook = jank_gtk_add_hook (GTK_TYPE_WIDGET, "event", jank_input_hook_event_cb, NULL);
}

void
jank_input_hook_stop (void)
{
  g_signal_remove_emission_hook (g_signal_lookup ("event", GTK_TYPE_WIDGET), event_hook);
  jank_input_notes_set_host (NULL);
}
