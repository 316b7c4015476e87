/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A main loop that waits for a lock that a thread holds in save_database(): locks KIND. With "again" the main thread
 * holds it itself, and the thread ends the program; with "later" the thread comes to want a lock of the main thread's. */

#include <semaphore.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>

#define HOLD_US 700000

static const char *kind;
static GMutex mutex, other;
static GRWLock rw_lock;
static sem_t semaphore, is_held;

/* A semaphore that counts things, of which there is one: who has taken it holds nothing. */
static gboolean
is_counter (void)
{
  return strcmp (kind, "counter") == 0 || strcmp (kind, "counter-once-a-lock") == 0;
}

static gboolean
is_semaphore (void)
{
  return strcmp (kind, "sem") == 0 || is_counter ();
}

static void
lock (gboolean only_reads)
{
  if (strcmp (kind, "GRWLock") == 0 && only_reads)
    g_rw_lock_reader_lock (&rw_lock);
  else if (strcmp (kind, "GRWLock") == 0)
    g_rw_lock_writer_lock (&rw_lock);
  else if (is_semaphore ())
    while (sem_wait (&semaphore) != 0)
      continue;
  else
    g_mutex_lock (&mutex);
}

static void
unlock (gboolean only_reads)
{
  if (strcmp (kind, "GRWLock") == 0 && only_reads)
    g_rw_lock_reader_unlock (&rw_lock);
  else if (strcmp (kind, "GRWLock") == 0)
    g_rw_lock_writer_unlock (&rw_lock);
  else if (is_semaphore ())
    sem_post (&semaphore);
  else
    g_mutex_unlock (&mutex);
}

static gpointer
save_database (gpointer data)
{
  if (strcmp (kind, "counter") != 0)
    {
      lock (TRUE);
      unlock (TRUE);
    }
  lock (TRUE);
  sem_post (&is_held);
  g_usleep (HOLD_US);
  if (strcmp (kind, "later") == 0)
    g_mutex_lock (&other);
  if (!is_counter ())
    unlock (TRUE);
  return NULL;
}

static gpointer
produce_thing (gpointer data)
{
  g_usleep (HOLD_US);
  unlock (TRUE);
  return NULL;
}

static gpointer
end_program (gpointer data)
{
  g_usleep (strcmp (kind, "later") == 0 ? 4 * HOLD_US : HOLD_US);
  _exit (0);
}

static gboolean
refresh_list (gpointer loop)
{
  gboolean again = strcmp (kind, "again") == 0;
  GThread *thread = g_thread_new ("db-writer", again ? end_program : save_database, NULL);

  if (strcmp (kind, "later") == 0)
    {
      g_mutex_lock (&other);
      g_thread_unref (g_thread_new ("end", end_program, NULL));
    }

  if (again)
    lock (FALSE);
  else
    while (sem_wait (&is_held) != 0)
      continue;
  if (is_counter ())
    g_thread_unref (g_thread_new ("producer", produce_thing, NULL));
  lock (FALSE);
  unlock (FALSE);
  g_thread_join (thread);
  g_timeout_add (50, G_SOURCE_FUNC (g_main_loop_quit), loop);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);

  kind = argc > 1 ? argv[1] : "GMutex";
  sem_init (&semaphore, 0, 1);
  sem_init (&is_held, 0, 0);
  g_timeout_add (300, refresh_list, loop);
  g_main_loop_run (loop);
  g_main_loop_unref (loop);
  return 0;
}
