/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The chart and the flame graph as widgets of their own, large: what a picture of them costs, and the keyboard. */

#include <string.h>

#include "base/jank-clock-private.h"
#include "gtk/charts/jank-flame-graph-private.h"
#include "gtk/charts/jank-frame-chart-private.h"
#include "gtk/charts/jank-sample-strip-private.h"
#include "loop.h"
#include "test.h"

#define MS JANK_NS_PER_MS

static GtkEventController *
find_key_controller (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_KEY (controller))
        return controller;
    }
  return NULL;
}

static GtkWindow *
show (GtkWidget *child)
{
  GtkWindow *window = g_object_new (GTK_TYPE_WINDOW, NULL);

  gtk_window_set_default_size (window, 1200, 600);
  gtk_window_set_child (window, child);
  gtk_window_present (window);
  run_ms (300);
  return window;
}

static JankFrameHistory *
make_history (guint n)
{
  JankFrameHistory *history = jank_frame_history_new (JANK_FRAME_HISTORY_LONG);
  gint64 at_ns = jank_clock_now_ns () - (gint64) n * 16 * MS;

  for (guint i = 0; i < n; i++)
    {
      gint64 paint_ns = (2 + i % 7) * MS;
      JankFrameEvent event = {
        .begin_ns = at_ns,
        .end_ns = at_ns + paint_ns + 3 * MS,
        .phase_ns = { [JANK_FRAME_UPDATE] = 1 * MS, [JANK_FRAME_LAYOUT] = 1 * MS, [JANK_FRAME_PAINT] = paint_ns },
        .refresh_ns = 16666667,
        .gap_busy_ns = i % 50 == 0 ? 40 * MS : 0,
        .flags = JANK_FRAME_ANIMATING,
      };

      jank_frame_history_add (history, &event, history);
      at_ns += i % 50 == 49 ? 60 * MS : 16 * MS;
    }
  return history;
}

static void
activated_cb (JankFrameChart *chart, gint64 began_ns, gint64 ended_ns, gint64 *ret_began_ns)
{
  g_assert_cmpint (ended_ns, >, began_ns);
  *ret_began_ns = began_ns;
}

static void
press (GtkWidget *widget, guint keyval)
{
  gboolean is_done = FALSE;

  g_signal_emit_by_name (find_key_controller (widget), "key-pressed", keyval, 0, 0, &is_done);
  g_assert_true (is_done);
}

TEST (chart_keys)
{
  g_autoptr (JankFrameHistory) history = make_history (500);
  JankFrameChart *chart = g_object_new (JANK_TYPE_FRAME_CHART, NULL);
  GtkWindow *window = show (GTK_WIDGET (chart));
  gint64 began_ns = 0;
  g_autofree char *readout = NULL;
  gboolean follows;
  int span_ms;

  jank_frame_chart_set_history (chart, history);
  g_signal_connect (chart, "activated", G_CALLBACK (activated_cb), &began_ns);
  press (GTK_WIDGET (chart), GDK_KEY_End);
  press (GTK_WIDGET (chart), GDK_KEY_Left);
  press (GTK_WIDGET (chart), GDK_KEY_Return);
  g_assert_cmpint (began_ns, ==, jank_frame_history_get (history, 498)->begin_ns);
  g_object_get (chart, "readout", &readout, "follows", &follows, NULL);
  g_assert_nonnull (strstr (readout, "paint"));
  g_assert_false (follows);
  press (GTK_WIDGET (chart), GDK_KEY_space);
  press (GTK_WIDGET (chart), GDK_KEY_plus);
  g_object_get (chart, "span-ms", &span_ms, "follows", &follows, NULL);
  g_assert_true (follows);
  g_assert_cmpint (span_ms, <, 10000);
  gtk_window_destroy (window);
}

