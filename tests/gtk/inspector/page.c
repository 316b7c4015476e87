/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "page.h"

#include "folder.h"

JankMonitor *monitor;
GtkWindow *window;
char *store;
const char *const tabs[N_TABS] = { "frames", "stalls", "settings" };

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  gtk_widget_queue_draw (widget);
  return G_SOURCE_CONTINUE;
}

void
page_open (const char *tab)
{
  inspector_open (window);
  g_assert_nonnull (inspector_get_page ());
  inspector_show_tab (tab);
  run_ms (300);
}

gpointer
page_get_part (const char *type, const char *name)
{
  GtkWidget *widget = inspector_find_widget (inspector_get_page (), type);

  return gtk_widget_get_template_child (widget, G_OBJECT_TYPE (widget), name);
}

static gint n_told; /* (atomic): reports of what was planted, while it lasts */

static void
told_cb (JankReport *report, gpointer data)
{
  if (inspector_is_planted (jank_report_get_culprit (report)))
    g_atomic_int_inc (&n_told);
}

/* The first may have been made before. */
void
sleep_until_told (void)
{
  gint n = g_atomic_int_get (&n_told) + 2;

  AWAIT (g_atomic_int_get (&n_told) >= n, g_usleep (10000));
}

static gboolean
stall_cb (gpointer data)
{
  void (*func) (int64_t) = (void (*) (int64_t)) data;
  gint n = g_atomic_int_get (&n_told) + 1;

  func (INSPECTOR_STALL_MS * MS);
  AWAIT (g_atomic_int_get (&n_told) >= n, func (INSPECTOR_STALL_MS * MS));
  return G_SOURCE_REMOVE;
}

void
page_stall (void (*func) (int64_t duration_ns))
{
  guint n = inspector_count_stalls (NULL);

  jank_monitor_set_threshold_ms (monitor, 100);
  g_idle_add (stall_cb, func);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  inspector_await_stalls (n + 1);
}

/* One of the machine's that comes again is the newest, in a row further down. */
static gboolean
is_newest_planted (void)
{
  g_autofree char *headline = inspector_get_text (0, "headline"), *culprit = inspector_get_text (0, "culprit");

  return inspector_is_planted (culprit) &&
         g_str_equal (gtk_label_get_text (page_get_part ("JankInspectorStallView", "headline")), headline);
}

void
page_stall_as_newest (void (*func) (int64_t duration_ns))
{
  do
    {
      page_stall (func);
      /* What the machine delays from now on is no stall. */
      jank_monitor_set_threshold_ms (monitor, 60000);
      run_ms (200);
    }
  while (!is_newest_planted ());
}

static void
start (void)
{
  g_autoptr (GError) error = NULL;

  window = GTK_WINDOW (gtk_window_new ());
  gtk_window_set_title (window, "Watched");
  gtk_window_set_default_size (window, 300, 200);
  gtk_window_set_child (window, gtk_label_new ("Watched"));
  gtk_widget_add_tick_callback (GTK_WIDGET (window), tick_cb, NULL, NULL);
  gtk_window_present (window);
  monitor = jank_monitor_new ();
  g_assert_true (jank_monitor_set_setting (monitor, "store", store, &error));
  jank_monitor_set_ongoing_func (monitor, told_cb, NULL, NULL);
  g_assert_true (jank_monitor_start (monitor, &error));
  run_ms (1500);
}

int
page_main (int argc, char **argv, const char *path)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  store = folder_new ("jankwatch-inspector");
  g_setenv ("XDG_CONFIG_HOME", store, TRUE);
  inspector_install_editor (store);
  gtk_init ();
  demo_dbus_start ();
  start ();
  tests_add_all (path);
  status = g_test_run ();
  jank_monitor_stop (monitor);
  g_object_unref (monitor);
  folder_remove (store);
  g_free (store);
  return status;
}

void __lsan_disable (void) __attribute__ ((weak));
void __lsan_enable (void) __attribute__ ((weak));

void
page_keep_leaks_of_others (gboolean keep)
{
  if (keep && __lsan_disable != NULL)
    __lsan_disable ();
  else if (!keep && __lsan_enable != NULL)
    __lsan_enable ();
}
