/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* messages CASE: a program that counts on what is said in it, or has something else at the number of standard error. It
 * prints what came of it. */

#define G_LOG_DOMAIN "messages"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gio/gio.h>

#define STALL_US (60 * 1000)

static gint n_logged, n_signals, n_asked; /* (atomic) */

static void
count_log (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  g_atomic_int_inc (&n_logged);
}

static GLogWriterOutput
count_fields (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  g_atomic_int_inc (&n_logged);
  return G_LOG_WRITER_HANDLED;
}

static void
count_signal (int number)
{
  g_atomic_int_inc (&n_signals);
}

static gboolean
stall_cb (gpointer data)
{
  gint64 until_us = g_get_monotonic_time () + STALL_US;
  guint *n_left = data;

  while (g_get_monotonic_time () < until_us)
    ;
  return --*n_left > 0;
}

/* GIO loads its modules; the loop stalls, so that what the watcher has to say is said, too. */
static void
run (void)
{
  guint n_left = 3;

  g_object_unref (g_file_new_for_path ("/"));
  g_timeout_add (5, stall_cb, &n_left);
  while (n_left > 0)
    g_main_context_iteration (NULL, TRUE);
  g_usleep (150 * 1000);
}

static void
expect (void)
{
  const char *words[] = { "messages", "--seed=R02S00000000000000000000000000000001", NULL };
  char **argv = (char **) words;
  int argc = 2;

  g_test_init (&argc, &argv, NULL);
  g_test_expect_message (G_LOG_DOMAIN, G_LOG_LEVEL_WARNING, "expected");
  run ();
  g_warning ("expected");
  g_test_assert_expected_messages ();
}

static void
fatal (void)
{
  g_log_set_always_fatal (G_LOG_LEVEL_MASK & ~G_LOG_LEVEL_DEBUG); /* GIO has some of its own */
  run ();
}

static void
handler (void)
{
  g_log_set_default_handler (count_log, NULL);
  run ();
  printf ("%d logged\n", n_logged);
}

static void
writer (void)
{
  g_log_set_writer_func (count_fields, NULL, NULL);
  run ();
  printf ("%d logged\n", n_logged);
}

/* What stands at number 2 afterwards is the program's own. */
static void
file (void)
{
  char text[100];
  ssize_t n;

  close (STDERR_FILENO);
  if (open ("data", O_RDWR | O_CREAT | O_TRUNC, 0600) != STDERR_FILENO)
    return;
  run ();
  n = pread (STDERR_FILENO, text, sizeof text, 0);
  printf ("%zd bytes\n", n);
}

/* Nobody reads what is in it. */
static void
full_pipe (void)
{
  int ends[2];

  if (pipe (ends) != 0)
    return;
  dup2 (ends[1], STDERR_FILENO);
  close (ends[1]);
  signal (SIGPIPE, count_signal);
  fcntl (STDERR_FILENO, F_SETFL, O_NONBLOCK);
  while (write (STDERR_FILENO, "0123456789", 10) > 0)
    ;
  fcntl (STDERR_FILENO, F_SETFL, 0);
  run ();
  printf ("%d signals\n", n_signals);
}

/* g_strerror() asks this once for each number, and keeps the answer in the language of that moment. */
char *
strerror_r (int number, char *buffer, size_t n_bytes)
{
  g_atomic_int_inc (&n_asked);
  return (char *) "an error";
}

static void
errors (void)
{
  g_object_unref (g_file_new_for_path ("/"));
  printf ("%d asked\n", n_asked);
}

static void
silent (void)
{
  g_object_unref (g_file_new_for_path ("/"));
  _exit (0);
}

static void
children (void)
{
  int status, found;

  signal (SIGCHLD, count_signal);
  run ();
  found = (int) waitpid (-1, &status, WNOHANG);
  printf ("%d signals, %d children\n", n_signals, found);
}

static const struct { const char *name; void (*func) (void); } cases[] = {
  { "run", run }, { "expect", expect }, { "fatal", fatal }, { "handler", handler }, { "writer", writer },
  { "file", file }, { "full-pipe", full_pipe },
  { "children", children }, { "errors", errors }, { "silent", silent },
};

int
main (int argc, char **argv)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    if (argc > 1 && strcmp (argv[1], cases[i].name) == 0)
      cases[i].func ();
  printf ("done\n");
  return 0;
}
