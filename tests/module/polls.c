/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* polls poll|select|run|thread|beside: asks GLib for the loop's descriptors and waits for them by a call of its own, as
 * Emacs does. In between it computes, and asks something in a private loop. Or it has GLib run the loop of a context of
 * its own, in which it computes, or a thread of it; or a thread waits in one beside its own. Prints how long each of
 * them took, in ns. */

#include <gio/gio.h>

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>

#define WAIT_MS 1500
#define WORK_MS 400
#define N_TURNS 5

static guint sum;

static gboolean
quit_cb (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

__attribute__ ((noinline)) static void
compute_here (void)
{
  gint64 until_us = g_get_monotonic_time () + WORK_MS * 1000;

  while (g_get_monotonic_time () < until_us)
    sum++;
}

__attribute__ ((noinline)) static void
ask_here (void)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (context, FALSE);
  g_autoptr (GSource) source = g_timeout_source_new (WORK_MS);

  g_source_set_callback (source, quit_cb, loop, NULL);
  g_source_attach (source, context);
  g_main_loop_run (loop);
  sum++;
}

static void
work (const char *name, void (*func) (void))
{
  gint64 began_us = g_get_monotonic_time ();

  func ();
  printf ("%s %" G_GINT64_FORMAT "\n", name, (g_get_monotonic_time () - began_us) * 1000);
}

static void
wait_for_loop (gboolean selects)
{
  GPollFD polled[16];
  struct pollfd fds[16];
  struct timeval timeout = { WAIT_MS / 1000, WAIT_MS % 1000 * 1000 };
  fd_set set;
  gint ignored;
  gint n = g_main_context_query (g_main_context_default (), G_PRIORITY_LOW, &ignored, polled, G_N_ELEMENTS (polled));

  FD_ZERO (&set);
  for (gint i = 0; i < n; i++)
    {
      fds[i] = (struct pollfd) { .fd = polled[i].fd, .events = (short) polled[i].events };
      FD_SET (polled[i].fd, &set);
    }
  if (selects)
    select (FD_SETSIZE, &set, NULL, NULL, &timeout);
  else
    poll (fds, (nfds_t) n, WAIT_MS);
}

static gboolean
compute_cb (gpointer data)
{
  work ("compute_here", compute_here);
  return G_SOURCE_REMOVE;
}

static gpointer
run_pushed (gpointer data)
{
  g_autoptr (GMainContext) context = data != NULL ? g_main_context_ref (data) : g_main_context_new ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (context, FALSE);
  const struct { guint ms; GSourceFunc func; } timeouts[] = { { WAIT_MS, compute_cb }, { 2 * WAIT_MS, quit_cb } };

  g_main_context_push_thread_default (context);
  for (guint i = 0; i < G_N_ELEMENTS (timeouts); i++)
    {
      g_autoptr (GSource) source = g_timeout_source_new (timeouts[i].ms);

      g_source_set_callback (source, timeouts[i].func, loop, NULL);
      g_source_attach (source, context);
    }
  g_main_loop_run (loop);
  return NULL;
}

static gpointer
wait_beside (gpointer loop)
{
  g_main_loop_run (loop);
  return NULL;
}

int
main (int argc, char **argv)
{
  /* Loads GIO's modules. */
  g_object_unref (g_file_new_for_path ("/"));
  if (strcmp (argv[1], "run") == 0)
    return run_pushed (NULL) != NULL;
  if (strcmp (argv[1], "thread") == 0)
    return g_thread_join (g_thread_new ("loop", run_pushed, NULL)) != NULL;
  if (g_str_has_prefix (argv[1], "beside"))
    {
      g_thread_new ("beside", wait_beside, g_main_loop_new (g_main_context_new (), FALSE));
      if (strcmp (argv[1], "beside-start") == 0)
        {
          g_application_set_default (g_application_new (NULL, G_APPLICATION_NON_UNIQUE));
          g_usleep (WAIT_MS * 1000);
          work ("compute_here", compute_here);
        }
      g_idle_add (compute_cb, NULL);
      return run_pushed (g_main_context_default ()) != NULL;
    }
  g_main_context_acquire (NULL);
  for (guint i = 0; i < N_TURNS; i++)
    {
      while (g_main_context_pending (NULL))
        g_main_context_dispatch (g_main_context_default ());
      if (i == 2)
        work ("compute_here", compute_here);
      if (i == 3)
        work ("ask_here", ask_here);
      wait_for_loop (strcmp (argv[1], "select") == 0);
    }
  g_main_context_release (NULL);
  return 0;
}
