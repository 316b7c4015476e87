/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page as a whole: it comes and goes, costs the program nothing, and outlives the monitor. */

#include "page.h"

#include <string.h>

#include "gtk/inspector/jank-inspector-parts-private.h"

#define BRIEF_MS 60
#define N_TIMES 60 /* that the page is opened: what stays of one, stays of the first */

/* Returns: (transfer none) (nullable): the text of a label in widget that begins so */
static const char *
find_text (GtkWidget *widget, const char *prefix)
{
  if (GTK_IS_LABEL (widget) && g_str_has_prefix (gtk_label_get_text (GTK_LABEL (widget)), prefix))
    return gtk_label_get_text (GTK_LABEL (widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child =
       gtk_widget_get_next_sibling (child))
    {
      const char *text = find_text (child, prefix);

      if (text != NULL)
        return text;
    }
  return NULL;
}

/* Whether it tells of a machine that had no CPU for the program, its X server or its watcher, and not of what was
 * planted: by the verdict, whatever its words. */
static gboolean
is_the_machines (GObject *stall)
{
  const JankInspectorStall *self = (const JankInspectorStall *) stall;
  const JankReportVerdict *verdict = self->report->verdict;

  return !inspector_is_planted (self->culprit) &&
         (self->report->stall.state_ns[JANK_STATE_PREEMPTED] > self->report->stall.duration_ns / 4 ||
          verdict->kind == JANK_VERDICT_STARVED_MACHINE || verdict->doing == JANK_VERDICT_UNKNOWN ||
          verdict->doing == JANK_VERDICT_KERNEL || (self->wait != NULL && strstr (self->wait, "Xvfb") != NULL));
}

/* Opening the inspector for the first time takes GTK longer than a stall; that, and what it draws, is nobody's fault.
 * Startup has been reported already. So this comes first. */
TEST (own_time)
{
  gint64 began_us = g_get_monotonic_time ();

  inspector_open (window);
  g_test_message ("GTK took %d ms to open its inspector", (int) (g_get_monotonic_time () - began_us) / 1000);
  inspector_show_tab ("frames");
  run_ms (1500);
  for (guint i = 0; i < 5; i++)
    {
      inspector_close ();
      run_ms (50);
      page_open (i % 2 == 0 ? "settings" : "frames");
    }
  inspector_show_tab ("stalls");
  run_ms (500);
  for (guint i = 0; i < g_list_model_get_n_items (inspector_get_stalls ()); i++)
    {
      g_autofree char *kind = inspector_get_text (i, "kind"), *headline = inspector_get_text (i, "headline");
      g_autoptr (GObject) stall = g_list_model_get_item (inspector_get_stalls (), i);

      g_test_message ("%s: %s", kind, headline);
      if (!is_the_machines (stall))
        g_assert_cmpstr (kind, ==, "startup");
    }
  inspector_close ();
}

TEST (appears)
{
  g_autofree char *title = NULL;
  GtkWidget *page;
  int minimum;

  inspector_open (window);
  page = inspector_get_page ();
  g_assert_nonnull (page);
  g_object_get (page, "title", &title, NULL);
  g_assert_cmpstr (title, ==, "Jank");
  g_object_set (page, "object", window, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tabs); i++)
    {
      inspector_show_tab (tabs[i]);
      run_ms (300);
      gtk_widget_measure (page, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
      g_test_message ("least width of “%s”: %d pixels", tabs[i], minimum);
      g_assert_cmpint (minimum, <=, 600);
    }
  /* The settings in force, as the monitor has them. */
  inspector_show_tab ("settings");
  g_assert_nonnull (strstr (find_text (page, "threshold="), "\nstore="));
  inspector_close ();
}

static gboolean
brief_cb (gpointer began_ns)
{
  *(gint64 *) began_ns = g_get_monotonic_time () * 1000;
  stall_compute (BRIEF_MS * MS);
  return G_SOURCE_REMOVE;
}

/* Of a busy period that is no stall the chart says what took it; of a time without one, that nothing is known. */
TEST (brief)
{
  GtkWidget *chart;
  const char *text = NULL;
  gint64 began_ns = 0;

  page_open ("frames");
  /* Nor is it one on a busy machine. */
  jank_monitor_set_threshold_ms (monitor, 60000);
  chart = inspector_find_widget (inspector_get_page (), "JankFrameChart");
  for (guint i = 0; i < 100 && text == NULL; i++)
    {
      g_idle_add (brief_cb, &began_ns);
      run_ms (400);
      g_signal_emit_by_name (chart, "activated", began_ns, began_ns + BRIEF_MS * MS);
      inspector_show_tab ("frames");
      text = find_text (inspector_get_page (), "No stall, but");
    }
  g_assert_nonnull (text);
  g_assert_nonnull (strstr (text, "stall_compute"));

  g_signal_emit_by_name (chart, "activated", (gint64) 1, (gint64) 2);
  g_assert_nonnull (find_text (inspector_get_page (), "This frame has no stack"));
  jank_monitor_set_threshold_ms (monitor, 100);
  inspector_close ();
}

static void
gone_cb (gpointer data, GObject *where)
{
  (*(guint *) data)--;
}

static void
watch (GtkWidget *widget, guint *n_alive)
{
  if (strstr (G_OBJECT_TYPE_NAME (widget), "Jank") != NULL)
    {
      (*n_alive)++;
      g_object_weak_ref (G_OBJECT (widget), gone_cb, n_alive);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child =
       gtk_widget_get_next_sibling (child))
    watch (child, n_alive);
}

static guint
count_ours (GtkWidget *widget)
{
  guint n = strstr (G_OBJECT_TYPE_NAME (widget), "Jank") != NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child =
       gtk_widget_get_next_sibling (child))
    n += count_ours (child);
  return n;
}

