/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waits in its loop for a child: child-program sync|communicate|wait|popen */

#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

static const char *kind;

static void
wait_for_output_of_popen (void)
{
  FILE *output = popen ("sleep 0.4; echo", "r");
  char text[16];

  g_assert (output != NULL && fgets (text, sizeof text, output) != NULL);
  pclose (output);
}

static void
wait_for_child (void)
{
  GSubprocessFlags flags = strcmp (kind, "wait") != 0 ? G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE
                                                      : G_SUBPROCESS_FLAGS_NONE;
  const char *script = flags != 0 ? "sleep 0.4; echo" : "sleep 0.4; true";
  g_autoptr (GSubprocess) child = g_subprocess_new (flags, NULL, "sh", "-c", script, NULL);
  g_autofree char *output = NULL;

  if (flags != 0)
    g_assert (g_subprocess_communicate_utf8 (child, NULL, NULL, &output, NULL, NULL));
  else
    g_assert (g_subprocess_wait (child, NULL, NULL));
}

static gboolean
quit_cb (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

static gboolean
wait_cb (gpointer loop)
{
  g_autofree char *output = NULL;

  if (strcmp (kind, "sync") == 0)
    g_assert (g_spawn_command_line_sync ("sh -c 'sleep 0.4; echo'", &output, NULL, NULL, NULL));
  else if (strcmp (kind, "popen") == 0)
    wait_for_output_of_popen ();
  else
    wait_for_child ();
  g_timeout_add (50, quit_cb, loop);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  g_assert (argc == 2);
  kind = argv[1];
  g_timeout_add (50, wait_cb, loop);
  g_main_loop_run (loop);
  return 0;
}
