/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program with windows on two displays, each of which has an inspector of its own in GTK; both show the whole
 * program. The tests share the windows and run in order: the last one closes the other display. */

#include "inspector.h"

#include <dlfcn.h>
#include <string.h>
#include <jankwatch.h>

#include "base/jank-clock-private.h"
#include "demo.h"
#include "folder.h"
#include "gtk/jank-gtk-plugin-private.h"
#include "test.h"

#define MS G_GINT64_CONSTANT (1000000)
#define RUN_MS 100
#define MAX_RUNS 100
#define N_FRAMES_MIN 10

/* Frames on their way when counting begins or ends. */
#define N_ON_THEIR_WAY 3

enum { HERE, ALSO_HERE, THERE, MOVING, N_WINDOWS };

static const char *const titles[N_WINDOWS] = { "Here", "Also here", "There", "Moving" };

static JankMonitor *monitor;
static GdkDisplay *other;           /* (nullable): it was closed */
static GtkWindow *windows[N_WINDOWS];
static guint n_drawn[N_WINDOWS];    /* what each window saw of its own frames */
static guint stalls_in_frame = N_WINDOWS;
static gboolean is_closing;         /* an inspector */

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  n_drawn[i]++;
  gtk_widget_queue_draw (widget);
  if (stalls_in_frame == i)
    {
      stalls_in_frame = N_WINDOWS;
      stall_sleep (INSPECTOR_STALL_MS * MS);
    }
  return G_SOURCE_CONTINUE;
}

static void
make_window (guint i, GdkDisplay *display)
{
  windows[i] = g_object_new (GTK_TYPE_WINDOW, "display", display, "title", titles[i], "default-width", 240,
                             "default-height", 160, "child", gtk_label_new (titles[i]), NULL);
  gtk_widget_add_tick_callback (GTK_WIDGET (windows[i]), tick_cb, GUINT_TO_POINTER (i), NULL);
  gtk_window_present (windows[i]);
}

/* Inspectors are made in the order in which the tests open them. */
static GtkWidget *
find_page (GdkDisplay *of)
{
  GtkWindow *inspector = g_object_get_data (G_OBJECT (of), "-gtk-inspector");

  return inspector != NULL ? inspector_find_widget (GTK_WIDGET (inspector), "JankInspectorPage") : NULL;
}

static void
show_tab (GtkWidget *page, const char *name)
{
  inspector_show_tab_of (page, name);
  run_ms (300);
}

/* Returns: "12 frames shown, …" */
static guint
read_shown_frames (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget) && strstr (gtk_label_get_text (GTK_LABEL (widget)), " frames shown") != NULL)
    return (guint) g_ascii_strtoull (gtk_label_get_text (GTK_LABEL (widget)), NULL, 10);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child =
       gtk_widget_get_next_sibling (child))
    {
      guint n = read_shown_frames (child);

      if (n > 0)
        return n;
    }
  return 0;
}

static gboolean
have_all_drawn (guint n_windows, const guint *before)
{
  for (guint i = 0; i < n_windows; i++)
    if (n_drawn[i] - before[i] <= N_FRAMES_MIN)
      return FALSE;
  return TRUE;
}

/* As the plug-in has counted each window's frames. A window that changed its display has two clocks. */
static void
count_told (guint *ret_told)
{
  static JankFrameSnapshot merged, scratch;
  static JankFrameSummary summary;
  void *library = dlopen ("libjankwatch-gtk4.so", RTLD_LAZY | RTLD_NOLOAD);
  JankGtkPluginGetFunc get = library != NULL ? (JankGtkPluginGetFunc) dlsym (library, JANK_GTK_PLUGIN_SYMBOL) : NULL;

  g_assert_nonnull (get);
  g_assert_true (jank_frame_clocks_summarize (get ()->get_frames (), jank_clock_now_ns (), &merged, &scratch,
                                              &summary));
  for (guint i = 0; i < N_WINDOWS; i++)
    {
      ret_told[i] = 0;
      for (guint k = 0; k < summary.n_windows; k++)
        if (strcmp (summary.windows[k].name, titles[i]) == 0)
          ret_told[i] += (guint) summary.windows[k].numbers.frames;
    }
  dlclose (library);
}

