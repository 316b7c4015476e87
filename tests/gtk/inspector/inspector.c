/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inspector.h"

#include <string.h>
#include <glib/gstdio.h>

#define MAX_WAIT_MS 60000

GtkWindow *
inspector_find (void)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);

      if (g_str_equal (G_OBJECT_TYPE_NAME (window), "GtkInspectorWindow"))
        return window;
    }
  return NULL;
}

GtkWindow *
inspector_open (GtkWindow *of)
{
  g_autoptr (GSettings) settings = g_settings_new ("org.gtk.gtk4.Settings.Debug");
  gboolean is_handled;

  g_settings_set_boolean (settings, "enable-inspector-keybinding", TRUE);
  g_settings_set_boolean (settings, "inspector-warning", FALSE);
  g_signal_emit_by_name (of, "enable-debugging", FALSE, &is_handled);
  return inspector_find ();
}

void
inspector_close (void)
{
  gtk_window_set_interactive_debugging (FALSE);
}

GtkWidget *
inspector_find_widget (GtkWidget *in, const char *type)
{
  if (g_str_equal (G_OBJECT_TYPE_NAME (in), type))
    return in;
  for (GtkWidget *child = gtk_widget_get_first_child (in); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = inspector_find_widget (child, type);

      if (found != NULL)
        return found;
    }
  return NULL;
}

GtkWidget *
inspector_get_page (void)
{
  GtkWindow *window = inspector_find ();

  return window != NULL ? inspector_find_widget (GTK_WIDGET (window), "JankInspectorPage") : NULL;
}

void
inspector_show_tab (const char *name)
{
  GtkWidget *page = inspector_get_page ();

  gtk_stack_set_visible_child (GTK_STACK (gtk_widget_get_ancestor (page, GTK_TYPE_STACK)), page);
  gtk_stack_set_visible_child_name (GTK_STACK (inspector_find_widget (page, "GtkStack")), name);
}

GListModel *
inspector_get_stalls (void)
{
  GtkWidget *view = inspector_find_widget (inspector_get_page (), "GtkColumnView");

  return G_LIST_MODEL (gtk_column_view_get_model (GTK_COLUMN_VIEW (view)));
}

gboolean
inspector_is_planted (const char *culprit)
{
  return culprit != NULL &&
         (g_str_has_prefix (culprit, "stall_") || g_str_has_prefix (culprit, "split_") ||
          g_str_has_prefix (culprit, "sleep_"));
}

guint
inspector_count_stalls (const char *culprit)
{
  GListModel *stalls = inspector_get_stalls ();
  guint n = 0, count;

  for (guint i = 0; i < g_list_model_get_n_items (stalls); i++)
    {
      g_autoptr (GObject) stall = g_list_model_get_item (stalls, i);
      g_autofree char *shown = NULL, *kind = NULL;

      g_object_get (stall, "count", &count, "culprit", &shown, "kind", &kind, NULL);
      if (g_str_equal (kind, "stall") &&
          (culprit == NULL ? inspector_is_planted (shown) : g_str_equal (shown, culprit)))
        n += count;
    }
  return n;
}

char *
inspector_get_text (guint row, const char *property)
{
  g_autoptr (GObject) stall = g_list_model_get_item (inspector_get_stalls (), row);
  char *text = NULL;

  if (stall != NULL)
    g_object_get (stall, property, &text, NULL);
  return text != NULL ? text : g_strdup ("");
}

static gboolean
has_planted (gpointer n)
{
  return inspector_count_stalls (NULL) >= GPOINTER_TO_UINT (n);
}

void
inspector_await_stalls (guint n)
{
  if (run_until (has_planted, GUINT_TO_POINTER (n), MAX_WAIT_MS))
    return;
  for (guint i = 0; i < g_list_model_get_n_items (inspector_get_stalls ()); i++)
    {
      g_autofree char *time = inspector_get_text (i, "time"), *headline = inspector_get_text (i, "headline");

      g_test_message ("%s: %s", time, headline);
    }
  g_assert_cmpuint (inspector_count_stalls (NULL), >=, n);
}

void
inspector_install_editor (const char *folder)
{
  g_autofree char *applications = g_build_filename (folder, "applications", NULL);
  g_autofree char *entry = g_build_filename (applications, "gvim.desktop", NULL);
  g_autofree char *choice = g_build_filename (folder, "mimeapps.list", NULL);
  g_autofree char *program = g_build_filename (folder, "gvim", NULL);
  g_autofree char *script =
      g_strdup_printf ("#!/bin/sh\necho \"$@\" >%s/asked\nmv %s/asked %s/opened\n", folder, folder, folder);
  g_autofree char *entry_text = g_strdup_printf ("[Desktop Entry]\nType=Application\nName=Editor\nExec=%s %%f\n"
                                                 "MimeType=text/x-csrc;\n", program);
  g_autofree char *path = g_strconcat (folder, ":", g_getenv ("PATH"), NULL);

  g_assert_no_errno (g_mkdir (applications, 0700));
  g_assert_true (g_file_set_contents (program, script, -1, NULL));
  g_assert_no_errno (g_chmod (program, 0700));
  g_assert_true (g_file_set_contents (entry, entry_text, -1, NULL));
  g_assert_true (g_file_set_contents (choice, "[Default Applications]\ntext/x-csrc=gvim.desktop\n", -1, NULL));
  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  g_setenv ("PATH", path, TRUE);
}

void
inspector_set_dark (gboolean is_dark)
{
  GtkSettings *settings = gtk_settings_get_for_display (gtk_widget_get_display (inspector_get_page ()));

  /* Since 4.20 the other one is deprecated, and 4.24 warns of it. 2: dark; 3: light */
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (settings), "gtk-interface-color-scheme") != NULL)
    g_object_set (settings, "gtk-interface-color-scheme", is_dark ? 2 : 3, NULL);
  else
    g_object_set (settings, "gtk-application-prefer-dark-theme", is_dark, NULL);
}
