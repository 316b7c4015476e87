/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The real inspector over a program that is watched, and stalls in every way the demo knows. */

#include "inspector.h"

#include <string.h>
#include <jankwatch.h>

#include "demo-stall.h"
#include "folder.h"
#include "test.h"

#define MS G_GINT64_CONSTANT (1000000)
#define BRIEF_MS 60
#define N_TIMES 60 /* that the page is opened: what stays of one, stays of the first */
#define MAX_WAIT_MS 10000

static JankMonitor *monitor;
static GtkWindow *window;
static char *store;
static guint n_ticks;

static const char *const tabs[] = { "now", "frames", "stalls", "settings" };

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  n_ticks++;
  gtk_widget_queue_draw (widget);
  return G_SOURCE_CONTINUE;
}

/* Returns: (transfer none) (nullable): the text of a label in widget that begins so */
static const char *
find_text (GtkWidget *widget, const char *prefix)
{
  if (GTK_IS_LABEL (widget) && g_str_has_prefix (gtk_label_get_text (GTK_LABEL (widget)), prefix))
    return gtk_label_get_text (GTK_LABEL (widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      const char *text = find_text (child, prefix);

      if (text != NULL)
        return text;
    }
  return NULL;
}

static guint
count_stalls (void)
{
  return inspector_count_stalls (inspector_get_page ());
}

static gboolean
stall_cb (gpointer data)
{
  ((void (*) (int64_t)) data) (INSPECTOR_STALL_MS * MS);
  return G_SOURCE_REMOVE;
}

static G_GNUC_NO_INLINE void
sleep_here (int64_t duration_ns)
{
  g_usleep ((gulong) duration_ns / 2000);
  n_ticks++; /* no tail call, and no code that both share */
}

static G_GNUC_NO_INLINE void
sleep_there (int64_t duration_ns)
{
  g_usleep ((gulong) duration_ns / 2000);
  n_ticks += 2;
}

static void
stall_twice (int64_t duration_ns)
{
  sleep_here (duration_ns);
  sleep_there (duration_ns);
  n_ticks++;
}

/* Returns how long after the stall's end the page had it. */
static gint64
stall (void (*func) (int64_t duration_ns))
{
  guint n = inspector_count_made (inspector_get_page ());

  g_idle_add (stall_cb, func);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  return inspector_await_stall_ms (inspector_get_page (), n + 1);
}

/* Until the page shows one such stall below its list, and not a later one of the machine's. */
static void
stall_as_newest (void (*func) (int64_t duration_ns))
{
  gboolean is_ours = FALSE;

  for (guint i = 0; i < 10 && !is_ours; i++)
    {
      g_autoptr (GObject) first = NULL;

      stall (func);
      run_ms (200);
      first = g_list_model_get_item (inspector_get_stalls (), 0);
      is_ours = !inspector_is_the_machines (first);
    }
  g_assert_true (is_ours);
}

static void
open_page (const char *tab)
{
  inspector_open (window);
  g_assert_nonnull (inspector_get_page ());
  inspector_show_tab (tab);
  run_ms (300);
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
      open_page (i % 2 == 0 ? "now" : "frames");
    }
  inspector_show_tab ("stalls");
  run_ms (500);
  for (guint i = 0; i < g_list_model_get_n_items (inspector_get_stalls ()); i++)
    {
      g_autofree char *kind = inspector_get_text (i, "kind"), *headline = inspector_get_text (i, "headline");
      g_autoptr (GObject) stall = g_list_model_get_item (inspector_get_stalls (), i);

      g_test_message ("%s: %s", kind, headline);
      if (!inspector_is_the_machines (stall))
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
  inspector_show_tab ("now");
  g_assert_true (run_until (inspector_has_figures, NULL, MAX_WAIT_MS));
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

  open_page ("frames");
  chart = inspector_find_widget (inspector_get_page (), "JankFrameChart");
  g_assert_nonnull (chart);
  /* On a busy machine one may become a stall. */
  for (guint i = 0; i < 100 && text == NULL; i++)
    {
      g_idle_add (brief_cb, &began_ns);
      run_ms (400);
      g_signal_emit_by_name (chart, "activated", began_ns, began_ns + BRIEF_MS * MS);
      inspector_show_tab ("frames");
      text = find_text (inspector_get_page (), "No stall, but");
    }
  g_assert_nonnull (text);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, "stall_compute"));

  g_signal_emit_by_name (chart, "activated", (gint64) 1, (gint64) 2);
  g_assert_nonnull (find_text (inspector_get_page (), "No stack was taken"));
  inspector_close ();
}

