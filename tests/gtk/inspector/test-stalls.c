/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tab “Stalls”: each kind of stall is shown, with its culprit, and what can be done with it. */

#include "page.h"

#include <string.h>

#include "gtk/inspector/jank-inspector-parts-private.h"

static guint n_slept;

static G_GNUC_NO_INLINE void
sleep_here (void)
{
  sleep_until_told ();
  n_slept++; /* no tail call, and no code that both share */
}

static G_GNUC_NO_INLINE void
sleep_there (void)
{
  sleep_until_told ();
  n_slept += 2;
}

static void
stall_twice (int64_t duration_ns)
{
  sleep_here ();
  sleep_there ();
  n_slept++;
}

/* Each of many is shown once. */
TEST (shown_once)
{
  guint n;

  page_open ("stalls");
  n = inspector_count_stalls ("stall_sleep");
  for (guint i = 0; i < 5; i++)
    page_stall (stall_sleep);
  run_ms (300);
  g_assert_cmpuint (inspector_count_stalls ("stall_sleep"), ==, n + 5);
  inspector_close ();
}

static void
check_kind (const char *name, const char *culprit, const char *wait)
{
  g_autofree char *shown_culprit = NULL, *shown_wait = NULL, *severity = NULL, *headline = NULL;
  g_autoptr (GObject) newest = NULL;
  gint64 duration_ns;

  /* It is shown below without being asked for. */
  page_stall_as_newest (demo_stall_find (name)->stall);
  newest = g_list_model_get_item (inspector_get_stalls (), 0);
  g_object_get (newest, "culprit", &shown_culprit, "wait", &shown_wait, "severity", &severity, "headline", &headline,
                "duration-ns", &duration_ns, NULL);
  g_test_message ("%s: “%s”, %s, %s, %d ms", name, headline, shown_culprit, shown_wait, (int) (duration_ns / MS));
  /* It wraps, but not between a number and its unit. */
  g_assert_false (g_regex_match_simple ("\\d [\\pL%]", headline, G_REGEX_DEFAULT, G_REGEX_MATCH_DEFAULT));
  g_assert_true (strstr (headline, "\u00a0ms") != NULL || strstr (headline, "\u00a0s") != NULL);
  g_assert_nonnull (strstr (culprit, shown_culprit));
  g_assert_cmpstr (shown_culprit, !=, "");
  duration_ns += ((JankInspectorStall *) newest)->report->stall.stopped_ns;
  g_assert_cmpint (duration_ns, >=, INSPECTOR_STALL_NS);
  if (duration_ns < 500 * MS)
    g_assert_cmpstr (severity, ==, "microhang");
  /* Without a CPU for most of it, it waited for that. */
  if (wait != NULL && strstr (headline, "the machine was busy") == NULL)
    g_assert_true (g_str_has_prefix (shown_wait, wait));
}

/* A machine that gives us less than half of the stall takes the heavy part's majority from it. Whether it computed, or
 * wanted to, is the machine's decision: what it waited for is not. */
TEST (kinds)
{
  page_open ("stalls");
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

  page_open ("stalls");
  n = inspector_count_stalls (NULL);
  stall_nested (INSPECTOR_STALL_MS * MS);
  run_ms (400);
  g_assert_cmpuint (inspector_count_stalls (NULL), ==, n);
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

  page_open ("stalls");
  page_stall_as_newest (stall_twice);
  run_ms (200);
  list = inspector_find_widget (find_detail ("heaviest"), "GtkListBox");
  label = inspector_find_widget (gtk_widget_get_last_child (list), "GtkLabel");
  g_test_message ("%s", gtk_label_get_label (GTK_LABEL (label)));
  g_assert_nonnull (strstr (gtk_label_get_label (GTK_LABEL (label)), "sleep_"));
  inspector_close ();
}

TEST (details)
{
  page_open ("stalls");
  page_stall (stall_sleep);
  run_ms (200);
  g_assert_nonnull (inspector_find_widget (find_detail ("flame"), "JankFlameGraph"));
  g_assert_cmpuint (count_rows ("heaviest"), >=, 3);
  g_assert_cmpuint (count_rows ("samples"), >=, 1);
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
  GtkLabel *facts;

  page_open ("stalls");
  page_stall_as_newest (stall_lock);
  keep_chains ();
  page_stall_as_newest (stall_lock);
  facts = page_get_part ("JankInspectorStallView", "facts");
  g_test_message ("%s", gtk_label_get_label (facts));
  g_assert_nonnull (strstr (gtk_label_get_label (facts),
                            "waits for a lock on ‘/a.db’ → backup [2] sleeps (seen in another of these stalls)"));
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (facts)));
  inspector_close ();
}

