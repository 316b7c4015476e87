/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program that computes, sleeps, waits for a lock, opens files and makes children while others ask what it does,
 * until there is a file "stop" in its home. It says what came of that, each once, so that the number of rounds does
 * not matter. */

#include <gio/gio.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static GHashTable *seen;
static char *stop;
static GMutex lock;

static void
see (const char *what, int value)
{
  g_hash_table_add (seen, g_strdup_printf ("%s %d", what, value));
}

static void
compute (void)
{
  guint sum = 0;

  for (guint i = 0; i < 20 * 1000 * 1000; i++)
    sum = sum * 31 + i;
  see ("sum", (int) sum);
}

static gpointer
hold_cb (gpointer data)
{
  g_mutex_lock (&lock);
  g_usleep (20000);
  g_mutex_unlock (&lock);
  return NULL;
}

static void
wait_for_lock (void)
{
  GThread *thread = g_thread_new ("holder", hold_cb, NULL);

  g_usleep (1000);
  see ("locked", (g_mutex_lock (&lock), 1));
  g_mutex_unlock (&lock);
  g_thread_join (thread);
}

/* The child sees its memory to the end, and nothing of the watcher's. */
static void
have_child (void)
{
  g_autofree char *maps = NULL;
  int status = 0;
  pid_t pid = fork ();

  if (pid == 0)
    _exit (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL) && strstr (maps, ".live") == NULL ? 42 : 1);
  see ("waited", waitpid (pid, &status, 0) == pid);
  see ("status", WIFEXITED (status) ? WEXITSTATUS (status) : -1);
}

static gboolean
step_cb (gpointer loop)
{
  const struct timespec while_ns = { .tv_nsec = 20000000 };
  int fd = open ("/dev/null", O_RDONLY | O_CLOEXEC);

  see ("descriptor", fd);
  close (fd);
  see ("slept", nanosleep (&while_ns, NULL) == 0 ? 0 : errno);
  see ("polled", poll (NULL, 0, 5));
  compute ();
  wait_for_lock ();
  have_child ();
  if (access (stop, F_OK) == 0)
    g_main_loop_quit (loop);
  return G_SOURCE_CONTINUE;
}

int
main (void)
{
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GFile) file = g_file_new_for_path ("/"); /* loads GIO's modules */
  GList *all;

  seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  stop = g_build_filename (g_getenv ("HOME"), "stop", NULL);
  g_timeout_add (400, step_cb, loop);
  g_main_loop_run (loop);
  all = g_list_sort (g_hash_table_get_keys (seen), (GCompareFunc) strcmp);
  for (GList *l = all; l != NULL; l = l->next)
    g_print ("%s\n", (char *) l->data);
  g_list_free (all);
  return 7;
}
