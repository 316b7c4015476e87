/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One stall: the reports of a problem one by one, its source, and its bug's. */

#include <glib/gstdio.h>
#include <gtk/gtk.h>

#include "folder.h"
#include "gtk/charts/jank-frame-chart-private.h"
#include "loop.h"
#include "report-fixture.h"
#include "test.h"
#include "view-find.h"

static void
save (JankStore *store, const char *id, gint64 duration_ms)
{
  g_autoptr (JankReport) report = report_fixture_new (id);
  g_autoptr (GError) error = NULL;

  jank_set_text (&report->fingerprint, "load_words");
  jank_set_text (&report->culprit.function, "load_words");
  jank_set_text (&report->app.name, "editor");
  jank_set_text (&report->session, "s-1");
  report->repeats.count = 0;
  report->stall.duration_ns = duration_ms * JANK_NS_PER_MS;
  jank_store_write (store, report, &error);
  g_assert_no_error (error);
}

/* A class' bindings have no other way in. Returns: whether there is such a key */
static gboolean
press (GtkWidget *window, const char *key)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (window);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      for (guint k = 0; GTK_IS_SHORTCUT_CONTROLLER (controller) &&
           k < g_list_model_get_n_items (G_LIST_MODEL (controller)); k++)
        {
          g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (G_LIST_MODEL (controller), k);
          g_autofree char *trigger = gtk_shortcut_trigger_to_string (gtk_shortcut_get_trigger (shortcut));

          if (g_str_equal (trigger, key))
            return gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0, window,
                                                 gtk_shortcut_get_arguments (shortcut));
        }
    }
  return FALSE;
}

VIEW_TEST (steps)
{
  save (self->store, "20261121-153012-4242-1", 1100);
  save (self->store, "20261121-153013-4242-2", 1300);
  save (self->store, "20261121-153014-4242-3", 1200);
  self->window = view_open (self->source, 1100);
  view_wait_for_text (self->window, "stalled for 1.30\u00a0s");
  view_wait_for_text (self->window, "2 of 3");
  g_assert_true (press (self->window, "<Alt>Right"));
  view_wait_for_text (self->window, "stalled for 1.20\u00a0s");
  view_wait_for_text (self->window, "3 of 3");
  press (self->window, "<Alt>Right");
  run_ms (50);
  g_assert_nonnull (view_find (self->window, view_is_label, "3 of 3"));
  gtk_widget_activate_action (view_find (self->window, view_has_type, "JankViewBrowser"), "report.older", NULL);
  gtk_widget_activate_action (view_find (self->window, view_has_type, "JankViewBrowser"), "report.older", NULL);
  view_wait_for_text (self->window, "stalled for 1.10\u00a0s");
  g_assert_nonnull (view_find (self->window, view_is_label, "1 of 3"));
  press (self->window, "<Alt>Left");
  gtk_widget_set_direction (self->window, GTK_TEXT_DIR_RTL);
  g_assert_true (press (self->window, "<Alt>Left"));
  view_wait_for_text (self->window, "2 of 3");
}

/* The culprit's source as it is where the window was started. */
VIEW_TEST (source)
{
  g_autofree char *here = g_get_current_dir ();
  g_autofree char *file = g_build_filename (self->folder, "demo.c", NULL);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 1; i < 130; i++)
    g_string_append_printf (text, "/* %u */\n", i);
  g_file_set_contents (file, text->str, -1, NULL);
  save (self->store, "20261121-153012-4242-1", 1100);
  g_assert_cmpint (g_chdir (self->folder), ==, 0);
  self->window = view_open (self->source, 1100);
  view_wait_for_text (self->window, "stalled for 1.10\u00a0s");
  g_assert_nonnull (view_find (self->window, view_is_label, "demo.c:123"));
  g_assert_nonnull (view_find (self->window, view_is_label, ">  123  /* 123 */"));
  g_assert_cmpint (g_chdir (here), ==, 0);
}

static void
write_text (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL), *parent = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
}

/* The command's own way: a browser that writes down what it opens; then, where no tracker is known, the clipboard. */
VIEW_TEST (report_bug)
{
  g_autofree char *opened = g_build_filename (self->folder, "opened", NULL), *url = NULL;
  g_autofree char *browser = g_strdup_printf ("[Desktop Entry]\nType=Application\nName=Browser\nExec=%s/browser %%u\n"
                                              "MimeType=x-scheme-handler/https;\n", self->folder);
  g_autofree char *script = g_strdup_printf ("#!/bin/sh\nprintf %%s \"$1\" >'%s'\n", opened);

  g_setenv ("XDG_DATA_HOME", self->folder, TRUE);
  g_setenv ("XDG_DATA_DIRS", "/nonexistent", TRUE);
  g_setenv ("XDG_CONFIG_HOME", self->folder, TRUE);
  write_text (self->folder, "browser", script);
  write_text (self->folder, "applications/browser.desktop", browser);
  write_text (self->folder, "mimeapps.list", "[Default Applications]\nx-scheme-handler/https=browser.desktop\n");
  write_text (self->folder, "metainfo/org.jankwatch.Demo.metainfo.xml",
              "<component><url type=\"bugtracker\">https://github.com/a/b</url></component>");
  save (self->store, "20261121-153012-4242-1", 1100);
  self->window = view_open (self->source, 1100);
  view_wait_for_text (self->window, "stalled for 1.10\u00a0s");
  g_assert_true (press (self->window, "<Shift><Control>b"));
  view_wait_for_text (self->window, "The issue is in your browser");
  while (!g_file_get_contents (opened, &url, NULL, NULL) || *url == '\0')
    {
      g_clear_pointer (&url, g_free);
      run_ms (10);
    }
  g_assert_true (g_str_has_prefix (url, "https://github.com/a/b/issues/new?title="));
  g_assert_nonnull (strstr (url, "load_words"));

  write_text (self->folder, "metainfo/org.jankwatch.Demo.metainfo.xml", "<component/>");
  gtk_widget_activate_action (self->window, "view.report-bug", NULL);
  view_wait_for_text (self->window, "The issue is on the clipboard: the program names no bug tracker");
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_path_get_dirname (argv[1]), *path = g_strjoin (":", folder, g_getenv ("PATH"), NULL);

  g_setenv ("PATH", path, TRUE);
  gtk_init ();
  g_test_init (&argc, &argv, NULL);
  tests_add_all ("/view/stall");
  return g_test_run ();
}