TEST (flame_keys)
{
  JankFlameGraph *graph = g_object_new (JANK_TYPE_FLAME_GRAPH, NULL);
  GtkWindow *window = show (GTK_WIDGET (graph));
  JankFlameTree *tree = jank_flame_tree_new ("all");
  const JankFlameCall light[] = { { "outer", "program" }, { "light", "program" } };
  const JankFlameCall heavy[] = { { "outer", "program" }, { "heavy", "libgtk-4.so.1" } };
  g_autofree char *readout = NULL, *zoomed = NULL, *above = NULL;

  jank_flame_tree_add (tree, light, 2, 25 * MS);
  jank_flame_tree_add (tree, heavy, 2, 75 * MS);
  jank_flame_tree_finish (tree);
  jank_flame_graph_set_tree (graph, tree);
  press (GTK_WIDGET (graph), GDK_KEY_Home);
  press (GTK_WIDGET (graph), GDK_KEY_Down);
  press (GTK_WIDGET (graph), GDK_KEY_Down);
  press (GTK_WIDGET (graph), GDK_KEY_Right);
  g_object_get (graph, "readout", &readout, NULL);
  g_assert_true (g_str_has_prefix (readout, "light in program: 25 ms (25 %)"));
  press (GTK_WIDGET (graph), GDK_KEY_Return);
  press (GTK_WIDGET (graph), GDK_KEY_Down);
  press (GTK_WIDGET (graph), GDK_KEY_Home); /* to the box that is as wide as the graph */
  g_object_get (graph, "readout", &zoomed, NULL);
  g_assert_true (g_str_has_prefix (zoomed, "light "));
  press (GTK_WIDGET (graph), GDK_KEY_Escape);
  press (GTK_WIDGET (graph), GDK_KEY_Home);
  g_object_get (graph, "readout", &above, NULL);
  g_assert_true (g_str_has_prefix (above, "outer "));
  gtk_window_destroy (window);
}

TEST (flame_search)
{
  JankFlameGraph *graph = g_object_ref_sink (g_object_new (JANK_TYPE_FLAME_GRAPH, NULL));
  JankFlameTree *tree = jank_flame_tree_new ("all");
  const JankFlameCall calls[] = { { "Paint", "program" }, { "inner_paint", "libgtk-4.so.1" } };
  const JankFlameCall others[] = { { "layout", "program" } };
  g_autofree char *readout = NULL;

  jank_flame_tree_add (tree, calls, 2, 75 * MS);
  jank_flame_tree_add (tree, others, 1, 25 * MS);
  jank_flame_tree_finish (tree);
  jank_flame_graph_set_tree (graph, tree);
  jank_flame_graph_set_search (graph, "PAINT");
  g_object_get (graph, "readout", &readout, NULL);
  g_assert_cmpstr (readout, ==, "2 calls found, 75 % of the time");
  g_object_unref (graph);
}

/* Whether a sample is told of there, a part of the width from the left. */
static gboolean
has_sample_at (JankSampleStrip *strip, double part)
{
  int x = (int) (part * gtk_widget_get_width (GTK_WIDGET (strip)));
  g_autoptr (GtkTooltip) tooltip = g_object_new (GTK_TYPE_TOOLTIP, NULL);
  gboolean is_told = FALSE;

  g_signal_emit_by_name (strip, "query-tooltip", x, 5, FALSE, tooltip, &is_told);
  return is_told;
}

/* The samples fill the stall, however few they are, but for where it was stopped. */
TEST (strip)
{
  JankSampleStrip *strip = g_object_new (JANK_TYPE_SAMPLE_STRIP, NULL);
  GtkWindow *window = show (GTK_WIDGET (strip));
  g_autoptr (JankReport) report = jank_report_new ();
  JankReportSample *first = jank_report_sample_new (), *second = jank_report_sample_new ();

  report->stall.duration_ns = 100 * MS;
  first->at_ns = 16 * MS;
  first->weight_ns = 100 * MS;
  g_ptr_array_add (report->samples, first);
  jank_sample_strip_set_report (strip, report);
  for (guint percent = 0; percent < 100; percent++)
    g_assert_true (has_sample_at (strip, percent / 100.0));

  report->stall.stopped_ns = 100 * MS;
  first->weight_ns = 50 * MS;
  second->at_ns = 184 * MS;
  second->weight_ns = 50 * MS;
  g_ptr_array_add (report->samples, second);
  jank_sample_strip_set_report (strip, report);
  g_assert_true (has_sample_at (strip, 0.2));
  g_assert_false (has_sample_at (strip, 0.3));
  g_assert_true (has_sample_at (strip, 0.7));
  gtk_window_destroy (window);
}

static void
check_accessible (GtkWidget *widget)
{
  g_object_ref_sink (widget);
#if GTK_MAJOR_VERSION >= 4
  g_assert_cmpint (gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (widget)), ==, GTK_ACCESSIBLE_ROLE_IMG);
#else
  g_assert_cmpint (atk_object_get_role (gtk_widget_get_accessible (widget)), ==, ATK_ROLE_IMAGE);
#endif
  g_assert_true (gtk_widget_get_focusable (widget));
  g_object_unref (widget);
}

TEST (accessible)
{
  check_accessible (g_object_new (JANK_TYPE_FRAME_CHART, NULL));
  check_accessible (g_object_new (JANK_TYPE_FLAME_GRAPH, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  tests_add_all ("/inspector/widgets");
  return g_test_run ();
}