/* Every window's frames are counted, by its name. */
static void
check_frames (guint n_windows)
{
  guint drawn[N_WINDOWS], told[N_WINDOWS], now[N_WINDOWS];

  memcpy (drawn, n_drawn, sizeof drawn);
  count_told (told);
  for (guint i = 0; i < MAX_RUNS && !have_all_drawn (n_windows, drawn); i++)
    run_ms (RUN_MS);
  count_told (now);
  for (guint i = 0; i < n_windows; i++)
    {
      g_test_message ("“%s”: %u frames drawn, %u told", titles[i], n_drawn[i] - drawn[i], now[i] - told[i]);
      g_assert_cmpuint (n_drawn[i] - drawn[i], >, N_FRAMES_MIN);
      g_assert_cmpuint (now[i] - told[i] + N_ON_THEIR_WAY, >=, n_drawn[i] - drawn[i]);
      g_assert_cmpuint (now[i] - told[i], <=, n_drawn[i] - drawn[i] + N_ON_THEIR_WAY);
    }
}

static gboolean
stall_cb (gpointer data)
{
  stall_sleep (INSPECTOR_STALL_MS * MS);
  return G_SOURCE_REMOVE;
}

/* in_frame: of which window; or N_WINDOWS: in a callback of the loop. Returns how long after its end the page had
 * it. */
static gint64
stall (GtkWidget *page, guint in_frame)
{
  guint n = inspector_count_made (page);

  if (in_frame < N_WINDOWS)
    {
      stalls_in_frame = in_frame;
      while (stalls_in_frame < N_WINDOWS)
        g_main_context_iteration (NULL, TRUE);
    }
  else
    {
      g_idle_add (stall_cb, NULL);
      while (g_main_context_iteration (NULL, FALSE))
        ;
    }
  return inspector_await_stall_ms (page, n + 1);
}

/* A busy machine may take longer for one of several. */
static void
check_stalls (GtkWidget *page, guint in_frame)
{
  gint64 shortest_ms = G_MAXINT64;

  for (guint i = 0; i < 3 && shortest_ms > INSPECTOR_SHOWN_MS; i++)
    shortest_ms = MIN (shortest_ms, stall (page, in_frame));
  g_test_message ("shown %d ms after the stall", (int) shortest_ms);
  g_assert_cmpint (shortest_ms, <=, INSPECTOR_SHOWN_MS);
}

static void
open_inspector (GtkWindow *of)
{
  gboolean was_opened = FALSE;

  g_signal_emit_by_name (of, "enable-debugging", FALSE, &was_opened);
  g_assert_true (was_opened);
  run_ms (1500);
}

TEST (appears)
{
  GtkWidget *page;
  guint n;

  open_inspector (windows[HERE]);
  page = find_page (gdk_display_get_default ());
  g_assert_nonnull (page);
  g_assert_false (gtk_widget_get_display (page) == gdk_display_get_default ());
  show_tab (page, "frames");
  check_frames (N_WINDOWS);
  /* All of the last 10 s, of four windows. */
  run_ms (300);
  n = read_shown_frames (page);
  g_test_message ("%u frames shown", n);
  g_assert_cmpuint (n, >, N_WINDOWS * N_FRAMES_MIN);
  show_tab (page, "stalls");
  check_stalls (page, N_WINDOWS);
  check_stalls (page, HERE);
  check_stalls (page, THERE);
}

/* Two inspectors at once: neither sees the other, and each is told of what comes. */
TEST (both_inspectors)
{
  GtkWidget *here = find_page (gdk_display_get_default ()), *there;
  guint n = inspector_count_stalls (here);

  open_inspector (windows[THERE]);
  there = find_page (other);
  g_assert_nonnull (there);
  g_assert_true (there != here);
  /* None is gone; a machine without a CPU to spare makes some. */
  g_assert_cmpuint (inspector_count_stalls (here), >=, n);
  show_tab (there, "settings");
  show_tab (here, "frames");
  check_frames (N_WINDOWS);
  g_assert_cmpuint (inspector_count_stalls (here), >=, n);
  show_tab (there, "stalls");
  show_tab (here, "stalls");
  check_stalls (there, N_WINDOWS);
  check_stalls (here, N_WINDOWS);
  g_assert_cmpuint (inspector_count_stalls (there), ==, inspector_count_stalls (here));
}

