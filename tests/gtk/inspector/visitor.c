/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loaded into a program before it starts (LD_PRELOAD): opens GTK's inspector once there is a window, looks at every
 * tab of our page, stalls the program once, and prints one JSON line of what the page shows. */

#include "inspector.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START_MS 1000
#define MAX_WAIT_MS 10000
#define MAX_STALLS 4
#define STALL_US 600000

/* Named, and not inlined: a report has to say so. */
G_MODULE_EXPORT void visitor_stall (void);

G_NO_INLINE void
visitor_stall (void)
{
  gint64 until_us = g_get_monotonic_time () + STALL_US;

  while (g_get_monotonic_time () < until_us)
    ;
}

static gboolean
stall_cb (gpointer data)
{
  visitor_stall ();
  return G_SOURCE_REMOVE;
}

static guint
count_windows (void)
{
  GListModel *windows = gtk_window_get_toplevels ();
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      n += gtk_widget_get_mapped (window) && !g_str_has_prefix (G_OBJECT_TYPE_NAME (window), "GtkInspector");
    }
  return n;
}

static void
show_every_tab (void)
{
  static const char *const tabs[] = { "frames", "settings", "stalls" };

  for (guint i = 0; i < G_N_ELEMENTS (tabs); i++)
    {
      inspector_show_tab (tabs[i]);
      run_ms (250);
    }
}

/* Programs may stall without us. Returns: (transfer full): the severity of ours, "" without it */
static char *
find_stall (void)
{
  for (guint i = 0; i < g_list_model_get_n_items (inspector_get_stalls ()); i++)
    {
      g_autofree char *culprit = inspector_get_text (i, "culprit");

      if (g_str_equal (culprit, "visitor_stall"))
        return inspector_get_text (i, "severity");
    }
  return g_strdup ("");
}

static const char *
is_library_mapped (void)
{
  g_autofree char *maps = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  return g_regex_match_simple ("-(inspector|overlay|clutter|javascript)\\.so", maps, 0, 0) ? "true" : "false";
}

static gboolean
has_stall (gpointer data)
{
  g_autofree char *severity = find_stall ();

  return *severity != '\0';
}

static void
visit (void)
{
  g_autofree char *before = NULL, *severity = NULL;
  const char *was_mapped = is_library_mapped ();
  g_autoptr (GtkWindow) window = g_list_model_get_item (gtk_window_get_toplevels (), 0);
  gboolean is_dark = getenv ("JANK_VISITOR_DARK") != NULL;
  GtkWidget *page, *label;
  int minimum;

  if (getenv ("JANK_VISITOR_RTL") != NULL)
    gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  inspector_open (window);
  g_print ("{\"mapped\": [%s, %s]", was_mapped, is_library_mapped ());
  page = inspector_get_page ();
  if (page == NULL || inspector_find_widget (page, "GtkColumnView") == NULL)
    {
      label = page != NULL ? inspector_find_widget (page, "GtkLabel") : NULL;
      g_print (", \"page\": false, \"label\": \"%s\"}\n", label != NULL ? gtk_label_get_text (GTK_LABEL (label)) : "");
      return;
    }
  inspector_set_dark (is_dark);
  show_every_tab ();
  gtk_widget_measure (page, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  before = find_stall ();
  /* A busy machine may leave one without samples, and so without its name. */
  for (guint i = 0; i < MAX_STALLS && !has_stall (NULL); i++)
    {
      g_idle_add (stall_cb, NULL);
      run_until (has_stall, NULL, MAX_WAIT_MS / MAX_STALLS);
    }
  severity = find_stall ();
  g_print (", \"page\": true, \"windows\": %u, \"width\": %d, \"before\": \"%s\", \"severity\": "
           "\"%s\"}\n",
           count_windows (), minimum, before, severity);
}

static gboolean
visit_cb (gpointer data)
{
  visit ();
  fflush (stdout);
  _exit (0);
}

static gboolean
wait_cb (gpointer data)
{
  if (!gtk_is_initialized () || count_windows () == 0)
    return G_SOURCE_CONTINUE;
  g_timeout_add (START_MS, visit_cb, NULL);
  return G_SOURCE_REMOVE;
}

__attribute__ ((constructor)) static void
arrive (void)
{
  g_unsetenv ("LD_PRELOAD");
  g_timeout_add (100, wait_cb, NULL);
}