/* A busy machine may take longer for one of many; each is shown once. */
TEST (shown_soon)
{
  gint64 shortest_ms = G_MAXINT64;
  guint n;

  open_page ("stalls");
  n = inspector_count_stalls_in (inspector_get_page (), "stall_sleep");
  for (guint i = 0; i < 5; i++)
    {
      gint64 after_ms = stall (stall_sleep);

      g_test_message ("shown %d ms after the stall", (int) after_ms);
      shortest_ms = MIN (shortest_ms, after_ms);
    }
  run_ms (300);
  g_assert_cmpuint (inspector_count_stalls_in (inspector_get_page (), "stall_sleep"), ==, n + 5);
  g_assert_cmpint (shortest_ms, <=, INSPECTOR_SHOWN_MS);
  inspector_close ();
}

static void
check_kind (const char *name, const char *culprit, const char *wait)
{
  g_autofree char *shown_culprit = NULL, *shown_wait = NULL, *severity = NULL, *headline = NULL;
  g_autoptr (GObject) newest = NULL, first = NULL;
  gint64 duration_ns;
  GtkWidget *label;

  stall (demo_stall_find (name)->stall);
  run_ms (100);
  first = g_list_model_get_item (inspector_get_stalls (), 0);
  g_object_get (first, "headline", &headline, "duration-ns", &duration_ns, NULL);
  if (inspector_is_the_machines (first) && duration_ns >= INSPECTOR_STALL_NS)
    {
      g_test_message ("%s: who is to blame is not judged: %s", name, headline);
      return;
    }
  g_clear_pointer (&headline, g_free);
  newest = inspector_get_newest ();
  g_object_get (newest, "culprit", &shown_culprit, "wait", &shown_wait, "severity", &severity, "headline", &headline,
                "duration-ns", &duration_ns, NULL);
  g_test_message ("%s: “%s”, %s, %s, %d ms", name, headline, shown_culprit, shown_wait, (int) (duration_ns / MS));
  g_assert_nonnull (strstr (culprit, shown_culprit));
  g_assert_cmpstr (shown_culprit, !=, "");
  g_assert_cmpint (duration_ns, >=, INSPECTOR_STALL_NS);
  if (duration_ns < 500 * MS)
    g_assert_cmpstr (severity, ==, "microhang");
  if (wait != NULL)
    g_assert_true (g_str_has_prefix (shown_wait, wait));
  /* The newest is shown below without being asked for. */
  label = inspector_find_widget (inspector_find_widget (inspector_get_page (), "JankInspectorStallView"), "GtkLabel");
  if (newest == first)
    g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), ==, headline);
}

/* A machine that gives us less than half of the stall takes the heavy part's majority from it. Whether it computed, or
 * wanted to, is the machine's decision: what it waited for is not. */
TEST (kinds)
{
  open_page ("stalls");
  check_kind ("compute", "stall_compute", NULL);
  check_kind ("sleep", "stall_sleep", "sleeping");
  check_kind ("lock", "stall_lock", "waiting for a lock (mutex)");
  check_kind ("dbus", "stall_dbus", "waiting for the D-Bus reply to ");
  check_kind ("file", "stall_file", NULL);
  check_kind ("split", "split_heavy, split_medium, split_light or stall_split", NULL);
  inspector_close ();
}

TEST (nested)
{
  guint n;

  open_page ("stalls");
  n = count_stalls ();
  stall_nested (INSPECTOR_STALL_MS * MS);
  run_ms (400);
  g_assert_cmpuint (count_stalls (), ==, n);
  inspector_close ();
}

