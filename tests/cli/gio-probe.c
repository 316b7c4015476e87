/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A module of GIO that adds the name of the program to the file $GIO_PROBE. A program that loads GIO's modules has GVfs
 * and dconf, too, where they are installed: from then on it waits for the desktop's services. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void   g_io_probe_load   (void *module);
void   g_io_probe_unload (void *module);
char **g_io_probe_query  (void);

void
g_io_probe_load (void *module)
{
  const char *path = getenv ("GIO_PROBE");
  FILE *file = path != NULL ? fopen (path, "a") : NULL;

  if (file == NULL)
    return;
  fprintf (file, "%s\n", program_invocation_short_name);
  fclose (file);
}

void
g_io_probe_unload (void *module)
{
}

char **
g_io_probe_query (void)
{
  return NULL;
}
