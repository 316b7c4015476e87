/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* alone COMMAND…: runs the command and kills the processes that it leaves behind, such as a display or a bus. They
 * become children of this process when their parent ends. Exits as the command did. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The runner has sent SIGTERM: the test took too long. */
static volatile sig_atomic_t is_over;

static void
end (int signal_number)
{
  is_over = 1;
}

/* Returns 0 if no child is left. */
static int
kill_children (void)
{
  FILE *file = fopen ("/proc/thread-self/children", "re");
  int pid, any = 0;

  while (file != NULL && fscanf (file, "%d", &pid) == 1)
    any |= kill (pid, SIGKILL) == 0;
  if (file != NULL)
    fclose (file);
  return any;
}

int
main (int argc, char **argv)
{
  const struct sigaction action = { .sa_handler = end };
  int status = SIGTERM, other;
  pid_t pid, ended = 0;

  if (argc < 2 || prctl (PR_SET_CHILD_SUBREAPER, 1) != 0 || (pid = fork ()) < 0)
    return 127;
  if (pid == 0)
    {
      execvp (argv[1], argv + 1);
      fprintf (stderr, "alone: %s: %s\n", argv[1], strerror (errno));
      _exit (127);
    }
  sigaction (SIGTERM, &action, NULL);
  while (ended != pid && !is_over)
    if ((ended = wait (&other)) == pid)
      status = other;
  while (kill_children ())
    wait (NULL);
  if (WIFSIGNALED (status))
    {
      signal (WTERMSIG (status), SIG_DFL);
      raise (WTERMSIG (status));
    }
  return WEXITSTATUS (status);
}
