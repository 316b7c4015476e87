/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page in GTK 3's inspector: opened while a program is watched, before that, and again; it shows the stalls. */

#include <gtk/gtk.h>
#include <jankwatch.h>

#include "home.h"
#include "loop.h"
#include "pictures.h"
#include "test.h"

#define STALL_MS 400
#define WAIT_MS 20000

static JankMonitor *monitor;
static GtkWidget *window;

typedef struct
{
  const char *type;
  GtkWidget  *found;
} Search;

static void
search_cb (GtkWidget *widget, gpointer data)
{
  Search *self = data;

  if (self->found == NULL && g_str_equal (G_OBJECT_TYPE_NAME (widget), self->type))
    self->found = widget;
  if (self->found == NULL && GTK_IS_CONTAINER (widget))
    gtk_container_forall (GTK_CONTAINER (widget), search_cb, self);
}

static GtkWidget *
find (GtkWidget *in, const char *type)
{
  Search search = { .type = type };

  search_cb (in, &search);
  return search.found;
}

/* Returns: (nullable) */
static GtkWidget *
find_page (void)
{
  GList *windows = gtk_window_list_toplevels ();
  GtkWidget *page = NULL;

  for (GList *l = windows; l != NULL && page == NULL; l = l->next)
    if (g_str_equal (G_OBJECT_TYPE_NAME (l->data), "GtkInspectorWindow"))
      page = find (l->data, "JankInspectorPage");
  g_list_free (windows);
  return page;
}

static gboolean
has_page (gpointer data)
{
  return find_page () != NULL;
}

static gboolean
is_mapped (gpointer page)
{
  return gtk_widget_get_mapped (page);
}

static GtkWidget *
show_page (void)
{
  GtkWidget *page;

  g_assert_true (run_until (has_page, NULL, WAIT_MS));
  page = find_page ();
  gtk_stack_set_visible_child (GTK_STACK (gtk_widget_get_parent (page)), page);
  g_assert_true (run_until (is_mapped, page, WAIT_MS));
  return page;
}

static gboolean
stall_on_purpose (gpointer data)
{
  g_usleep (STALL_MS * 1000);
  return G_SOURCE_REMOVE;
}

static gboolean
has_text (GtkWidget *page, const char *part)
{
  GtkWidget *headline = find (find (page, "JankInspectorStallView"), "GtkLabel");

  return g_strrstr (gtk_label_get_text (GTK_LABEL (headline)), part) != NULL;
}

/* One row a culprit. A machine's own stall may have another, and a stall during which the machine gave the watcher
 * no CPU has none: then there is another stall. */
static gboolean
is_shown (gpointer page)
{
  GtkListBox *list = GTK_LIST_BOX (find (find (page, "GtkPaned"), "GtkListBox"));
  GtkListBoxRow *row;

  for (int i = 0; !has_text (page, "stall_on_purpose") && (row = gtk_list_box_get_row_at_index (list, i)) != NULL; i++)
    gtk_list_box_select_row (list, row);
  return has_text (page, "stall_on_purpose");
}

static void
check_stall_is_shown (void)
{
  GtkWidget *page = show_page ();
  gboolean shown = FALSE;

  for (guint i = 0; i < 10 && !shown; i++)
    {
      g_idle_add (stall_on_purpose, NULL);
      run_ms (STALL_MS + 100);
      shown = run_until (is_shown, page, 3000);
    }
  g_assert_true (shown);
}

static void
start (void)
{
  g_autoptr (GError) error = NULL;

  monitor = jank_monitor_new ();
  g_assert_true (jank_monitor_start (monitor, &error));
  g_assert_no_error (error);
}

TEST (open_before)
{
  gtk_window_set_interactive_debugging (TRUE);
  run_ms (300);
  g_assert_null (find_page ());
  start ();
  check_stall_is_shown ();
}

TEST (again)
{
  gtk_window_set_interactive_debugging (FALSE);
  run_ms (300);
  gtk_window_set_interactive_debugging (TRUE);
  check_stall_is_shown ();
}

