/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The window with 10,000 reports: when it is there, and that the loop goes on while they are read, filtered and stepped
 * through. argv[1]: the program that makes them, argv[2]: how many. */

#include <gtk/gtk.h>

#include "base/jank-clock-private.h"
#include "folder.h"
#include "loop.h"
#include "view-find.h"

#define N_PROBLEMS 100
#define N_PROGRAMS 5

static const char *make_many, *n_reports;

typedef struct
{
  gint64 began_us, painted_us; /* by the clock */
  gint64 last_ns, longest_ns;  /* CPU time of this thread between two turns of the loop */
} Times;

static void
painted_cb (GdkFrameClock *clock, Times *times)
{
  if (times->painted_us == 0)
    times->painted_us = g_get_monotonic_time ();
}

static gboolean
is_painted (gpointer data)
{
  return ((Times *) data)->painted_us > 0;
}

static gboolean
tick_cb (gpointer data)
{
  Times *times = data;
  gint64 now_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);

  times->longest_ns = MAX (times->longest_ns, now_ns - times->last_ns);
  times->last_ns = now_ns;
  return G_SOURCE_CONTINUE;
}

static gint
since_ms (const Times *times)
{
  return (gint) ((g_get_monotonic_time () - times->began_us) / 1000);
}

static void
use (GtkWidget *window, Times *times)
{
  GtkWidget *search;
  GtkWidget *browser = view_find (window, view_has_type, "JankViewBrowser");
  GListModel *rows;

  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (view_get_rows (window))), ==, 1 + N_PROGRAMS);
  g_signal_emit_by_name (view_find (window, view_has_type, "GtkListView"), "activate", 0);
  search = view_find (window, view_has_type, "GtkSearchEntry");
  rows = G_LIST_MODEL (view_get_rows (window));
  g_assert_cmpuint (g_list_model_get_n_items (rows), ==, N_PROBLEMS);
  gtk_editable_set_text (GTK_EDITABLE (search), "problem_07");
  view_wait_for_text (window, "problem_07() ");
  g_assert_cmpuint (g_list_model_get_n_items (rows), ==, 1);
  for (guint i = 0; i < 20; i++)
    gtk_widget_activate_action (browser, "report.older", NULL);
  view_wait_for_text (window, "problem_07() ");
}

static void
test_many (void)
{
  g_autofree char *folder = folder_new ("view");
  const char *argv[] = { make_many, folder, n_reports, NULL };
  g_autoptr (GError) error = NULL;
  gint status;

  g_spawn_sync (NULL, (char **) argv, NULL, 0, NULL, NULL, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
  for (guint i = 0; i < 2; i++)
    {
      JankStore *store = jank_store_new (folder, 1000000, G_GINT64_CONSTANT (1) << 40);
      g_autoptr (JankViewSource) source = jank_view_source_new_store (store, jank_filter_new ());
      Times times = { .began_us = g_get_monotonic_time (),
                      .last_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) };
      guint timer = g_timeout_add (5, tick_cb, &times);
      GtkWidget *window = view_open (source, 1100);
      GdkFrameClock *clock = gtk_widget_get_frame_clock (window);

      g_signal_connect (clock, "after-paint", G_CALLBACK (painted_cb), &times);
      g_assert_true (run_until (is_painted, &times, VIEW_WAIT_MS));
      view_wait_for_text (window, " of ");
      g_test_message ("%s reports, %s: first paint after %d ms, list after %d ms", n_reports,
                      i == 0 ? "not indexed" : "indexed", (gint) ((times.painted_us - times.began_us) / 1000),
                      since_ms (&times));
      use (window, &times);
      g_test_message ("no turn of the loop took more than %d ms of CPU time",
                      (gint) (times.longest_ns / JANK_NS_PER_MS));
      g_signal_handlers_disconnect_by_data (clock, &times);
      g_source_remove (timer);
      gtk_window_destroy (GTK_WINDOW (window));
    }
  folder_remove (folder);
}

int
main (int argc, char **argv)
{
  gtk_init ();
  g_test_init (&argc, &argv, NULL);
  make_many = argv[1];
  n_reports = argv[2];
  g_test_add_func ("/view/many", test_many);
  return g_test_run ();
}
