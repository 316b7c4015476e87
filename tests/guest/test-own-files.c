/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread that opens, closes and writes as it likes, beside a program that sees nothing of it. */

#include "guest/jank-errands-private.h"
#include "guest/jank-own-files-private.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sanitizer.h"
#include "test.h"

static int sockets[2];

static gpointer
own_thread (gpointer data)
{
  char byte = 0;
  int fd, copy;

  g_assert_true (jank_own_files_begin (NULL));
  g_assert_true (jank_own_files_has ());
  g_assert_cmpint (write (sockets[0], "x", 1), ==, -1);
  fd = open ("/dev/zero", O_RDONLY | O_CLOEXEC);
  g_assert_cmpint (fd, ==, 3);
  copy = jank_own_files_borrow (sockets[1]);
  g_assert_cmpint (copy, >=, 0);
  g_assert_cmpint (read (copy, &byte, 1), ==, 1);
  g_assert_cmpint (byte, ==, 'p');
  g_assert_cmpint (jank_own_files_borrow (4000), ==, -1);
  return NULL;
}

static void
test_own (void)
{
  g_autoptr (GError) error = NULL;
  int before, after;

  if (HAS_TSAN)
    {
      g_test_skip ("a thread sanitizer takes a descriptor's number for the same file in all threads");
      return;
    }
  g_assert_true (jank_own_files_can (&error));
  g_assert_no_error (error);
  g_assert_no_errno (socketpair (AF_UNIX, SOCK_STREAM, 0, sockets));
  g_assert_cmpint (write (sockets[0], "p", 1), ==, 1);
  before = dup (sockets[0]);
  close (before);
  g_thread_join (g_thread_new ("own", own_thread, NULL));
  after = dup (sockets[0]);
  g_assert_cmpint (after, ==, before);
  g_assert_false (jank_own_files_has ());
  close (after);
  close (sockets[0]);
  close (sockets[1]);
}

static gboolean
quit_cb (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

/* Wakes a loop that waits, and says something. */
static gpointer
errands_thread (gpointer data)
{
  g_autoptr (GError) error = NULL;
  GSource *source = g_idle_source_new ();

  g_assert_true (jank_errands_begin (&error));
  g_assert_no_error (error);
  g_assert_cmpint (jank_errands_get_tid (), >, 0);
  g_assert_true (jank_own_files_begin (NULL));
  jank_errands_say ("said %d", 1);
  jank_errands_flush (10 * G_USEC_PER_SEC);
  g_usleep (50000);
  g_source_set_callback (source, quit_cb, data, NULL);
  jank_errands_attach (source, g_main_loop_get_context (data));
  jank_errands_end ();
  return NULL;
}

/* To where standard error leads at that moment. */
static void
test_errands (void)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  int old = dup (STDERR_FILENO), fds[2];
  char text[256] = "";
  GThread *thread;

  g_assert_no_errno (pipe (fds));
  dup2 (fds[1], STDERR_FILENO);
  thread = g_thread_new ("errands", errands_thread, loop);
  g_main_loop_run (loop);
  g_thread_join (thread);
  dup2 (old, STDERR_FILENO);
  close (old);
  g_assert_cmpint (read (fds[0], text, sizeof text - 1), >, 0);
  g_assert_nonnull (strstr (text, "said 1"));
  close (fds[0]);
  close (fds[1]);
}

static void
add (void)
{
  g_log_set_default_handler (g_log_default_handler, NULL);
  g_test_add_func ("/guest/own-files/own", test_own);
  g_test_add_func ("/guest/own-files/errands", test_errands);
}

TESTS_AND ("/guest/own-files", add, FALSE)