/* But those of frames that do not come while this program opens the inspector again and again: a sanitizer is slow. */
static guint
count_other_stalls (void)
{
  GListModel *stalls = inspector_get_stalls ();
  guint n = 0, count;

  for (guint i = 0; i < g_list_model_get_n_items (stalls); i++)
    {
      g_autoptr (GObject) stall = g_list_model_get_item (stalls, i);
      g_autofree char *culprit = NULL, *headline = NULL;

      g_object_get (stall, "culprit", &culprit, "headline", &headline, "count", &count, NULL);
      if (is_the_machines (stall) || g_str_equal (culprit, "inspector_open") ||
          g_str_has_prefix (headline, "No frame for"))
        continue;
      g_test_message ("%u times: %s", count, headline);
      n += count;
    }
  return n;
}

/* GTK keeps its inspector, and hides it: so it is with us. */
TEST (opened_often)
{
  guint n_ours, n_stalls;

  page_open ("stalls");
  n_ours = count_ours (inspector_get_page ());
  n_stalls = count_other_stalls ();
  for (guint i = 0; i < N_TIMES; i++)
    {
      inspector_close ();
      inspector_open (window);
      inspector_show_tab (tabs[i % G_N_ELEMENTS (tabs)]);
      run_ms (i % 20 == 0 ? 120 : 1);
    }
  run_ms (500);
  g_assert_cmpuint (count_ours (inspector_get_page ()), ==, n_ours);
  g_assert_cmpuint (count_other_stalls (), ==, n_stalls);
  inspector_close ();
}

static void
watch_rows (GtkWidget *page, guint *n_alive)
{
  GtkWidget *view = inspector_find_widget (page, "GtkColumnView");
  GListModel *stalls = G_LIST_MODEL (gtk_column_view_get_model (GTK_COLUMN_VIEW (view)));

  for (guint i = 0; i < g_list_model_get_n_items (stalls); i++)
    {
      g_autoptr (GObject) stall = g_list_model_get_item (stalls, i);

      (*n_alive)++;
      g_object_weak_ref (stall, gone_cb, n_alive);
    }
}

/* Pages of their own, each shown and destroyed: nothing of them stays. */
TEST (leaks)
{
  GType type = g_type_from_name ("JankInspectorPage");
  guint n_alive = 0, n_ever = 0;

  for (guint i = 0; i < N_TIMES; i++)
    {
      GtkWindow *other = GTK_WINDOW (gtk_window_new ());
      GtkWidget *page = g_object_new (type, NULL);
      guint before = n_alive;

      gtk_window_set_child (other, page);
      gtk_window_present (other);
      gtk_stack_set_visible_child_name (GTK_STACK (inspector_find_widget (page, "GtkStack")),
                                        tabs[i % G_N_ELEMENTS (tabs)]);
      run_ms (i % 20 == 0 ? 100 : 5);
      watch (page, &n_alive);
      watch_rows (page, &n_alive);
      n_ever += n_alive - before;
      gtk_window_destroy (other);
    }
  run_ms (500);
  g_test_message ("%u objects of ours were made, %u are left", n_ever, n_alive);
  g_assert_cmpuint (n_ever, >, N_TIMES * 10);
  g_assert_cmpuint (n_alive, ==, 0);
}

/* A page outlives the monitor, and finds the next one. */
TEST (monitor_stopped)
{
  g_autoptr (GError) error = NULL;
  GtkWidget *stopped;

  page_open ("frames");
  stopped = page_get_part ("JankInspectorTabs", "stopped");
  jank_monitor_stop (monitor);
  AWAIT (gtk_widget_get_visible (stopped), run_ms (50));
  inspector_show_tab ("stalls");
  run_ms (200);
  g_assert_true (jank_monitor_start (monitor, &error));
  AWAIT (!gtk_widget_get_visible (stopped), run_ms (50));
  page_stall (stall_sleep);
  inspector_close ();
}

PAGE_TESTS ("/inspector/page")
