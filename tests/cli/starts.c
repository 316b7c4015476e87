/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Starts a command by the function that its first argument names, and ends as the command does: starts execvp COMMAND…
 * "environ" prints the environment instead. Linked statically, too. */

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *way;
static char **command;

static int
is (const char *name)
{
  return strcmp (way, name) == 0;
}

static int
end_as (int status)
{
  return WIFEXITED (status) ? WEXITSTATUS (status) : 99;
}

static int
wait_for (pid_t child)
{
  int status = 0;

  waitpid (child, &status, 0);
  return end_as (status);
}

/* Up to one argument. */
static void
replace (void)
{
  if (is ("execve"))
    execve (command[0], command, environ);
  if (is ("execv"))
    execv (command[0], command);
  if (is ("execvp"))
    execvp (command[0], command);
  if (is ("execvpe"))
    execvpe (command[0], command, environ);
  if (is ("execl"))
    execl (command[0], command[0], command[1], NULL);
  if (is ("execlp"))
    execlp (command[0], command[0], command[1], NULL);
  if (is ("execle") && command[1] == NULL)
    execle (command[0], command[0], NULL, environ);
  if (is ("execle"))
    execle (command[0], command[0], command[1], NULL, environ);
}

static int
start (void)
{
  pid_t child = -1;
  int status = -1;

  if (is ("posix_spawn"))
    status = posix_spawn (&child, command[0], NULL, NULL, command, environ);
  if (is ("posix_spawnp"))
    status = posix_spawnp (&child, command[0], NULL, NULL, command, environ);
  if (status == 0)
    return wait_for (child);
  if (is ("vfork"))
    {
      child = vfork ();
      if (child == 0)
        {
          execve (command[0], command, environ);
          _exit (98);
        }
      return wait_for (child);
    }
  return 97;
}

static int
start_shell (void)
{
  char line[4096] = "", text[4096];
  FILE *stream;

  for (char **word = command; *word != NULL; word++)
    {
      strcat (line, *word);
      strcat (line, " ");
    }
  if (is ("system"))
    return end_as (system (line));
  stream = popen (line, "r");
  while (fgets (text, sizeof text, stream) != NULL)
    fputs (text, stdout);
  return end_as (pclose (stream));
}

int
main (int argc, char **argv)
{
  way = argv[1];
  command = argv + 2;
  for (char **variable = environ; is ("environ") && *variable != NULL; variable++)
    puts (*variable);
  if (is ("environ"))
    return 0;
  if (is ("system") || is ("popen"))
    return start_shell ();
  replace ();
  return start ();
}
