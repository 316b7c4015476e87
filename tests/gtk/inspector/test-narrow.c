/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The real inspector in a window of 600 pixels: nothing of the page lies outside of it or has to be scrolled to
 * sideways, in any tab, in light and dark and in both directions of writing. GTK 4.8's own header bar and pages need
 * 909 pixels: those make room here. */

#include "inspector.h"

#include <jankwatch.h>

#include "demo.h"
#include "folder.h"

#define MS G_GINT64_CONSTANT (1000000)
#define WIDTH_PX 600
#define HEIGHT_PX 700

static const char *const tabs[] = { "frames", "stalls", "settings" };
static const char *const details[] = { "flame", "heaviest", "samples", "threads", "tags" };

typedef struct { const char *name; gboolean is_dark; GtkTextDirection direction; } Look;

static const Look looks[] = {
  { "light", FALSE, GTK_TEXT_DIR_LTR },
  { "dark", TRUE, GTK_TEXT_DIR_LTR },
  { "light-rtl", FALSE, GTK_TEXT_DIR_RTL },
  { "dark-rtl", TRUE, GTK_TEXT_DIR_RTL },
};

static JankMonitor *monitor;
static GtkWindow *window;

static void
check_scrolled (GtkWidget *scrolled, const char *where)
{
  GtkAdjustment *sideways = gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (scrolled));

  if (gtk_adjustment_get_upper (sideways) > gtk_adjustment_get_page_size (sideways) + 1)
    g_error ("%s: %.0f pixels to scroll sideways in %.0f", where, gtk_adjustment_get_upper (sideways),
             gtk_adjustment_get_page_size (sideways));
}

/* Returns: how many widgets were looked at */
static guint
check_inside (GtkWidget *widget, GtkWidget *page, const char *where)
{
  graphene_rect_t bounds;
  guint n = 1;

  if (!gtk_widget_get_mapped (widget) || gtk_widget_get_width (widget) == 0)
    return 0;
  g_assert_true (gtk_widget_compute_bounds (widget, page, &bounds));
  if (bounds.origin.x < -1 || bounds.origin.x + bounds.size.width > gtk_widget_get_width (page) + 1)
    g_error ("%s: a %s in a %s is at %.0f to %.0f of %d pixels", where, G_OBJECT_TYPE_NAME (widget),
             G_OBJECT_TYPE_NAME (gtk_widget_get_parent (widget)), bounds.origin.x, bounds.origin.x + bounds.size.width,
             gtk_widget_get_width (page));
  if (GTK_IS_SCROLLED_WINDOW (widget))
    check_scrolled (widget, where);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child =
       gtk_widget_get_next_sibling (child))
    if (!GTK_IS_NATIVE (child))
      n += check_inside (child, page, where);
  return n;
}

static void
check_tab (const char *tab, const char *look)
{
  GtkWidget *page = inspector_get_page (), *inspector = GTK_WIDGET (inspector_find ());
  g_autofree char *where = g_strdup_printf ("%s, %s", tab, look);
  int minimum, whole;
  guint n;

  run_ms (400);
  gtk_widget_measure (page, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  gtk_widget_measure (inspector, GTK_ORIENTATION_HORIZONTAL, -1, &whole, NULL, NULL, NULL);
  n = check_inside (page, page, where);
  g_test_message ("%s: %d pixels at least, %d with the inspector's own; %u widgets in %d of %d pixels", where, minimum,
                  whole, n, gtk_widget_get_width (page), gtk_widget_get_width (inspector));
  g_assert_cmpint (minimum, <=, WIDTH_PX);
  g_assert_cmpint (whole, <=, WIDTH_PX);
  g_assert_cmpint (gtk_widget_get_width (inspector), <=, WIDTH_PX);
  g_assert_cmpint (gtk_widget_get_width (inspector), >=, WIDTH_PX - 60);
  g_assert_cmpuint (n, >, 10);
}

static void
test_look (gconstpointer data)
{
  const Look *look = data;
  GtkWidget *view;

  gtk_widget_set_default_direction (look->direction);
  inspector_set_dark (look->is_dark);
  for (guint i = 0; i < G_N_ELEMENTS (tabs); i++)
    {
      inspector_show_tab (tabs[i]);
      /* Figures come after a second. */
      run_ms (i == 0 ? 2200 : 0);
      check_tab (tabs[i], look->name);
    }
  inspector_show_tab ("stalls");
  view = inspector_find_widget (inspector_get_page (), "JankInspectorStallView");
  for (guint i = 0; i < G_N_ELEMENTS (details); i++)
    {
      gtk_stack_set_visible_child_name (GTK_STACK (inspector_find_widget (view, "GtkStack")), details[i]);
      check_tab (details[i], look->name);
    }
}

/* The other pages no longer count for the width, nor does the row of their titles. */
static void
make_room (void)
{
  GtkWidget *inspector = GTK_WIDGET (inspector_find ()), *page = inspector_get_page ();
  int least, least_of_page;

  gtk_widget_measure (inspector, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  gtk_widget_measure (page, GTK_ORIENTATION_HORIZONTAL, -1, &least_of_page, NULL, NULL, NULL);
  g_test_message ("GTK's inspector as it is: %d pixels at least, the page %d", least, least_of_page);
  g_assert_cmpint (least_of_page, <=, least);
  gtk_stack_set_hhomogeneous (GTK_STACK (gtk_widget_get_ancestor (page, GTK_TYPE_STACK)), FALSE);
  for (GtkWidget *child = gtk_widget_get_first_child (inspector); child != NULL; child =
       gtk_widget_get_next_sibling (child))
    if (GTK_IS_HEADER_BAR (child))
      gtk_widget_set_visible (inspector_find_widget (child, "GtkStackSwitcher"), FALSE);
  gtk_window_set_default_size (inspector_find (), WIDTH_PX, HEIGHT_PX);
}

static gboolean
stall_cb (gpointer data)
{
  demo_stall_find (data)->stall (INSPECTOR_STALL_MS * MS);
  return G_SOURCE_REMOVE;
}

static void
start (const char *store)
{
  static const char *const kinds[] = { "compute", "sleep", "lock", "split" };
  g_autoptr (GError) error = NULL;

  window = GTK_WINDOW (gtk_window_new ());
  gtk_window_present (window);
  monitor = jank_monitor_new ();
  g_assert_true (jank_monitor_set_setting (monitor, "store", store, &error));
  g_assert_true (jank_monitor_start (monitor, &error));
  run_ms (1500);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_idle_add (stall_cb, (gpointer) kinds[i]);
      run_ms (INSPECTOR_STALL_MS + 500);
    }
  inspector_open (window);
  run_ms (500);
  inspector_show_tab ("stalls");
  make_room ();
  run_ms (500);
  g_assert_cmpuint (g_list_model_get_n_items (inspector_get_stalls ()), >=, G_N_ELEMENTS (kinds));
}

int
main (int argc, char **argv)
{
  g_autofree char *store = folder_new ("jankwatch-narrow");
  int status;

  g_test_init (&argc, &argv, NULL);
  g_setenv ("XDG_CONFIG_HOME", store, TRUE);
  gtk_init ();
  start (store);
  for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
    {
      g_autofree char *path = g_strconcat ("/inspector/narrow/", looks[i].name, NULL);

      g_test_add_data_func (path, &looks[i], test_look);
    }
  status = g_test_run ();
  jank_monitor_stop (monitor);
  g_object_unref (monitor);
  folder_remove (store);
  return status;
}
