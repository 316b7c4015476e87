/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loops that never touch GIO: glib-only loop|iterate [COMMAND…], or glib-only none. Either loop freezes first, for
 * 300 ms of CPU time. COMMAND is run before the loop and inside of it. With none it only prints its
 * environment, and so does a child of it. */

#include <glib.h>

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

extern char **environ;

static gboolean is_done;
static char **command;

/* Not static: exported, so that its name is there in any build. */
void freeze_by_computing (void);

__attribute__ ((noinline)) void
freeze_by_computing (void)
{
  clock_t end = clock () + CLOCKS_PER_SEC * 3 / 10;

  while (clock () < end)
    is_done |= poll (NULL, 0, 0) != 0;
}

static void
run_command (void)
{
  if (*command != NULL)
    g_assert_true (g_spawn_sync (NULL, command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL));
}

static gboolean
end_cb (gpointer loop)
{
  is_done = TRUE;
  if (loop != NULL)
    g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

static gboolean
freeze_cb (gpointer loop)
{
  freeze_by_computing ();
  run_command ();
  g_timeout_add (50, end_cb, loop);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  GMainLoop *loop = strcmp (argv[1], "loop") == 0 ? g_main_loop_new (NULL, FALSE) : NULL;

  if (strcmp (argv[1], "none") == 0)
    {
      for (char **variable = environ; *variable != NULL; variable++)
        puts (*variable);
      fflush (stdout);
      return system ("exec env");
    }
  command = argv + 2;
  run_command ();
  g_timeout_add (50, freeze_cb, loop);
  if (loop != NULL)
    g_main_loop_run (loop);
  while (!is_done)
    g_main_context_iteration (NULL, TRUE);
  g_clear_pointer (&loop, g_main_loop_unref);
  return 7;
}
