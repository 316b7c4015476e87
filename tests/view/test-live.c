/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page of what runs now, with a program that says what a watched one would: this file again, PROGRAM FOLDER, which
 * does what its input tells, a length of a stall in milliseconds a line. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include <gtk/gtk.h>

#include "base/jank-clock-private.h"
#include "folder.h"
#include "live/jank-live-file-private.h"
#include "report-fixture.h"
#include "test.h"
#include "text/jank-text-report-private.h"
#include "view-find.h"

#define ID        "20261121-153012-4242-1"
#define NARROW_PX 360

static const char *self_path;

/* The report of a stall that lasts, as its program writes it. */
static void
hang (JankStore *store, JankLiveFile *file, JankLive *live, gint64 duration_ms)
{
  g_autoptr (JankReport) report = report_fixture_new (ID), gist = NULL;
  g_autoptr (GError) error = NULL;

  report->stall.duration_ns = duration_ms * JANK_NS_PER_MS;
  report->stall.began_monotonic_ns = jank_clock_now_ns () - report->stall.duration_ns;
  report->stall.began_real_us = g_get_real_time () - duration_ms * 1000;
  report->stall.outcome = JANK_OUTCOME_ONGOING;
  report->repeats.count = 0;
  report->app.pid = getpid ();
  jank_store_write (store, report, &error);
  g_assert_no_error (error);
  gist = jank_text_gist (report);
  live->state = (JankLiveState) (JANK_REPORT_STALL + 1);
  live->since_ns = report->stall.began_monotonic_ns;
  live->duration_ns = report->stall.duration_ns;
  live->written_ns = jank_clock_now_ns ();
  jank_live_file_set (file, live, gist);
}

static int
run_program (const char *folder)
{
  JankStore *store = jank_store_new (folder, 100, 1 << 24);
  JankLiveFile *file = jank_live_file_new (folder, FALSE);
  g_autoptr (JankLive) live = jank_live_new ();
  char line[32];

  jank_set_text (&live->name, "editor");
  jank_set_text (&live->store, folder);
  live->pid = getpid ();
  live->began_ns = live->written_ns = jank_clock_now_ns ();
  live->fps = -1;
  while (fgets (line, sizeof line, stdin) != NULL)
    {
      live->state = JANK_LIVE_CALM;
      live->since_ns = live->duration_ns = 0;
      if (atoi (line) > 0)
        hang (store, file, live, atoi (line));
      else
        jank_live_file_set (file, live, NULL);
    }
  jank_live_file_close (file);
  jank_live_file_free (file);
  jank_store_free (store);
  return 0;
}

static void
tell (gint input, const char *line)
{
  g_assert_cmpint (write (input, line, strlen (line)), ==, strlen (line));
}

static void
show_live (GtkWidget *window)
{
  GtkWidget *pages = view_find (window, view_has_type, "JankViewBrowser");

  gtk_stack_set_visible_child_name (GTK_STACK (gtk_widget_get_parent (pages)), "live");
}

/* Its report grows with the hang, and stays when that is over. */
TEST (hangs)
{
  g_autofree char *folder = folder_new ("view");
  g_autoptr (JankViewSource) source =
      jank_view_source_new_store (jank_store_new (folder, 100, 1 << 24), jank_filter_new ());
  const char *argv[] = { self_path, "PROGRAM", folder, NULL };
  g_autoptr (GError) error = NULL;
  gint input;
  GPid pid;
  GtkWidget *window;

  g_setenv ("XDG_RUNTIME_DIR", folder, TRUE);
  g_spawn_async_with_pipes (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, &input, NULL, NULL,
                            &error);
  g_assert_no_error (error);
  window = view_open (source, NARROW_PX);
  show_live (window);
  tell (input, "0\n");
  view_wait_for_text (window, "editor");
  view_wait_for_text (window, "calm");
  tell (input, "1100\n");
  view_wait_for_text (window, "stuck");
  g_signal_emit_by_name (view_find (window, view_has_type, "GtkListView"), "activate", 0);
  view_wait_for_text (window, "stalled for 1.10\u00a0s so far");
  g_assert_nonnull (view_find (window, view_has_type, "JankFlameGraph"));
  g_assert_cmpint (gtk_widget_get_width (window), <=, NARROW_PX);
  tell (input, "2200\n");
  view_wait_for_text (window, "stalled for 2.20\u00a0s so far");
  tell (input, "0\n");
  view_wait_for_text (window, "calm");
  g_assert_nonnull (view_find (window, view_is_label, "stalled for 2.20\u00a0s so far"));
  close (input);
  waitpid (pid, NULL, 0);
  view_wait_for_text (window, "No Watched Program Runs");
  gtk_window_destroy (GTK_WINDOW (window));
  folder_remove (folder);
}

int
main (int argc, char **argv)
{
  if (argc == 3 && g_str_equal (argv[1], "PROGRAM"))
    return run_program (argv[2]);
  self_path = argv[0];
  gtk_init ();
  g_test_init (&argc, &argv, NULL);
  tests_add_all ("/view/live");
  return g_test_run ();
}