static GtkWidget *
find_detail (const char *name)
{
  GtkWidget *view = inspector_find_widget (inspector_get_page (), "JankInspectorStallView");
  GtkWidget *stack = inspector_find_widget (view, "GtkStack");

  gtk_stack_set_visible_child_name (GTK_STACK (stack), name);
  run_ms (50);
  return gtk_stack_get_visible_child (GTK_STACK (stack));
}

static guint
count_rows (const char *name)
{
  GtkWidget *list = inspector_find_widget (find_detail (name), "GtkListBox");
  guint n = 0;

  for (GtkWidget *row = gtk_widget_get_first_child (list); row != NULL; row = gtk_widget_get_next_sibling (row))
    n++;
  return n;
}

/* The stack is of one half, and the other one is told of below it. */
TEST (branches)
{
  GtkWidget *list, *label;

  open_page ("stalls");
  stall_as_newest (stall_twice);
  run_ms (200);
  list = inspector_find_widget (find_detail ("heaviest"), "GtkListBox");
  label = inspector_find_widget (gtk_widget_get_last_child (list), "GtkLabel");
  g_test_message ("%s", gtk_label_get_label (GTK_LABEL (label)));
  g_assert_nonnull (strstr (gtk_label_get_label (GTK_LABEL (label)), "sleep_"));
  inspector_close ();
}

TEST (details)
{
  open_page ("stalls");
  stall (stall_sleep);
  run_ms (200);
  g_assert_nonnull (inspector_find_widget (find_detail ("flame"), "JankFlameGraph"));
  g_assert_cmpuint (count_rows ("heaviest"), >=, 3);
  g_assert_cmpuint (count_rows ("samples"), >=, 3);
  g_assert_cmpuint (count_rows ("threads"), >=, 1);
  g_assert_cmpuint (count_rows ("tags"), >=, 1);
  find_detail ("flame");
  inspector_close ();
}

/* What somebody outside has kept beside a report of whom it waited for. */
static void
keep_chains (void)
{
  static const char chain[] = "{\"schema\":\"jankwatch-chain-1\",\"cause\":\"sleep\",\"settled\":true,\"links\":["
    "{\"pid\":1,\"tid\":1,\"name\":\"program\",\"kind\":\"file-lock\",\"target\":\"/a.db\"},"
    "{\"pid\":2,\"tid\":2,\"name\":\"backup\",\"kind\":\"sleep\"}]}";
  g_autofree char *folder = g_build_filename (store, "chains", NULL);
  g_autoptr (GDir) reports = g_dir_open (store, 0, NULL);
  const char *name;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  while ((name = g_dir_read_name (reports)) != NULL)
    if (g_str_has_suffix (name, ".json"))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        g_assert_true (g_file_set_contents (path, chain, -1, NULL));
      }
}

/* Of a stall that was counted into a report that is there: it is shown by its next one. */
TEST (chain)
{
  GtkWidget *view;
  GtkLabel *facts;

  open_page ("stalls");
  stall_as_newest (stall_lock);
  keep_chains ();
  stall_as_newest (stall_lock);
  view = inspector_find_widget (inspector_get_page (), "JankInspectorStallView");
  facts = GTK_LABEL (gtk_widget_get_template_child (view, G_OBJECT_TYPE (view), "facts"));
  g_test_message ("%s", gtk_label_get_label (facts));
  g_assert_nonnull (strstr (gtk_label_get_label (facts),
                            "waits for a lock on ‘/a.db’ → backup [2] sleeps (seen in another of these stalls)"));
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (facts)));
  inspector_close ();
}

/* By fingerprint: the next such stall is resolved when it comes. */
TEST (resolved)
{
  g_autofree char *path = g_build_filename (store, "resolved", NULL);
  g_autofree char *text = NULL;
  g_autofree char *fingerprint = NULL;
  g_autoptr (GObject) newest = NULL;
  GtkWidget *view, *button;
  gboolean resolved;

  open_page ("stalls");
  stall_as_newest (stall_lock);
  fingerprint = inspector_get_text (0, "fingerprint");
  g_assert_cmpstr (fingerprint, !=, "");
  view = inspector_find_widget (inspector_get_page (), "JankInspectorStallView");
  button = GTK_WIDGET (gtk_widget_get_template_child (view, G_OBJECT_TYPE (view), "resolved"));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), TRUE);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, fingerprint));
  stall_as_newest (stall_lock);
  newest = g_list_model_get_item (inspector_get_stalls (), 0);
  g_object_get (newest, "resolved", &resolved, NULL);
  g_assert_true (resolved);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), FALSE);
  inspector_close ();
}