/* Closing one takes nothing from the other. */
TEST (one_closed)
{
  GtkWidget *here = find_page (gdk_display_get_default ());

  is_closing = TRUE;
  gtk_window_close (GTK_WINDOW (gtk_widget_get_root (find_page (other))));
  run_ms (300);
  is_closing = FALSE;
  g_assert_null (find_page (other));
  check_stalls (here, N_WINDOWS);
}

TEST (moved)
{
  GdkDisplay *home = gdk_display_get_default ();
  guint n = inspector_count_stalls (find_page (home));

  for (guint i = 0; i < 2; i++)
    {
      gtk_window_set_display (windows[MOVING], i % 2 == 0 ? home : other);
      gtk_window_present (windows[MOVING]);
      run_ms (300);
      check_frames (N_WINDOWS);
    }
  g_assert_cmpuint (inspector_count_stalls (find_page (home)), ==, n);
  check_stalls (find_page (home), MOVING);
}

TEST (display_closed)
{
  GtkWidget *page = find_page (gdk_display_get_default ());

  gtk_window_destroy (windows[THERE]);
  gtk_window_destroy (windows[MOVING]);
  run_ms (200);
  gdk_display_close (other);
  run_ms (500);
  g_assert_true (gdk_display_is_closed (other));
  show_tab (page, "frames");
  check_frames (THERE);
  show_tab (page, "stalls");
  check_stalls (page, N_WINDOWS);
  inspector_close ();
  run_ms (200);
  open_inspector (windows[ALSO_HERE]);
  g_assert_true (find_page (gdk_display_get_default ()) == page);
  check_stalls (page, ALSO_HERE);
}

/* GTK 4.8 has a menu left over of an inspector that is destroyed, and says so: a line, and one per child. */
static GLogWriterOutput
log_cb (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  for (gsize i = 0; i < n_fields; i++)
    if (is_closing && g_str_equal (fields[i].key, "MESSAGE") &&
        (g_str_has_prefix (fields[i].value, "Finalizing GtkInspector") || g_str_has_prefix (fields[i].value, "   - ")))
      return G_LOG_WRITER_HANDLED;
  return g_log_writer_default (level, fields, n_fields, data);
}

/* As the key does, without its question. */
static void
allow_inspector (void)
{
  GSettings *settings = g_settings_new ("org.gtk.gtk4.Settings.Debug");

  g_settings_set_boolean (settings, "enable-inspector-keybinding", TRUE);
  g_settings_set_boolean (settings, "inspector-warning", FALSE);
  g_object_unref (settings);
}

static void
start (const char *store)
{
  g_autoptr (GError) error = NULL;

  other = gdk_display_open (g_getenv ("JANKWATCH_TEST_OTHER_DISPLAY"));
  g_assert_nonnull (other);
  g_assert_false (other == gdk_display_get_default ());
  make_window (HERE, gdk_display_get_default ());
  make_window (ALSO_HERE, gdk_display_get_default ());
  make_window (THERE, other);
  make_window (MOVING, gdk_display_get_default ());
  monitor = jank_monitor_new ();
  g_assert_true (jank_monitor_set_setting (monitor, "store", store, &error));
  g_assert_true (jank_monitor_set_setting (monitor, "overlay", "yes", &error));
  g_assert_true (jank_monitor_start (monitor, &error));
  run_ms (500);
  gtk_window_set_display (windows[MOVING], other);
  gtk_window_present (windows[MOVING]);
  run_ms (1500);
}

int
main (int argc, char **argv)
{
  g_autofree char *store = folder_new ("jankwatch-displays");
  int status;

  g_test_init (&argc, &argv, NULL);
  g_setenv ("XDG_CONFIG_HOME", store, TRUE);
  g_log_set_writer_func (log_cb, NULL, NULL);
  gtk_init ();
  allow_inspector ();
  start (store);
  tests_add_all ("/inspector/displays");
  status = g_test_run ();
  jank_monitor_stop (monitor);
  g_object_unref (monitor);
  folder_remove (store);
  return status;
}
