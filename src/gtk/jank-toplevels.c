/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gtk/jank-toplevels-private.h"

static gulong items_handler;
static JankToplevelFunc watcher;

gboolean
jank_toplevels_is_inspector (GtkWindow *window)
{
  for (guint depth = 0; window != NULL && depth < 8; depth++)
    {
      if (g_str_has_prefix (G_OBJECT_TYPE_NAME (window), "GtkInspector"))
        return TRUE;
      window = gtk_window_get_transient_for (window);
    }
  return FALSE;
}

/* The list's reference keeps it alive while GTK's thread is here. */
static GtkWindow *
get_window (guint i)
{
  g_autoptr (GtkWindow) window = g_list_model_get_item (gtk_window_get_toplevels (), i);

  return window;
}

static guint
count_windows (void)
{
  return g_list_model_get_n_items (gtk_window_get_toplevels ());
}

GtkWindow *
jank_toplevels_find (GdkFrameClock *gdk)
{
  for (guint i = 0; i < count_windows (); i++)
    {
      GtkWindow *window = get_window (i);
      GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (window));

      if (surface != NULL && gdk_surface_get_frame_clock (surface) == gdk)
        return window;
    }
  return NULL;
}

GtkWindow *
jank_toplevels_find_active (void)
{
  for (guint i = 0; i < count_windows (); i++)
    {
      GtkWindow *window = get_window (i);

      if (gtk_window_is_active (window) && !jank_toplevels_is_inspector (window))
        return window;
    }
  return NULL;
}

void
jank_toplevels_foreach (JankToplevelFunc func)
{
  for (guint i = 0; i < count_windows (); i++)
    func (get_window (i));
}

static void
items_changed_cb (GListModel *model, guint position, guint n_removed, guint n_added, gpointer data)
{
  for (guint i = position; i < position + n_added; i++)
    watcher (get_window (i));
}

void
jank_toplevels_watch (JankToplevelFunc func)
{
  watcher = func;
  if (items_handler == 0)
    items_handler = g_signal_connect (gtk_window_get_toplevels (), "items-changed",
                                      G_CALLBACK (items_changed_cb), NULL);
  jank_toplevels_foreach (func);
}

void
jank_toplevels_unwatch (void)
{
  g_clear_signal_handler (&items_handler, gtk_window_get_toplevels ());
}
