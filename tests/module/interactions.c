/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* interactions [rows|field|pages] LIBRARY: a window of libgtk-3.so.0 or libgtk-4.so.1 with a button “Open”, for which a
 * click works 400 ms; with “rows” that has seven parts, none of which takes long. With “field” each key in an entry
 * “Search” works as long, with “pages” each step of scrolling in a text “Pages”. On SIGUSR1 the loop stands for 700 ms,
 * and as much again until the file “reading”, which that makes in $XDG_RUNTIME_DIR, is gone; SIGTERM ends it. On
 * Wayland, where nobody can tell where a window is, it is the whole screen. */

#include <gio/gio.h>
#include <glib-unix.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#define N_ROWS  6
#define N_LINES 2000

static void *gtk;
static int n_stalls, n_rows;
static const char *content;

/* A function of GTK's that takes and returns pointers. */
static void *
call (const char *name, void *a, void *b)
{
  void *(*func) (void *, void *) = (void *(*) (void *, void *)) dlsym (gtk, name);

  g_assert_nonnull (func);
  return func (a, b);
}

__attribute__ ((noinline)) static void
load_folder (void)
{
  usleep (400000);
  n_stalls++;
}

__attribute__ ((noinline)) static void
read_mail (void)
{
  g_autofree char *path = g_build_filename (g_get_user_runtime_dir (), "reading", NULL);

  close (creat (path, 0600));
  do
    usleep (700000);
  while (access (path, F_OK) == 0);
  n_stalls++;
}

static gboolean
on_row_cb (gpointer data)
{
  usleep (55000);
  return ++n_rows % N_ROWS != 0;
}

static gboolean
on_header_cb (gpointer data)
{
  usleep (30000);
  return G_SOURCE_REMOVE;
}

static void
clicked_cb (void)
{
  if (g_str_equal (content, "rows"))
    {
      g_idle_add_full (G_PRIORITY_HIGH, on_header_cb, NULL, NULL);
      g_timeout_add (0, on_row_cb, NULL);
      return;
    }
  load_folder ();
  n_stalls++;
}

static gboolean
usr1_cb (gpointer data)
{
  read_mail ();
  return G_SOURCE_CONTINUE;
}

static gboolean
term_cb (gpointer application)
{
  g_application_quit (application);
  return G_SOURCE_REMOVE;
}

static void *
new_field (void)
{
  void *entry = call ("gtk_entry_new", NULL, NULL);

  g_object_set (entry, "placeholder-text", "Search", NULL);
  g_signal_connect (entry, "changed", clicked_cb, NULL);
  return entry;
}

static void *
new_pages (void)
{
  void *text = call ("gtk_text_view_new", NULL, NULL), *scrolled = call ("gtk_scrolled_window_new", NULL, NULL);
  g_autofree char *lines = g_strnfill (N_LINES, '\n');
  g_autoptr (GObject) buffer = NULL, adjustment = NULL;

  g_object_get (text, "buffer", &buffer, NULL);
  g_object_set (buffer, "text", lines, NULL);
  g_object_set (text, "name", "Pages", NULL);
  g_object_set (scrolled, "name", "Pages", "child", text, NULL);
  g_object_get (scrolled, "vadjustment", &adjustment, NULL);
  g_signal_connect (adjustment, "value-changed", clicked_cb, NULL);
  return scrolled;
}

static void *
new_button (void)
{
  void *button = call ("gtk_button_new_with_label", (void *) "Open", NULL);

  g_signal_connect (button, "clicked", clicked_cb, NULL);
  return button;
}

static void
activate_cb (GApplication *application)
{
  void *window = call ("gtk_application_window_new", application, NULL);
  void *child = g_str_equal (content, "field") ? new_field () : g_str_equal (content, "pages") ? new_pages ()
                                                                                               : new_button ();

  g_object_set (window, "child", child, "title", "Interactions", "default-width", 300, "default-height", 200, NULL);
  if (dlsym (gtk, "gtk_widget_show_all") != NULL)
    call ("gtk_widget_show_all", window, NULL);
  if (g_getenv ("WAYLAND_DISPLAY") != NULL)
    call ("gtk_window_fullscreen", window, NULL);
  call ("gtk_window_present", window, NULL);
}

int
main (int argc, char **argv)
{
  GApplication *(*new_application) (const char *, GApplicationFlags);
  GApplication *application;
  int status;

  content = argc > 2 ? argv[1] : "button";
  gtk = dlopen (argv[argc - 1], RTLD_NOW);
  g_assert_nonnull (gtk);
  new_application = (GApplication *(*) (const char *, GApplicationFlags)) dlsym (gtk, "gtk_application_new");
  application = new_application ("org.example.Interactions", G_APPLICATION_NON_UNIQUE);
  g_signal_connect (application, "activate", G_CALLBACK (activate_cb), NULL);
  g_unix_signal_add (SIGUSR1, usr1_cb, NULL);
  g_unix_signal_add (SIGTERM, term_cb, application);
  status = g_application_run (application, 1, argv);
  g_object_unref (application);
  return status;
}
