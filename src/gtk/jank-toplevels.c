/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTK 4 has a model of its windows. GTK 3 has none, but a window is realised before it is drawn. */

#include "gtk/jank-toplevels-private.h"

typedef gboolean (*IsWanted) (GtkWindow *window, gpointer data);

static gulong handler; /* GTK 4: on the model; GTK 3: an emission hook */
static JankToplevelFunc watcher;

#if GTK_MAJOR_VERSION >= 4

/* The list's reference keeps it alive while GTK's thread is here. */
static GtkWindow *
jank_toplevels_get_window (guint i)
{
  g_autoptr (GtkWindow) window = g_list_model_get_item (gtk_window_get_toplevels (), i);

  return window;
}

/* Returns: (transfer none) (nullable): the first window that is wanted */
static GtkWindow *
jank_toplevels_find_wanted (IsWanted is_wanted, gpointer data)
{
  for (guint i = 0; i < g_list_model_get_n_items (gtk_window_get_toplevels ()); i++)
    {
      GtkWindow *window = jank_toplevels_get_window (i);

      if (is_wanted (window, data))
        return window;
    }
  return NULL;
}

static void
jank_toplevels_items_changed_cb (GListModel *model, guint position, guint n_removed, guint n_added, gpointer data)
{
  for (guint i = position; i < position + n_added; i++)
    watcher (jank_toplevels_get_window (i));
}

static void
jank_toplevels_connect (void)
{
  handler = g_signal_connect (gtk_window_get_toplevels (), "items-changed",
                              G_CALLBACK (jank_toplevels_items_changed_cb), NULL);
}

void
jank_toplevels_unwatch (void)
{
  g_clear_signal_handler (&handler, gtk_window_get_toplevels ());
}

#else

static GtkWindow *
jank_toplevels_find_wanted (IsWanted is_wanted, gpointer data)
{
  GList *windows = gtk_window_list_toplevels ();
  GtkWindow *found = NULL;

  for (GList *l = windows; l != NULL && found == NULL; l = l->next)
    if (is_wanted (l->data, data))
      found = l->data;
  g_list_free (windows);
  return found;
}

static gboolean
jank_toplevels_realize_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  GtkWidget *widget = g_value_get_object (values);

  if (GTK_IS_WINDOW (widget))
    watcher (GTK_WINDOW (widget));
  return TRUE;
}

static void
jank_toplevels_connect (void)
{
  handler = jank_gtk_add_hook (GTK_TYPE_WIDGET, "realize", jank_toplevels_realize_cb, NULL);
}

void
jank_toplevels_unwatch (void)
{
  if (handler != 0)
    g_signal_remove_emission_hook (g_signal_lookup ("realize", GTK_TYPE_WIDGET), handler);
  handler = 0;
}

#endif

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

static gboolean
jank_toplevels_has_clock (GtkWindow *window, gpointer gdk)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (window));

  return surface != NULL && gdk_surface_get_frame_clock (surface) == gdk;
}

GtkWindow *
jank_toplevels_find (GdkFrameClock *gdk)
{
  return jank_toplevels_find_wanted (jank_toplevels_has_clock, gdk);
}

static gboolean
jank_toplevels_is_active (GtkWindow *window, gpointer data)
{
  return gtk_window_is_active (window) && !jank_toplevels_is_inspector (window);
}

GtkWindow *
jank_toplevels_find_active (void)
{
  return jank_toplevels_find_wanted (jank_toplevels_is_active, NULL);
}

static gboolean
jank_toplevels_call (GtkWindow *window, gpointer func)
{
  ((JankToplevelFunc) func) (window);
  return FALSE;
}

void
jank_toplevels_foreach (JankToplevelFunc func)
{
  jank_toplevels_find_wanted (jank_toplevels_call, (gpointer) func);
}

void
jank_toplevels_watch (JankToplevelFunc func)
{
  watcher = func;
  if (handler == 0)
    jank_toplevels_connect ();
  jank_toplevels_foreach (func);
}
