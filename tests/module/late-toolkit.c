/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* late-toolkit LIBRARY STAGE: the main loop turns before GTK is up. STAGE is how far GTK is by then: "absent",
 * "loaded", or "displayless": initialised without a display, which is opened later by its name. Then a window is drawn
 * all the time for a moment, and the program stalls once. Linked with neither GTK nor jankwatch. */

#include <dlfcn.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE_MS  700
#define DRAW_MS    16
#define STALL_MS   1000
#define END_MS     2500
#define STALLED_US 300000

static void *gtk;
static GMainLoop *loop;

static gpointer
find (const char *name)
{
  gpointer function = dlsym (gtk, name);

  if (function == NULL)
    g_error ("There is no %s()", name);
  return function;
}

static gboolean
stall_here (gpointer data)
{
  g_usleep (STALLED_US);
  return G_SOURCE_REMOVE;
}

static gboolean
draw_cb (gpointer window)
{
  void (*queue_draw) (gpointer widget) = (void (*) (gpointer)) find ("gtk_widget_queue_draw");

  queue_draw (window);
  return G_SOURCE_CONTINUE;
}

/* Long enough for the watcher to sleep. */
static void
turn (void)
{
  g_timeout_add_once (BEFORE_MS, (GSourceOnceFunc) g_main_loop_quit, loop);
  g_main_loop_run (loop);
}

static void
initialize (void)
{
  /* GTK 4's has no arguments, and ignores these. */
  ((gboolean (*) (int *, char ***)) find ("gtk_init_check")) (NULL, NULL);
}

static void
show (void)
{
  gpointer window = ((gpointer (*) (int)) find ("gtk_window_new")) (0);

  ((void (*) (gpointer)) find ("gtk_widget_show")) (window);
  g_timeout_add (DRAW_MS, draw_cb, window);
  g_timeout_add (STALL_MS, stall_here, NULL);
  g_timeout_add_once (END_MS, (GSourceOnceFunc) g_main_loop_quit, loop);
  g_main_loop_run (loop);
}

int
main (int argc, char **argv)
{
  const char *stage = argc == 3 ? argv[2] : "";
  g_autofree char *display = g_strdup (g_getenv ("DISPLAY"));
  gboolean is_displayless = strcmp (stage, "displayless") == 0;

  g_assert_true (is_displayless || strcmp (stage, "absent") == 0 || strcmp (stage, "loaded") == 0);
  loop = g_main_loop_new (NULL, FALSE);
  if (strcmp (stage, "absent") == 0)
    turn ();
  gtk = dlopen (argv[1], RTLD_NOW);
  g_assert_nonnull (gtk);
  if (strcmp (stage, "loaded") == 0)
    turn ();
  if (is_displayless)
    g_unsetenv ("DISPLAY");
  initialize ();
  if (is_displayless)
    {
      turn ();
      g_assert_nonnull (((gpointer (*) (const char *)) find ("gdk_display_open")) (display));
    }
  show ();
  return EXIT_SUCCESS;
}
