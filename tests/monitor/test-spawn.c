/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The program must not notice what we start: no SIGCHLD, nothing to wait for, no descriptor of it. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/jank-error.h"
#include "fixture.h"
#include "monitor/sinks/jank-spawn-private.h"

#define N_SPAWNS 50

static volatile sig_atomic_t n_sigchld;

static void
sigchld_cb (int number)
{
  n_sigchld++;
}

static void
catch_sigchld (void)
{
  struct sigaction action = { .sa_handler = sigchld_cb };

  sigaction (SIGCHLD, &action, NULL);
  n_sigchld = 0;
}

/* As the watcher thread is. */
static gpointer
spawn_thread (gpointer data)
{
  const char *const *argv = data;
  const char *envp[] = { "PATH=/usr/bin:/bin", "MARK=here", NULL };
  g_autoptr (GError) error = NULL;
  sigset_t all;

  sigfillset (&all);
  pthread_sigmask (SIG_BLOCK, &all, NULL);
  if (!jank_spawn (argv, envp, &error))
    return g_steal_pointer (&error);
  return NULL;
}

static GError *
spawn (const char *const *argv)
{
  return g_thread_join (g_thread_new ("spawn", spawn_thread, (gpointer) argv));
}

static void
test_unnoticed (void)
{
  const char *argv[] = { "/bin/true", NULL };

  catch_sigchld ();
  for (guint i = 0; i < N_SPAWNS; i++)
    {
      g_assert_null (spawn (argv));
      g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
      g_assert_cmpint (errno, ==, ECHILD);
    }
  g_usleep (100000);
  g_assert_cmpint (n_sigchld, ==, 0);
  g_assert_cmpint (waitpid (-1, NULL, __WALL), ==, -1);
  g_assert_cmpint (errno, ==, ECHILD);
}

/* A program that waits for any child of its own gets that one. */
static void
test_other_child (void)
{
  const char *argv[] = { "/bin/true", NULL };
  int status;
  pid_t child;

  catch_sigchld ();
  child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      usleep (300000);
      _exit (7);
    }
  for (guint i = 0; i < 10; i++)
    g_assert_null (spawn (argv));
  g_assert_cmpint (n_sigchld, ==, 0);
  while (waitpid (-1, &status, 0) < 0)
    g_assert_cmpint (errno, ==, EINTR);
  g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 7);
  g_assert_cmpint (n_sigchld, ==, 1);
}

static void
test_surroundings (void)
{
  g_autofree char *folder = folder_new ("jank-spawn");
  g_autofree char *out = g_build_filename (folder, "out", NULL);
  g_autofree char *done = g_build_filename (folder, "done", NULL);
  const char *script =
    "{ for i in 0 1 2; do readlink /proc/$$/fd/$i; done; ls /proc/$$/fd | grep -v -x -e 0 -e 1 -e 2 -e 10 -e 255; "
    "env | grep -v -e ^PWD= -e ^SHLVL= -e ^_= | sort; grep -e SigIgn -e SigBlk /proc/self/status; "
    "cut -d ' ' -f 4,6 /proc/$$/stat; } >\"$1\"; mv \"$1\" \"$2\"";
  const char *argv[] = { "/bin/sh", "-c", script, "sh", out, done, NULL };
  int leak = open ("/dev/zero", O_RDONLY); /* without O_CLOEXEC */
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_cmpint (leak, >=, 0);
  signal (SIGUSR1, SIG_IGN);
  g_assert_null (spawn (argv));
  text = fixture_await_file (done);
  g_test_message ("%s", text);
  close (leak);

  lines = g_strsplit (g_strchomp (text), "\n", -1);
  g_assert_cmpstr (lines[0], ==, "/dev/null");
  g_assert_cmpstr (lines[2], ==, "/dev/null");
  g_assert_null (strstr (text, "/dev/zero"));
  g_assert_true (g_strv_contains ((const char *const *) lines, "MARK=here"));
  g_assert_true (g_strv_contains ((const char *const *) lines, "PATH=/usr/bin:/bin"));
  g_assert_true (g_strv_contains ((const char *const *) lines, "SigIgn:\t0000000000000000"));
  g_assert_true (g_strv_contains ((const char *const *) lines, "SigBlk:\t0000000000000000"));
  {
    g_autofree char *ours = g_strdup_printf ("%d ", getpid ());
    g_autofree char *our_session = g_strdup_printf (" %d", getsid (0));
    const char *last = lines[g_strv_length (lines) - 1];

    g_assert_false (g_str_has_prefix (last, ours));
    g_assert_false (g_str_has_suffix (last, our_session));
  }
  folder_remove (folder);
}

static void
test_failure (void)
{
  const char *missing[] = { "/nonexistent/command", NULL };
  const char *folder[] = { "/tmp", NULL };
  g_autoptr (GError) error = NULL;

  catch_sigchld ();
  error = spawn (missing);
  g_assert_error (error, JANK_ERROR, JANK_ERROR_FAILED);
  g_assert_nonnull (strstr (error->message, "/nonexistent/command"));
  g_assert_nonnull (strstr (error->message, g_strerror (ENOENT)));
  g_clear_error (&error);
  error = spawn (folder);
  g_assert_error (error, JANK_ERROR, JANK_ERROR_FAILED);
  g_assert_cmpint (waitpid (-1, NULL, WNOHANG | __WALL), ==, -1);
  g_usleep (50000);
  g_assert_cmpint (n_sigchld, ==, 0);
}

static void
test_find (void)
{
  g_autofree char *sh = jank_spawn_find ("sh", "/nonexistent:/usr/bin:/bin");
  g_autofree char *fallback = jank_spawn_find ("sh", NULL);
  g_autofree char *absolute = jank_spawn_find ("/bin/ls", NULL);

  g_assert_cmpstr (sh, ==, "/usr/bin/sh");
  g_assert_nonnull (fallback);
  g_assert_cmpstr (absolute, ==, "/bin/ls");
  g_assert_null (jank_spawn_find ("sh", "/nonexistent"));
  g_assert_null (jank_spawn_find ("sh", ""));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/monitor/spawn/unnoticed", test_unnoticed);
  g_test_add_func ("/monitor/spawn/other-child", test_other_child);
  g_test_add_func ("/monitor/spawn/surroundings", test_surroundings);
  g_test_add_func ("/monitor/spawn/failure", test_failure);
  g_test_add_func ("/monitor/spawn/find", test_find);
  return g_test_run ();
}