static void
text_read_cb (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  *(char **) data = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, &error);
  g_assert_no_error (error);
}

/* GDK 4.8 loses what the X server says of a clipboard that it has taken. Its functions have no names here. */
void __lsan_disable (void) __attribute__ ((weak));
void __lsan_enable (void) __attribute__ ((weak));

static void
keep_leaks_of_others (gboolean keep)
{
  if (keep && __lsan_disable != NULL)
    __lsan_disable ();
  else if (!keep && __lsan_enable != NULL)
    __lsan_enable ();
}

/* What an issue tracker wants: Markdown, with the source's line, without what is nobody else's business. */
TEST (copy_as_issue)
{
  g_autofree char *text = NULL;
  GtkWidget *view, *button;
  GtkLabel *message;

  open_page ("stalls");
  stall_as_newest (stall_compute);
  view = inspector_find_widget (inspector_get_page (), "JankInspectorStallView");
  button = GTK_WIDGET (gtk_widget_get_template_child (view, G_OBJECT_TYPE (view), "copy"));
  message = GTK_LABEL (gtk_widget_get_template_child (view, G_OBJECT_TYPE (view), "message"));
  g_assert_cmpstr (gtk_widget_get_tooltip_text (button), ==, "Copy as issue");
  g_signal_emit_by_name (button, "clicked");
  while (strstr (gtk_label_get_text (message), "is on the clipboard") == NULL)
    g_main_context_iteration (NULL, TRUE);
  keep_leaks_of_others (TRUE);
  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (view), NULL, text_read_cb, &text);
  for (guint i = 0; i < 600 && text == NULL; i++)
    run_ms (50);
  run_ms (500);
  keep_leaks_of_others (FALSE);
  g_assert_true (g_str_has_prefix (text, "### "));
  g_assert_nonnull (strstr (text, "demo-stall-compute.c:"));
  g_assert_nonnull (strstr (text, "Found with jankwatch"));
  g_assert_null (strstr (text, store));
  inspector_close ();
}

/* The line is not known in this process: the command is asked for it. It opens also when another stall is shown
 * meanwhile. */
TEST (editor)
{
  g_autofree char *opened = g_build_filename (store, "opened", NULL);
  g_autofree char *text = NULL, *headline = NULL;
  GtkWidget *view, *button;
  g_auto (GStrv) words = NULL;

  open_page ("stalls");
  stall_as_newest (stall_compute);
  headline = inspector_get_text (0, "headline");
  g_test_message ("opening %s", headline);
  view = inspector_find_widget (inspector_get_page (), "JankInspectorStallView");
  button = GTK_WIDGET (gtk_widget_get_template_child (view, G_OBJECT_TYPE (view), "open"));
  g_assert_true (gtk_widget_is_visible (button));
  g_signal_emit_by_name (button, "clicked");
  stall_as_newest (stall_sleep);
  for (guint i = 0; i < 600 && !g_file_test (opened, G_FILE_TEST_EXISTS); i++)
    run_ms (50);
  if (!g_file_get_contents (opened, &text, NULL, NULL))
    g_error ("No editor was opened; the page says “%s”",
             gtk_label_get_text (GTK_LABEL (gtk_widget_get_template_child (view, G_OBJECT_TYPE (view), "message"))));
  g_test_message ("opened: %s", text);
  words = g_strsplit (g_strchomp (text), " ", 2);
  g_assert_cmpuint (g_strv_length (words), ==, 2);
  g_assert_cmpint (g_ascii_strtoll (words[0], NULL, 10), >, 1); /* +LINE */
  g_assert_true (g_str_has_suffix (words[1], "/src/demo/demo-stall-compute.c"));
  g_assert_true (g_file_test (words[1], G_FILE_TEST_IS_REGULAR));
  inspector_close ();
}

static gpointer
get_setting_widget (const char *name)
{
  GtkWidget *settings = inspector_find_widget (inspector_get_page (), "JankInspectorSettings");

  return gtk_widget_get_template_child (settings, G_OBJECT_TYPE (settings), name);
}

