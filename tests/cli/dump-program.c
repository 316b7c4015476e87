/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program whose main loop does for long what its argument says: it waits for a "lock" that another thread holds,
 * computes ("compute"), or is "idle". It says "ready" once it does, and ends with 7 when its standard input does. */

#include <gio/gio.h>
#include <glib-unix.h>

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define LONG_S 600

void hold_the_lock     (void);
void wait_for_the_lock (void);
void compute_for_long  (void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static guint sum;

static void
say_ready (void)
{
  (void) !write (STDOUT_FILENO, "ready\n", strlen ("ready\n"));
}

__attribute__ ((noinline)) void
hold_the_lock (void)
{
  pthread_mutex_lock (&lock);
  say_ready ();
  sleep (LONG_S);
  pthread_mutex_unlock (&lock);
}

__attribute__ ((noinline)) void
wait_for_the_lock (void)
{
  usleep (50000);
  pthread_mutex_lock (&lock);
  sum++;
}

__attribute__ ((noinline)) void
compute_for_long (void)
{
  gint64 end = g_get_monotonic_time () + LONG_S * G_USEC_PER_SEC;

  say_ready ();
  while (g_get_monotonic_time () < end)
    for (guint i = 0; i < 10000; i++)
      sum += i * sum;
}

static gpointer
hold_cb (gpointer data)
{
  hold_the_lock ();
  return NULL;
}

static gboolean
begin_cb (gpointer what)
{
  if (strcmp (what, "lock") == 0)
    {
      g_thread_unref (g_thread_new ("holder", hold_cb, NULL));
      wait_for_the_lock ();
    }
  else if (strcmp (what, "compute") == 0)
    compute_for_long ();
  else
    say_ready ();
  return G_SOURCE_REMOVE;
}

static gboolean
end_cb (int fd, GIOCondition condition, gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GFile) file = g_file_new_for_path ("/"); /* loads GIO's modules */

  g_timeout_add (50, begin_cb, argv[argc - 1]);
  g_unix_fd_add (STDIN_FILENO, G_IO_HUP, end_cb, loop);
  g_main_loop_run (loop);
  return 7;
}
