/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A shortcut controller would show up among the window's, a class shortcut runs after the focused widget, and GDK has
 * no event filters. Every key press arrives at GdkSurface::event, before GTK sees it.
 *
 * An emission hook on that signal sees the event first but cannot stop the emission. So the hook blocks the surface's
 * other handlers for this emission, and our own handler, connected at an earlier key press (Control comes before J),
 * unblocks them and stops the event. Without that handler the key still works, but the program sees it too. */

#include "gtk/overlay/jank-overlay-private.h"

#define MAX_BLOCKED 16

static guint keyval;
static GdkModifierType modifiers;
static void (*pressed_func) (void);
static gulong hook_id;
static guint event_signal;
static GQuark handler_quark;

/* during the emission that is swallowed */
static GdkSurface *swallowing; /* (unowned) (nullable) */
static gulong blocked[MAX_BLOCKED];
static guint n_blocked;

static gboolean
jank_overlay_key_event_cb (GdkSurface *surface, gpointer event, gpointer data)
{
  if (swallowing != surface)
    return GDK_EVENT_PROPAGATE;
  swallowing = NULL;
  for (guint i = 0; i < n_blocked; i++)
    if (g_signal_handler_is_connected (surface, blocked[i]))
      g_signal_handler_unblock (surface, blocked[i]);
  pressed_func ();
  return GDK_EVENT_STOP;
}

static void
jank_overlay_key_block_others (GdkSurface *surface, gulong handler)
{
  gulong id;

  swallowing = surface;
  n_blocked = 0;
  g_signal_handler_block (surface, handler);
  while (n_blocked < MAX_BLOCKED &&
         (id = g_signal_handler_find (surface, G_SIGNAL_MATCH_ID | G_SIGNAL_MATCH_UNBLOCKED, event_signal, 0,
                                      NULL, NULL, NULL)) != 0)
    {
      g_signal_handler_block (surface, id);
      blocked[n_blocked++] = id;
    }
  g_signal_handler_unblock (surface, handler);
}

static gboolean
jank_overlay_key_event_hook_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  GdkSurface *surface = g_value_get_object (&values[0]);
  GdkEvent *event = g_value_peek_pointer (&values[1]);
  gulong handler;

  if (gdk_event_get_event_type (event) != GDK_KEY_PRESS)
    return TRUE;
  handler = GPOINTER_TO_SIZE (g_object_get_qdata (G_OBJECT (surface), handler_quark));
  if (gdk_key_event_matches (event, keyval, modifiers) == GDK_KEY_MATCH_EXACT)
    {
      if (handler != 0)
        jank_overlay_key_block_others (surface, handler);
      else
        pressed_func ();
    }
  else if (handler == 0)
    {
      handler = g_signal_connect (surface, "event", G_CALLBACK (jank_overlay_key_event_cb), NULL);
      g_object_set_qdata (G_OBJECT (surface), handler_quark, GSIZE_TO_POINTER (handler));
    }
  return TRUE;
}

void
jank_overlay_key_start (const char *accelerator, void (*pressed) (void))
{
  pressed_func = pressed;
  handler_quark = g_quark_from_static_string ("jankwatch-key");
  if (hook_id == 0 && gtk_accelerator_parse (accelerator, &keyval, &modifiers) && keyval != 0)
    hook_id = jank_gtk_add_hook (GDK_TYPE_SURFACE, "event", jank_overlay_key_event_hook_cb, NULL);
  event_signal = g_signal_lookup ("event", GDK_TYPE_SURFACE);
}

void
jank_overlay_key_stop (void)
{
  if (hook_id != 0)
    g_signal_remove_emission_hook (event_signal, hook_id);
  hook_id = 0;
}
