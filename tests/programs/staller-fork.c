/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* staller fork: children of every kind while the parent stalls. The child of a plain fork goes on to use GLib, which is
 * what a watcher that survives the fork would break. */

#include "staller.h"

#include <glib-object.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STALL_NS (150 * NS_PER_MS)
#define CHILD_LOOP_MS 200
#define HUNG_NS (5 * NS_PER_S)
#define CHECK_MS 10

extern char **environ;

typedef struct
{
  pid_t (*start) (void); /* 0: it waited for the child itself, whose status is waited_status */
  GMainLoop *loop;
  guint n_left;

  pid_t child;
  gint64 began_ns, ended_ns;
  GString *rounds;
  guint n_failed;
} Forks;

static int waited_status;

static gboolean
child_tick_cb (gpointer data)
{
  g_object_unref (g_object_new (G_TYPE_OBJECT, NULL));
  g_free (g_malloc0 (100000));
  (*(guint *) data)++;
  return G_SOURCE_CONTINUE;
}

/* Ends through exit(), so that every exit handler of the parent runs in the child too. */
static void
child_main (GMainContext *context)
{
  GMainLoop *loop = g_main_loop_new (context, FALSE);
  guint n_ticks = 0;

  staller_attach_timeout (context, CHECK_MS, child_tick_cb, &n_ticks);
  staller_attach_timeout (context, CHILD_LOOP_MS, staller_quit_cb, loop);
  g_main_loop_run (loop);
  exit (n_ticks > 0 ? 0 : 1);
}

static pid_t
start_fork (void)
{
  pid_t child = fork ();

  if (child == 0)
    child_main (g_main_context_new ());
  return child;
}

/* In the context that the parent watches. */
static pid_t
start_fork_default (void)
{
  pid_t child = fork ();

  if (child == 0)
    child_main (NULL);
  return child;
}

static pid_t
start_fork_exec (void)
{
  pid_t child = fork ();

  if (child == 0)
    {
      execl ("/bin/true", "true", NULL);
      _exit (127);
    }
  return child;
}

static pid_t
start_vfork (void)
{
  pid_t child = vfork ();

  if (child == 0)
    {
      execl ("/bin/true", "true", NULL);
      _exit (127);
    }
  return child;
}

static pid_t
start_posix_spawn (void)
{
  char *argv[] = { "true", NULL };
  pid_t child;

  return posix_spawn (&child, "/bin/true", NULL, NULL, argv, environ) == 0 ? child : -1;
}

static pid_t
start_spawn_sync (void)
{
  char *argv[] = { "/bin/true", NULL };

  if (!g_spawn_sync (NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &waited_status, NULL))
    return -1;
  return 0;
}

static const struct
{
  const char *name;
  pid_t (*start) (void);
} kinds[] = {
  { "fork", start_fork },
  { "fork-default", start_fork_default },
  { "fork-exec", start_fork_exec },
  { "posix-spawn", start_posix_spawn },
  { "vfork", start_vfork },
  { "spawn-sync", start_spawn_sync },
};

static gboolean round_cb (gpointer data);

static void
round_over (Forks *forks, int status)
{
  gint64 elapsed_ns = now_ns () - forks->began_ns;

  forks->n_failed += status != 0;
  g_string_append_printf (forks->rounds,
                          "%s{\"status\": %d, \"elapsed_ns\": %" G_GINT64_FORMAT
                          ", \"began_monotonic_ns\": %" G_GINT64_FORMAT ", \"ended_monotonic_ns\": %" G_GINT64_FORMAT "}",
                          forks->rounds->len > 0 ? ", " : "", status, elapsed_ns, forks->began_ns, forks->ended_ns);
  g_timeout_add (100, forks->n_left > 0 ? round_cb : staller_quit_cb,
                 forks->n_left > 0 ? (gpointer) forks : (gpointer) forks->loop);
}

/* A child that hangs is killed, and shows as ended by a signal. */
static gboolean
check_child_cb (gpointer data)
{
  Forks *forks = data;
  int status = -1;

  if (waitpid (forks->child, &status, WNOHANG) == 0)
    {
      if (now_ns () - forks->began_ns > HUNG_NS)
        kill (forks->child, SIGKILL);
      return G_SOURCE_CONTINUE;
    }
  round_over (forks, status);
  return G_SOURCE_REMOVE;
}

static gboolean
round_cb (gpointer data)
{
  Forks *forks = data;

  forks->n_left--;
  forks->began_ns = now_ns ();
  forks->child = forks->start ();
  stall_compute (STALL_NS);
  forks->ended_ns = now_ns ();

  if (forks->child > 0)
    g_timeout_add (CHECK_MS, check_child_cb, forks);
  else
    round_over (forks, forks->child == 0 ? waited_status : -1);
  return G_SOURCE_REMOVE;
}

int
command_fork (const StallerArgs *args)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GString) rounds = g_string_new (NULL);
  Forks forks = { .loop = loop, .rounds = rounds, .n_left = (guint) MAX (staller_arg (args, 1, 10), 1) };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds) && args->n_args > 0; i++)
    {
      if (strcmp (args->args[0], kinds[i].name) == 0)
        forks.start = kinds[i].start;
    }
  if (forks.start == NULL)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
        fprintf (stderr, "staller fork %s\n", kinds[i].name);
      return 2;
    }
  g_timeout_add (250, round_cb, &forks);
  g_main_loop_run (loop);
  staller_print ("{\"command\": \"fork\", \"kind\": \"%s\", \"failed\": %u, \"rounds\": [%s]}", args->args[0],
                 forks.n_failed, rounds->str);
  return forks.n_failed > 0 ? 1 : 0;
}
