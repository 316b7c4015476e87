/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What sessions say together: two versions compared, the late frames of one, and the reports of a problem one by one. */

#include <string.h>
#include <gtk/gtk.h>

#include "folder.h"
#include "gtk/charts/jank-frame-chart-private.h"
#include "loop.h"
#include "report-fixture.h"
#include "test.h"
#include "view-find.h"

#define N_SESSIONS 8
#define NARROW_PX  360

static void
save (JankStore *store, const char *id, const char *culprit, const char *version, const char *session, gint64 duration_ms)
{
  g_autoptr (JankReport) report = report_fixture_new (id);
  g_autoptr (GError) error = NULL;

  jank_set_text (&report->fingerprint, culprit);
  jank_set_text (&report->culprit.function, culprit);
  jank_set_text (&report->app.name, "editor");
  jank_set_text (&report->app.version, version);
  jank_set_text (&report->session, session);
  report->repeats.count = 0;
  report->stall.duration_ns = duration_ms * JANK_NS_PER_MS;
  jank_store_write (store, report, &error);
  g_assert_no_error (error);
}

/* An hour of a program. late_ms: 0, or of its late frame */
static void
watch (const char *folder, const char *session, const char *version, gint late_ms)
{
  g_autofree char *name = g_strdup_printf ("%s-4242.json", session);
  g_autofree char *sessions = g_build_filename (folder, "sessions", NULL);
  g_autofree char *path = g_build_filename (sessions, name, NULL);
  g_autofree char *late = late_ms == 0 ? g_strdup ("") : g_strdup_printf (
    ", \"frame_clock\": {\"frames\": 100, \"active_ns\": 2000000000, \"refresh_ns\": 16666667, \"late_frames\": ["
    "{\"began_monotonic_ns\": 9000000000000, \"ended_monotonic_ns\": 9000100000000, \"interval_ns\": %d000000,"
    " \"dropped\": 6, \"busiest\": \"layout\", \"who\": \"program\"}]}", late_ms);
  g_autofree char *text = g_strdup_printf (
    "{\"schema\": \"jankwatch-session-1\", \"session\": \"%s\", \"pid\": 4242, \"app\": {\"name\": \"editor\", \"pid\": 4242,"
    " \"version\": \"%s\"}, \"began\": \"2026-11-21T15:00:00.000000Z\", \"hangs\": {\"watched_ns\": 3600000000000}%s}",
    session, version, late);
  g_autoptr (GError) error = NULL;

  g_mkdir_with_parents (sessions, 0700);
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

/* Both versions have a problem that is five times as slow in the second, and one that only the second has. */
static void
fill (const char *folder, JankStore *store)
{
  for (guint i = 0; i < 2 * N_SESSIONS; i++)
    {
      const char *version = i < N_SESSIONS ? "1.2" : "1.3";
      g_autofree char *session = g_strdup_printf ("s-%u", i);
      g_autofree char *id = g_strdup_printf ("20261121-15%02u12-4242-1", i);
      g_autofree char *other = g_strdup_printf ("20261121-15%02u12-4242-2", i);

      watch (folder, session, version, 0);
      save (store, id, "load_words", version, session, i < N_SESSIONS ? 100 + i : 500 + i);
      if (i >= N_SESSIONS)
        save (store, other, "draw_grid", version, session, 300);
    }
}

static gboolean
is_switch (GtkWidget *widget, gconstpointer text)
{
  return GTK_IS_TOGGLE_BUTTON (widget) && view_find (widget, view_is_label, text) != NULL;
}

static gboolean
is_entry (GtkWidget *widget, gconstpointer text)
{
  return GTK_IS_ENTRY (widget) && strstr (gtk_editable_get_text (GTK_EDITABLE (widget)), text) != NULL;
}

TEST (versions)
{
  g_autofree char *folder = folder_new ("view");
  JankStore *store = jank_store_new (folder, 1000, 1 << 28);
  g_autoptr (JankViewSource) source = jank_view_source_new_store (store, jank_filter_new ());
  GtkWidget *window, *entry;

  fill (folder, store);
  window = view_open (source, NARROW_PX);
  view_wait_for_text (window, "load_words");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (view_find (window, is_switch, "Compare")), TRUE);
  view_wait_for_text (window, "A: 8 sessions, watched for 8 h 0 min. B: 8 sessions");
  view_wait_for_text (window, "slower");
  view_wait_for_text (window, "in 0 of 8 and 8 of 8 sessions");
  g_assert_nonnull (view_find (window, view_is_label, "new"));
  g_assert_nonnull (view_find (window, view_is_label, "A –, B – 1/s, too few sessions"));
  g_assert_nonnull (view_find (window, view_is_label, "cannot tell"));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (view_get_rows (window))), ==, 8 + 2);
  g_assert_cmpint (gtk_widget_get_width (window), <=, NARROW_PX);

  entry = view_find (window, is_entry, "app-version=1.3");
  gtk_editable_set_text (GTK_EDITABLE (entry), "nonsense=1");
  g_signal_emit_by_name (entry, "activate");
  view_wait_for_text (window, "‘nonsense’ is not a filter");
  gtk_editable_set_text (GTK_EDITABLE (entry), "app=nobody");
  g_signal_emit_by_name (entry, "activate");
  view_wait_for_text (window, "No session of “jankwatch run” is in ‘B’");

  gtk_editable_set_text (GTK_EDITABLE (entry), "app=editor,app-version=1.3");
  g_signal_emit_by_name (entry, "activate");
  view_wait_for_text (window, "in 0 of 8 and 8 of 8 sessions");
  g_signal_emit_by_name (view_find (window, view_has_type, "GtkListView"), "activate", 8u);
  view_wait_for_text (window, "draw_grid() (demo.c:123) was computing");
  gtk_window_destroy (GTK_WINDOW (window));
  folder_remove (folder);
}