/* Each tab is shown; a setting changes what the monitor does. */
TEST (tabs)
{
  static const char *const tabs[][2] = { { "now", "JankInspectorSources" }, { "frames", "JankFrameChart" },
                                         { "stalls", "GtkListBox" }, { "settings", "GtkSpinButton" } };
  GtkWidget *page = show_page (), *stack = find (page, "GtkStack");
  g_autofree char *threshold = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (tabs); i++)
    {
      gtk_stack_set_visible_child_name (GTK_STACK (stack), tabs[i][0]);
      g_assert_true (run_until (is_mapped, find (page, tabs[i][1]), WAIT_MS));
    }
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (find (page, "GtkSpinButton")), 250);
  threshold = jank_monitor_get_setting (monitor, "threshold");
  g_assert_cmpstr (threshold, ==, "250ms");
  g_assert_cmpint (gtk_combo_box_get_active (GTK_COMBO_BOX (find (page, "GtkComboBoxText"))), ==, 0);
}

static void
save (GtkWidget *page, const char *state, gboolean is_dark)
{
  GtkWidget *toplevel = gtk_widget_get_toplevel (page);
  int width = gtk_widget_get_allocated_width (toplevel), height = gtk_widget_get_allocated_height (toplevel);
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  cairo_t *cr = cairo_create (image);
  g_autofree char *name = g_strdup_printf ("page-3-%s-%s", state, is_dark ? "dark" : "light");
  g_autofree char *path = pictures_path (name);

  gtk_widget_draw (toplevel, cr);
  cairo_destroy (cr);
  cairo_surface_flush (image);
  g_assert_cmpint (pictures_lightness ((const guint32 *) (gpointer) cairo_image_surface_get_data (image),
                                       (gsize) width * (gsize) height) < 50, ==, is_dark);
  g_assert_cmpint (cairo_surface_write_to_png (image, path), ==, CAIRO_STATUS_SUCCESS);
  cairo_surface_destroy (image);
}

/* Each tab, and a stall on its page, in light and dark: tests/gtk/pictures in the build folder. */
TEST (pictures)
{
  static const char *const tabs[] = { "now", "frames", "settings", "stalls" };
  GtkWidget *page = show_page (), *stack = find (page, "GtkStack"), *list =
      find (find (page, "GtkPaned"), "GtkListBox");

  gtk_window_resize (GTK_WINDOW (gtk_widget_get_toplevel (page)), 909, 500);
  for (int is_dark = FALSE; is_dark <= TRUE; is_dark++)
    {
      g_object_set (gtk_widget_get_settings (page), "gtk-application-prefer-dark-theme", is_dark, NULL);
      for (guint i = 0; i < G_N_ELEMENTS (tabs); i++)
        {
          gtk_stack_set_visible_child_name (GTK_STACK (stack), tabs[i]);
          run_ms (i == 0 ? 2200 : 800);
          save (page, tabs[i], is_dark);
        }
      g_signal_emit_by_name (list, "row-activated", gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), 0));
      g_assert_true (run_until (is_mapped, find (page, "JankFlameGraph"), WAIT_MS));
      run_ms (500);
      save (page, "flame", is_dark);
      gtk_button_clicked (GTK_BUTTON (find (find (page, "GtkPaned"), "GtkButton")));
      g_assert_true (run_until (is_mapped, list, WAIT_MS));
    }
  g_object_set (gtk_widget_get_settings (page), "gtk-application-prefer-dark-theme", FALSE, NULL);
}

/* An extension cannot be withdrawn: the page stays, and knows another monitor. */
TEST (stopped)
{
  g_clear_object (&monitor);
  run_ms (1200);
  g_assert_nonnull (find_page ());
  start ();
  check_stall_is_shown ();
  g_clear_object (&monitor);
}

int
main (int argc, char **argv)
{
  int status;

  home_isolate ();
  g_test_init (&argc, &argv, NULL);
  gtk_init (&argc, &argv);
  window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
  gtk_widget_show (window);
  tests_add_all ("/gtk3/page");
  status = home_run ();
  gtk_widget_destroy (window);
  return status;
}
