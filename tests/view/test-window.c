/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The window: its rows are the problems, a chosen one shows its report, what is no report is a line, and it fits into a
 * narrow screen. */

#include <gtk/gtk.h>

#include "folder.h"
#include "gtk/charts/jank-flame-graph-private.h"
#include "loop.h"
#include "report-fixture.h"
#include "test.h"
#include "view-find.h"
#include "view/jank-view-private.h"

#define NARROW_PX 360

/* The list is one stop, however many rows it has. */
static void
check_tab (GtkWidget *window)
{
  GtkWidget *list = view_find (window, view_has_type, "GtkListView"), *focus;

  g_assert_true (gtk_widget_child_focus (list, GTK_DIR_TAB_FORWARD));
  g_assert_true (view_press (list, GDK_KEY_Tab));
  focus = gtk_root_get_focus (GTK_ROOT (window));
  g_assert_true (focus != NULL && gtk_widget_get_ancestor (focus, g_type_from_name ("JankInspectorStallView")) != NULL);
  g_assert_true (gtk_widget_child_focus (list, GTK_DIR_TAB_FORWARD));
  g_assert_true (view_press (list, GDK_KEY_ISO_Left_Tab));
  focus = gtk_root_get_focus (GTK_ROOT (window));
  g_assert_nonnull (gtk_widget_get_ancestor (focus, GTK_TYPE_SEARCH_ENTRY));
  g_assert_false (view_press (list, GDK_KEY_Down));
}

static void
save_of (JankStore *store, const char *id, const char *culprit, const char *app)
{
  g_autoptr (JankReport) report = report_fixture_new (id);
  g_autoptr (GError) error = NULL;

  jank_set_text (&report->fingerprint, culprit);
  jank_set_text (&report->culprit.function, culprit);
  jank_set_text (&report->app.name, app);
  jank_store_write (store, report, &error);
  g_assert_no_error (error);
}

static void
save (JankStore *store, const char *id, const char *culprit)
{
  save_of (store, id, culprit, "demo");
}

static void
write_bad (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, "{\"bro", -1, &error);
  g_assert_no_error (error);
}

VIEW_TEST (store)
{
  GtkWidget *search;

  save (self->store, "20261121-153012-4242-1", "compute_primes");
  save (self->store, "20261121-153012-4242-2", "compute_primes");
  save (self->store, "20261121-153012-4242-3", "load_words");
  write_bad (self->folder, "20261121-153012-4242-4.json");
  self->window = view_open (self->source, 1100);
  view_wait_for_text (self->window, "compute_primes");
  view_wait_for_text (self->window, "20261121-153012-4242-4");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (view_get_rows (self->window))), ==, 2);

  gtk_selection_model_select_item (view_get_rows (self->window), 1, TRUE);
  view_wait_for_text (self->window, "load_words() (demo.c:123) was computing");
  g_assert_nonnull (view_find (self->window, view_has_type, "JankFlameGraph"));
  g_assert_nonnull (view_find (self->window, view_has_type, "JankSampleStrip"));
  check_tab (self->window);

  search = view_find (self->window, view_has_type, "GtkSearchEntry");
  gtk_editable_set_text (GTK_EDITABLE (search), "PRIMES");
  view_wait_for_text (self->window, "compute_primes() (demo.c:123) was computing");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (view_get_rows (self->window))), ==, 1);
  gtk_editable_set_text (GTK_EDITABLE (search), "no such");
  view_wait_for_text (self->window, "No Matching Problems");

}

