/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* window FRAMES STALL_MS: a GTK 3 program that animates a window for so many frames and stalls in the middle. At its
 * end it prints what it knows of itself as JSON. */

#include <stdlib.h>
#include <gtk/gtk.h>

static int n_frames, n_wanted, stall_ms;
static gint64 began_us, ended_us;

/* Threads of a monitor in this process. */
static int
count_watchers (void)
{
  GDir *tasks = g_dir_open ("/proc/self/task", 0, NULL);
  int n = 0;

  for (const char *tid = g_dir_read_name (tasks); tid != NULL; tid = g_dir_read_name (tasks))
    {
      g_autofree char *path = g_build_filename ("/proc/self/task", tid, "comm", NULL), *name = NULL;

      n += g_file_get_contents (path, &name, NULL, NULL) && g_str_has_prefix (name, "jankwatch");
    }
  g_dir_close (tasks);
  return n;
}

static void __attribute__ ((noinline))
stall_on_purpose (void)
{
  began_us = g_get_monotonic_time ();
  g_usleep (stall_ms * 1000);
  ended_us = g_get_monotonic_time ();
}

static gboolean
tick_cb (GtkWidget *button, GdkFrameClock *clock, gpointer data)
{
  gtk_widget_queue_draw (button);
  if (++n_frames == n_wanted / 2)
    gtk_button_clicked (GTK_BUTTON (button));
  if (n_frames >= n_wanted)
    gtk_main_quit ();
  return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
  GtkWidget *window, *button;

  gtk_init (&argc, &argv);
  n_wanted = atoi (argv[1]);
  stall_ms = atoi (argv[2]);
  window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
  gtk_window_set_title (GTK_WINDOW (window), "Moving");
  gtk_window_set_default_size (GTK_WINDOW (window), 400, 300);
  button = gtk_button_new_with_label ("Save");
  g_signal_connect (button, "clicked", G_CALLBACK (stall_on_purpose), NULL);
  gtk_container_add (GTK_CONTAINER (window), button);
  gtk_widget_show_all (window);
  gtk_widget_add_tick_callback (button, tick_cb, NULL, NULL);
  gtk_main ();
  g_print ("{\"began_monotonic_ns\": %" G_GINT64_FORMAT ", \"ended_monotonic_ns\": %" G_GINT64_FORMAT
           ", \"frames\": %d, \"watchers\": %d}\n", began_us * 1000, ended_us * 1000, n_frames, count_watchers ());
  return 0;
}
