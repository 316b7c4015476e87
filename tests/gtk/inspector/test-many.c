/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ten thousand stalls in the list of the real page, from a host that is made up. */

#include "inspector.h"
#include "test.h"

#include <dlfcn.h>

#include "base/jank-clock-private.h"
#include "gtk/jank-gtk-plugin-private.h"

#define N_STALLS 10000

static GPtrArray *all;
static const JankInspectorListener *listener;

static guint64
get_reports (gpointer data, guint64 from, GPtrArray *reports)
{
  for (guint64 i = from; i < all->len; i++)
    g_ptr_array_add (reports, jank_report_ref (all->pdata[i]));
  return all->len;
}

static void
set_listener (gpointer data, const JankInspectorListener *new_listener)
{
  listener = new_listener;
}

static gboolean
get_no (gpointer data)
{
  return FALSE;
}

static void
set_paused (gpointer data, gboolean paused)
{
}

static char *
get_setting (gpointer data, const char *key)
{
  return NULL;
}

static const JankInspectorHost inspector_host = {
  .get_reports = get_reports,
  .set_listener = set_listener,
  .get_paused = get_no,
  .set_paused = set_paused,
  .get_setting = get_setting,
};

static JankReport *
make_report (guint i)
{
  JankReport *report = jank_report_new ();

  report->id = g_strdup_printf ("20261121-153012-4242-%u", i);
  report->fingerprint = g_strdup_printf ("f%u", i % 100);
  report->stall.began_real_us = G_GINT64_CONSTANT (1795000000000000) + i * 1000000;
  report->stall.began_monotonic_ns = (gint64) i * JANK_NS_PER_S;
  report->stall.duration_ns = (100 + i * 7919 % 6000) * JANK_NS_PER_MS;
  report->stall.severity = jank_severity_of (report->stall.duration_ns);
  report->culprit.function = g_strdup_printf ("slot function_%u.init", i % 500);
  report->culprit.callee = g_strdup ("load_font");
  return report;
}

TEST (laid_out)
{
  GtkWidget *view, *scrolled;
  GtkAdjustment *adjustment;

  inspector_show_tab ("stalls");
  run_ms (300);
  for (guint i = all->len; i < N_STALLS; i++)
    g_ptr_array_add (all, make_report (i));
  g_assert_nonnull (listener);
  listener->changed ();
  g_assert_cmpuint (g_list_model_get_n_items (inspector_get_stalls ()), ==, N_STALLS);
  run_ms (500);
  view = inspector_find_widget (inspector_get_page (), "GtkColumnView");
  scrolled = gtk_widget_get_ancestor (view, GTK_TYPE_SCROLLED_WINDOW);
  adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));
  AWAIT (gtk_adjustment_get_upper (adjustment) > 10.0 * N_STALLS, run_ms (10));
}

/* One more, with all those there. */
TEST (one_more)
{
  g_autofree char *culprit = NULL;

  g_ptr_array_add (all, make_report (N_STALLS));
  listener->changed ();
  run_ms (20);
  /* The oldest went for it. */
  g_assert_cmpuint (g_list_model_get_n_items (inspector_get_stalls ()), ==, N_STALLS);
  culprit = inspector_get_text (0, "culprit");
  g_assert_cmpstr (culprit, ==, "creating function_0: load_font() 0 %");
}

TEST (filter)
{
  GtkWidget *stalls = inspector_find_widget (inspector_get_page (), "JankInspectorStalls");
  GtkDropDown *level = GTK_DROP_DOWN (gtk_widget_get_template_child (stalls, G_OBJECT_TYPE (stalls), "level"));
  GtkEditable *search = GTK_EDITABLE (gtk_widget_get_template_child (stalls, G_OBJECT_TYPE (stalls), "search"));
  const guint n = 11 * N_STALLS / 500;

  gtk_editable_set_text (search, "FUNCTION_17");
  AWAIT (g_list_model_get_n_items (inspector_get_stalls ()) == n, run_ms (50));
  gtk_drop_down_set_selected (level, 3);
  run_ms (100);
  g_assert_cmpuint (g_list_model_get_n_items (inspector_get_stalls ()), >, 0);
  g_assert_cmpuint (g_list_model_get_n_items (inspector_get_stalls ()), <, n);
  gtk_editable_set_text (search, "no such function");
  AWAIT (g_list_model_get_n_items (inspector_get_stalls ()) == 0, run_ms (50));
}

int
main (int argc, char **argv)
{
  static JankSettings settings = { .overlay_preset = 3, .overlay_scale = 1, .overlay_opacity = 1, .overlay_key = "" };
  static JankGtkHost host = { .settings = &settings, .inspector = &inspector_host };
  JankGtkPluginGetFunc get;
  void *library;
  GtkWindow *window;

  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  g_assert_cmpint (argc, ==, 2);
  all = g_ptr_array_new_with_free_func ((GDestroyNotify) jank_report_unref);
  library = dlopen (argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  g_assert_nonnull (library);
  get = (JankGtkPluginGetFunc) dlsym (library, JANK_GTK_PLUGIN_SYMBOL);
  get ()->start (&host);
  window = GTK_WINDOW (gtk_window_new ());
  gtk_window_present (window);
  run_ms (300);
  inspector_open (window);
  tests_add_all ("/inspector/many");
  return g_test_run ();
}
