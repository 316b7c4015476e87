/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Linked statically: starts posix_spawn COMMAND… waits for the command, starts environ prints the environment. */

#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  pid_t child;
  int status = 0;

  for (char **variable = environ; strcmp (argv[1], "environ") == 0 && *variable != NULL; variable++)
    puts (*variable);
  if (strcmp (argv[1], "posix_spawn") == 0 && posix_spawn (&child, argv[2], NULL, NULL, argv + 2, environ) == 0)
    waitpid (child, &status, 0);
  return WEXITSTATUS (status);
}
