/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* fork and exec by hand, for the order: signals are held from before the fork until the child has its
 * dispositions back and the parent has its own. The handler only sends the signal on. */

#include "watched.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "cli/cli.h"

static const gint passed_on[] = { SIGTERM, SIGHUP };
static const gint left_to_child[] = { SIGINT, SIGQUIT };

/* 0: none, or its number may belong to someone else by now. Main thread and its signal handler only, so relaxed. */
static atomic_int running_child;

static void
pass_on_cb (int signal_number)
{
  gint saved = errno;
  pid_t child = atomic_load_explicit (&running_child, memory_order_relaxed);

  if (child > 0)
    kill (child, signal_number);
  errno = saved;
}

static G_GNUC_NORETURN void
exec_child (char **argv, char **envp, const sigset_t *mask, gint error_fd)
{
  gint number;

  sigprocmask (SIG_SETMASK, mask, NULL);
  execvpe (argv[0], argv, envp);
  number = errno;
  while (write (error_fd, &number, sizeof number) < 0 && errno == EINTR)
    ;
  _exit (CLI_NOT_FOUND);
}

/* Returns 0 once the command runs, else the error number. */
static gint
read_exec_error (gint fd)
{
  gint number = 0;
  gssize n;

  do
    n = read (fd, &number, sizeof number);
  while (n < 0 && errno == EINTR);
  return n == (gssize) sizeof number ? number : 0;
}

static int
wait_for (pid_t child)
{
  siginfo_t info;
  int status = 0;

  /* Until it is reaped its number is its own, so that no signal can reach another process. */
  while (waitid (P_PID, (id_t) child, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
    ;
  atomic_store_explicit (&running_child, 0, memory_order_relaxed);
  while (waitpid (child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFSIGNALED (status) ? CLI_SIGNAL_BASE + WTERMSIG (status) : WEXITSTATUS (status);
}

static int
fail_exec (const char *command, gint number, char **ret_why)
{
  *ret_why = g_strdup_printf (_("Cannot run ‘%s’: %s"), command, g_strerror (number));
  cli_warn ("%s", *ret_why);
  return number == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_RUN;
}

int
child_run (char **argv, char **envp, char **ret_why)
{
  struct sigaction before_passed[G_N_ELEMENTS (passed_on)], before_left[G_N_ELEMENTS (left_to_child)];
  sigset_t held, mask;
  gint error_pipe[2], status, number;
  pid_t child;

  if (pipe2 (error_pipe, O_CLOEXEC) != 0)
    return fail_exec (argv[0], errno, ret_why);

  sigfillset (&held);
  sigprocmask (SIG_BLOCK, &held, &mask);
  fflush (NULL);
  child = fork ();
  if (child == 0)
    exec_child (argv, envp, &mask, error_pipe[1]);

  number = child < 0 ? errno : 0;
  atomic_store_explicit (&running_child, MAX (child, 0), memory_order_relaxed);
  for (guint i = 0; i < G_N_ELEMENTS (passed_on); i++)
    cli_set_handler (passed_on[i], pass_on_cb, &before_passed[i]);
  for (guint i = 0; i < G_N_ELEMENTS (left_to_child); i++)
    cli_set_handler (left_to_child[i], SIG_IGN, &before_left[i]);
  sigprocmask (SIG_SETMASK, &mask, NULL);

  close (error_pipe[1]);
  if (number == 0)
    number = read_exec_error (error_pipe[0]);
  close (error_pipe[0]);
  status = child > 0 ? wait_for (child) : CLI_CANNOT_RUN;

  for (guint i = 0; i < G_N_ELEMENTS (passed_on); i++)
    sigaction (passed_on[i], &before_passed[i], NULL);
  for (guint i = 0; i < G_N_ELEMENTS (left_to_child); i++)
    sigaction (left_to_child[i], &before_left[i], NULL);
  return number != 0 ? fail_exec (argv[0], number, ret_why) : status;
}
