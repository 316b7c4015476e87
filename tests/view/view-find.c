/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view-find.h"

#include <string.h>

#include "folder.h"
#include "loop.h"

GtkWidget *
view_find (GtkWidget *in, ViewMatches matches, gconstpointer data)
{
  if (!gtk_widget_get_mapped (in))
    return NULL;
  if (matches (in, data))
    return in;
  for (GtkWidget *child = gtk_widget_get_first_child (in); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = view_find (child, matches, data);

      if (found != NULL)
        return found;
    }
  return NULL;
}

gboolean
view_is_label (GtkWidget *widget, gconstpointer text)
{
  return GTK_IS_LABEL (widget) && strstr (gtk_label_get_text (GTK_LABEL (widget)), text) != NULL;
}

gboolean
view_has_type (GtkWidget *widget, gconstpointer type)
{
  return g_str_equal (G_OBJECT_TYPE_NAME (widget), type);
}

typedef struct { GtkWidget *window; const char *text; } Sight;

static gboolean
is_seen (gpointer data)
{
  const Sight *sight = data;

  return view_find (sight->window, view_is_label, sight->text) != NULL;
}

void
view_wait_for_text (GtkWidget *window, const char *text)
{
  Sight sight = { window, text };

  if (!run_until (is_seen, &sight, VIEW_WAIT_MS))
    g_error ("the window does not show ‘%s’", text);
}

GtkSelectionModel *
view_get_rows (GtkWidget *window)
{
  GtkWidget *list = view_find (window, view_has_type, "GtkListView");

  g_assert_nonnull (list);
  return gtk_list_view_get_model (GTK_LIST_VIEW (list));
}

GtkWidget *
view_open (JankViewSource *source, int width)
{
  GtkWidget *window = GTK_WIDGET (jank_view_window_new (NULL, source));

  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  gtk_window_set_default_size (GTK_WINDOW (window), width, 700);
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

gboolean
view_press (GtkWidget *widget, guint keyval)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);
  gboolean is_done = FALSE;

  for (guint i = 0; i < g_list_model_get_n_items (controllers) && !is_done; i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_KEY (controller))
        g_signal_emit_by_name (controller, "key-pressed", keyval, 0, 0, &is_done);
    }
  return is_done;
}

void
view_set_up (View *self, gconstpointer data)
{
  self->folder = folder_new ("view");
  self->store = jank_store_new (self->folder, 100, 1 << 24);
  self->source = jank_view_source_new_store (self->store, jank_filter_new ());
}

void
view_tear_down (View *self, gconstpointer data)
{
  gtk_window_destroy (GTK_WINDOW (self->window));
  jank_view_source_unref (self->source);
  folder_remove (self->folder);
  g_free (self->folder);
}
