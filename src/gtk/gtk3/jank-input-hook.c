/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTK 3 emits an event from the widget that it is for, then from each of those around it until one handles it; a key
 * press from the window first. An event that a program makes or sends again is no interaction. Of a step of scrolling
 * GDK makes two events; the one of the kind that no widget below the pointer asked for goes to the window, and is
 * marked as emulated. */

#include "gtk/input/jank-input-hook-private.h"

#include "gtk/jank-toplevels-private.h"

/* Of the state of a key press that IBus or Fcitx did not want. */
#define GIVEN_BACK (1 << 25)

static gulong event_hook;
static guint snoopers[8], n_snoopers, n_methods;
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
  GdkWindow *window = gtk_widget_get_window (root);
  GdkFrameClock *clock = window != NULL ? gdk_window_get_frame_clock (window) : NULL;
  guint32 stamp_ms = gdk_event_get_time (event);

  jank_input_notes_close ();
  if (event->any.send_event || gdk_event_get_pointer_emulated ((GdkEvent *) event) ||
      gdk_event_get_device_tool (event) != NULL ||
      (GTK_IS_WINDOW (root) && jank_toplevels_is_inspector (GTK_WINDOW (root))))
    return;
  if (kind == JANK_INTERACTION_KEY)
    widget = GTK_IS_WINDOW (root) ? gtk_window_get_focus (GTK_WINDOW (root)) : NULL;
  if (kind == JANK_INTERACTION_KEY && (event->key.state & GIVEN_BACK) != 0 &&
      jank_input_notes_take_back (stamp_ms, clock, widget))
    return;
  jank_input_notes_take (kind, stamp_ms, clock, widget);
  if (kind == JANK_INTERACTION_KEY && jank_input_hook_may_write (widget, &event->key))
    jank_input_notes_ask_method ();
}

static void
jank_input_hook_see (GtkWidget *widget, GdkEvent *event)
{
  JankInteractionKind kind = jank_input_notes_find_kind (event->type);
  guint32 stamp_ms = gdk_event_get_time (event);

  if ((event->type == last_type && stamp_ms == last_ms) ||
      (kind == JANK_INTERACTION_SCROLL && gdk_event_get_pointer_emulated (event)))
    return;
  last_type = event->type;
  last_ms = stamp_ms;
  if (gtk_widget_get_display (widget) != gdk_display_get_default ())
    jank_input_notes_close ();
  else if (kind == JANK_INTERACTION_NONE)
    jank_input_notes_pass (event->type == GDK_MOTION_NOTIFY && !event->any.send_event, stamp_ms);
  else
    jank_input_hook_take (widget, event, kind);
}

static int
jank_input_hook_snoop_cb (GtkWidget *widget, GdkEventKey *event, gpointer data)
{
  jank_input_hook_see (widget, (GdkEvent *) event);
  return FALSE;
}

/* An input method that takes keys before any widget gets them asks for them when its first text gets the keyboard, and
 * GTK 3 asks the newest first. None is taken back before the end: one of them may be on its way. */
static void
jank_input_hook_come_first (void)
{
  guint n;

  g_free (g_type_children (GTK_TYPE_IM_CONTEXT, &n));
  if (n == n_methods || n_snoopers == G_N_ELEMENTS (snoopers))
    return;
  n_methods = n;
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  snoopers[n_snoopers++] = gtk_key_snooper_install (jank_input_hook_snoop_cb, NULL);
  G_GNUC_END_IGNORE_DEPRECATIONS
}

static gboolean
jank_input_hook_event_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  GdkEvent *event = values[1].data[0].v_pointer;

  jank_input_hook_see (values[0].data[0].v_pointer, event);
  if (event->type == GDK_FOCUS_CHANGE && event->focus_change.in)
    jank_input_notes_call_at_end (jank_input_hook_come_first);
  return TRUE;
}

void
jank_input_hook_start (const JankGtkHost *host)
{
  jank_input_notes_set_host (host);
  event_hook = jank_gtk_add_hook (GTK_TYPE_WIDGET, "event", jank_input_hook_event_cb, NULL);
  jank_input_hook_come_first ();
}

void
jank_input_hook_stop (void)
{
  g_signal_remove_emission_hook (g_signal_lookup ("event", GTK_TYPE_WIDGET), event_hook);
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  while (n_snoopers > 0)
    gtk_key_snooper_remove (snoopers[--n_snoopers]);
  G_GNUC_END_IGNORE_DEPRECATIONS
  n_methods = 0;
  jank_input_notes_set_host (NULL);
}