/* A class' bindings have no other way in. Returns: whether there is such a key */
static gboolean
press (GtkWidget *window, const char *key)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (window);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      for (guint k = 0; GTK_IS_SHORTCUT_CONTROLLER (controller) && k < g_list_model_get_n_items (G_LIST_MODEL (controller)); k++)
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

TEST (steps)
{
  g_autofree char *folder = folder_new ("view");
  JankStore *store = jank_store_new (folder, 100, 1 << 24);
  g_autoptr (JankViewSource) source = jank_view_source_new_store (store, jank_filter_new ());
  GtkWidget *window;

  save (store, "20261121-153012-4242-1", "load_words", "1", "s-1", 1100);
  save (store, "20261121-153013-4242-2", "load_words", "1", "s-1", 1300);
  save (store, "20261121-153014-4242-3", "load_words", "1", "s-1", 1200);
  window = view_open (source, 1100);
  view_wait_for_text (window, "stalled for 1.30 s");
  view_wait_for_text (window, "2 of 3");
  g_assert_true (press (window, "<Alt>Right"));
  view_wait_for_text (window, "stalled for 1.20 s");
  view_wait_for_text (window, "3 of 3");
  press (window, "<Alt>Right");
  run_ms (50);
  g_assert_nonnull (view_find (window, view_is_label, "3 of 3"));
  gtk_widget_activate_action (window, "report.older", NULL);
  gtk_widget_activate_action (window, "report.older", NULL);
  view_wait_for_text (window, "stalled for 1.10 s");
  g_assert_nonnull (view_find (window, view_is_label, "1 of 3"));
  press (window, "<Alt>Left");
  gtk_widget_set_direction (window, GTK_TEXT_DIR_RTL);
  g_assert_true (press (window, "<Alt>Left"));
  view_wait_for_text (window, "2 of 3");
  gtk_window_destroy (GTK_WINDOW (window));
  folder_remove (folder);
}

/* What the report knows, and, newer than that, what its session knows. */
TEST (frames)
{
  g_autofree char *folder = folder_new ("view");
  JankStore *store = jank_store_new (folder, 100, 1 << 24);
  g_autoptr (JankViewSource) source = jank_view_source_new_store (store, jank_filter_new ());
  GtkWidget *window, *chart;

  save (store, "20261121-153012-4242-1", "load_words", "1", "s-1", 1100);
  watch (folder, "s-1", "1", 120);
  window = view_open (source, 1100);
  view_wait_for_text (window, "Those on time are not kept");
  chart = view_find (window, view_has_type, "JankFrameChart");
  g_assert_nonnull (chart);
  g_assert_true (view_press (chart, GDK_KEY_End));
  view_wait_for_text (window, "Late, 120.0 ms instead of 16.7 ms; most of it layout");
  g_assert_true (view_press (chart, GDK_KEY_Left));
  g_assert_null (view_find (window, view_is_label, "120.0 ms instead"));
  g_assert_nonnull (view_find (window, view_is_label, " ms instead of 16.7 ms"));
  gtk_window_destroy (GTK_WINDOW (window));
  folder_remove (folder);
}

int
main (int argc, char **argv)
{
  gtk_init ();
  g_test_init (&argc, &argv, NULL);
  tests_add_all ("/view/compare");
  return g_test_run ();
}