static void
text_read_cb (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  *(char **) data = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, &error);
  g_assert_no_error (error);
}

/* What an issue tracker wants: Markdown, with the source's line, without what is nobody else's business. */
TEST (copy_as_issue)
{
  g_autofree char *text = NULL;
  GtkWidget *button;
  GtkLabel *message;

  page_open ("stalls");
  page_stall_as_newest (stall_compute);
  button = page_get_part ("JankInspectorStallView", "copy");
  message = page_get_part ("JankInspectorStallView", "message");
  g_assert_cmpstr (gtk_widget_get_tooltip_text (button), ==, "Copy as issue");
  g_signal_emit_by_name (button, "clicked");
  while (strstr (gtk_label_get_text (message), "is on the clipboard") == NULL)
    g_main_context_iteration (NULL, TRUE);
  page_keep_leaks_of_others (TRUE);
  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (button), NULL, text_read_cb, &text);
  AWAIT (text != NULL, run_ms (50));
  run_ms (500);
  page_keep_leaks_of_others (FALSE);
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
  GtkWidget *button;
  g_auto (GStrv) words = NULL;

  page_open ("stalls");
  page_stall_as_newest (stall_compute);
  headline = inspector_get_text (0, "headline");
  g_test_message ("opening %s", headline);
  button = page_get_part ("JankInspectorStallView", "open");
  g_assert_true (gtk_widget_get_visible (button));
  g_signal_emit_by_name (button, "clicked");
  page_stall_as_newest (stall_sleep);
  for (guint i = 0; i < 1200 && !g_file_test (opened, G_FILE_TEST_EXISTS); i++)
    run_ms (50);
  if (!g_file_get_contents (opened, &text, NULL, NULL))
    g_error ("No editor was opened; the page says “%s”",
             gtk_label_get_text (page_get_part ("JankInspectorStallView", "message")));
  g_test_message ("opened: %s", text);
  words = g_strsplit (g_strchomp (text), " ", 2);
  g_assert_cmpuint (g_strv_length (words), ==, 2);
  g_assert_cmpint (g_ascii_strtoll (words[0], NULL, 10), >, 1); /* +LINE */
  g_assert_true (g_str_has_suffix (words[1], "/src/demo/demo-stall-compute.c"));
  g_assert_true (g_file_test (words[1], G_FILE_TEST_IS_REGULAR));
  inspector_close ();
}

/* Rows of the flame graph are 20 pixels high. */
#define N_ROWS_PX (10 * 20)

/* At the inspector's own height a stall is a page of its own, with its culprit and ten rows of flames; where there is
 * room, it is below the list. */
TEST (low_window)
{
  GtkWidget *list, *view, *scrolled;
  const char *headline;

  page_open ("stalls");
  page_stall_as_newest (stall_sleep);
  list = page_get_part ("JankInspectorStalls", "list_pane");
  view = page_get_part ("JankInspectorStalls", "stall_view");
  AWAIT (gtk_widget_get_mapped (list) && !gtk_widget_get_mapped (view), run_ms (10));
  g_signal_emit_by_name (inspector_find_widget (list, "GtkColumnView"), "activate", 0);
  AWAIT (gtk_widget_get_mapped (view) && !gtk_widget_get_mapped (list), run_ms (10));
  scrolled = gtk_widget_get_ancestor (inspector_find_widget (view, "JankFlameGraph"), GTK_TYPE_SCROLLED_WINDOW);
  AWAIT (gtk_widget_get_height (scrolled) >= N_ROWS_PX, run_ms (10));
  headline = gtk_label_get_text (page_get_part ("JankInspectorStallView", "headline"));
  g_assert_nonnull (strstr (headline, "stall_sleep"));

  g_signal_emit_by_name (page_get_part ("JankInspectorStalls", "back"), "clicked");
  AWAIT (gtk_widget_get_mapped (list) && !gtk_widget_get_mapped (view), run_ms (10));
  gtk_window_set_default_size (inspector_find (), 960, 730);
  AWAIT (gtk_widget_get_mapped (view) && gtk_widget_get_mapped (list), run_ms (10));
  gtk_window_set_default_size (inspector_find (), 960, 500);
  AWAIT (!gtk_widget_get_mapped (view), run_ms (10));
  inspector_close ();
}

PAGE_TESTS ("/inspector/stalls")