TEST (files)
{
  g_autofree char *folder = folder_new ("view");
  g_autofree char *good = g_build_filename (folder, "20261121-153012-4242-1.json", NULL);
  g_autofree char *bad = g_build_filename (folder, "bad.json", NULL);
  g_autofree char *missing = g_build_filename (folder, "missing.json", NULL);
  char *paths[] = { bad, good, missing, folder, (char *) "/dev/zero", NULL };
  g_autoptr (JankStore) store = jank_store_new (folder, 100, 1 << 24);
  g_autoptr (JankViewSource) source = jank_view_source_new_files (paths);
  g_autoptr (JankReport) report = report_fixture_new ("20261121-153012-4242-1");
  GtkWidget *window;

  /* Its file says what the debug information of its own machine said. */
  jank_set_text (&report->culprit.function, "named_elsewhere");
  jank_set_text (&report->culprit.inlined_into, "compute_primes");
  jank_store_write (store, report, NULL);
  write_bad (folder, "bad.json");
  window = view_open (source, NARROW_PX);
  view_wait_for_text (window, "compute_primes");
  view_wait_for_text (window, "bad.json");
  view_wait_for_text (window, "1 more file");
  g_assert_null (view_find (window, view_is_label, "named_elsewhere"));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (view_get_rows (window))), ==, 1);
  g_assert_cmpint (gtk_widget_get_width (window), <=, NARROW_PX);
  gtk_window_destroy (GTK_WINDOW (window));
  folder_remove (folder);
}

static void
activate (GtkWidget *window, guint row)
{
  g_signal_emit_by_name (view_find (window, view_has_type, "GtkListView"), "activate", row);
}

static gboolean
can_go_back (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_BUTTON (widget) &&
      g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)), "view.back") == 0;
}

/* The row of the program whose stall is shown, until the pointer is above another, and again when it leaves. */
VIEW_TEST (programs)
{
  g_autoptr (GListModel) controllers = NULL;
  GtkSelectionModel *rows;

  save_of (self->store, "20261121-153012-4242-1", "load_words", "editor");
  save_of (self->store, "20261121-153012-4242-2", "compute_primes", "calculator");
  save_of (self->store, "20261121-153013-4242-3", "compute_primes", "calculator");
  self->window = view_open (self->source, 1100);
  view_wait_for_text (self->window, "compute_primes() (demo.c:123) was computing");
  rows = view_get_rows (self->window);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (rows)), ==, 3);
  g_assert_true (gtk_selection_model_is_selected (rows, 1));
  g_assert_false (gtk_selection_model_is_selected (rows, 0));

  gtk_selection_model_select_item (rows, 2, TRUE);
  controllers = gtk_widget_observe_controllers (view_find (self->window, view_has_type, "GtkListView"));
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_MOTION (controller))
        g_signal_emit_by_name (controller, "leave");
    }
  g_assert_true (gtk_selection_model_is_selected (rows, 1));
}

/* Programs, problems, one stall, each alone; and back. */
VIEW_TEST (narrow)
{
  save_of (self->store, "20261121-153012-4242-1", "compute_primes", "calculator");
  save_of (self->store, "20261121-153012-4242-2", "load_words", "editor");
  self->window = view_open (self->source, NARROW_PX);
  view_wait_for_text (self->window, "All Programs");
  g_assert_null (view_find (self->window, can_go_back, NULL));
  g_assert_null (view_find (self->window, view_is_label, "load_words"));
  activate (self->window, 1);
  view_wait_for_text (self->window, " stalls, ");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (view_get_rows (self->window))), ==, 1);
  g_assert_nonnull (view_find (self->window, can_go_back, NULL));
  activate (self->window, 0);
  view_wait_for_text (self->window, " was computing");
  /* A window knows that it is narrow when it is laid out. */
  AWAIT (view_find (self->window, view_has_type, "GtkListView") == NULL, run_ms (10));
  g_assert_cmpint (gtk_widget_get_width (self->window), <=, NARROW_PX);
  gtk_widget_activate_action (self->window, "view.back", NULL);
  g_assert_nonnull (view_find (self->window, view_has_type, "GtkListView"));
  gtk_widget_activate_action (self->window, "view.back", NULL);
  view_wait_for_text (self->window, "All Programs");
  g_assert_null (view_find (self->window, can_go_back, NULL));
}

VIEW_TEST (nothing)
{
  self->window = view_open (self->source, 800);
  view_wait_for_text (self->window, "No Reports Found");
}

int
main (int argc, char **argv)
{
  gtk_init ();
  g_test_init (&argc, &argv, NULL);
  tests_add_all ("/view/window");
  return g_test_run ();
}