TEST (settings)
{
  g_autofree char *path = g_build_filename (g_get_user_config_dir (), "jankwatch", "settings.conf", NULL);
  g_autofree char *text = NULL;
  GtkWidget *watching, *threshold;
  guint n;

  open_page ("settings");
  threshold = get_setting_widget ("threshold");
  g_assert_cmpfloat (gtk_spin_button_get_value (GTK_SPIN_BUTTON (threshold)), ==, 100);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (threshold), 1500);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  n = count_stalls ();
  stall_sleep (INSPECTOR_STALL_MS * MS);
  run_ms (400);
  g_assert_cmpuint (count_stalls (), ==, n);

  g_signal_emit_by_name (get_setting_widget ("save"), "clicked");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "threshold=1500ms"));
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (threshold), 100);

  watching = get_setting_widget ("watching");
  gtk_switch_set_active (GTK_SWITCH (watching), FALSE);
  g_assert_true (jank_monitor_get_paused (monitor));
  stall_sleep (INSPECTOR_STALL_MS * MS);
  run_ms (400);
  g_assert_cmpuint (count_stalls (), ==, n);
  gtk_switch_set_active (GTK_SWITCH (watching), TRUE);
  run_ms (200);
  stall (stall_sleep);
  inspector_close ();
}

/* A preset starts the monitor anew; the list stays. */
TEST (preset)
{
  GtkDropDown *preset;
  guint n, i = 0;
  g_autofree char *text = NULL;

  open_page ("settings");
  n = count_stalls ();
  preset = get_setting_widget ("preset");
  while (!g_str_equal (gtk_string_list_get_string (GTK_STRING_LIST (gtk_drop_down_get_model (preset)), i), "semaphore"))
    i++;
  gtk_drop_down_set_selected (preset, i);
  run_ms (1500);
  g_assert_true (jank_monitor_is_running (monitor));
  g_assert_cmpuint (gtk_drop_down_get_selected (preset), ==, i);
  g_assert_cmpuint (count_stalls (), ==, n);
  stall (stall_sleep);
  gtk_drop_down_set_selected (preset, 0);
  run_ms (1500);
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
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    watch (child, n_alive);
}

static guint
count_ours (GtkWidget *widget)
{
  guint n = strstr (G_OBJECT_TYPE_NAME (widget), "Jank") != NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    n += count_ours (child);
  return n;
}

/* But those of frames that do not come while this program opens the inspector again and again: a sanitizer is slow. */
static guint
count_other_stalls (void)
{
  return count_stalls () - inspector_count_stalls_in (inspector_get_page (), "inspector_open");
}

/* GTK keeps its inspector, and hides it: so it is with us. */
TEST (opened_often)
{
  guint n_ours, n_stalls;

  open_page ("stalls");
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
      gtk_stack_set_visible_child_name (GTK_STACK (inspector_find_widget (page, "GtkStack")), tabs[i % G_N_ELEMENTS (tabs)]);
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

  open_page ("now");
  stopped = GTK_WIDGET (gtk_widget_get_template_child (inspector_get_page (), G_OBJECT_TYPE (inspector_get_page ()), "stopped"));
  jank_monitor_stop (monitor);
  run_ms (1200);
  g_assert_true (gtk_widget_get_visible (stopped));
  inspector_show_tab ("stalls");
  run_ms (200);
  g_assert_true (jank_monitor_start (monitor, &error));
  run_ms (1200);
  g_assert_false (gtk_widget_get_visible (stopped));
  stall (stall_sleep);
  inspector_close ();
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
  g_assert_true (jank_monitor_start (monitor, &error));
  run_ms (1500);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  store = folder_new ("jankwatch-inspector");
  g_setenv ("XDG_CONFIG_HOME", store, TRUE);
  inspector_install_editor (store);
  gtk_init ();
  demo_dbus_start ();
  start ();
  tests_add_all ("/inspector/page");
  status = g_test_run ();
  jank_monitor_stop (monitor);
  g_object_unref (monitor);
  folder_remove (store);
  g_free (store);
  return status;
}
