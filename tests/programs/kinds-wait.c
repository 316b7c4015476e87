/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls in waits for one of several descriptors, and for children. Other calls that wait: tests/wait. */

#include "kinds.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2] = { -1, -1 };

static void
prepare_pipe (gint64 length_ns)
{
  kinds_check (pipe2 (ends, O_CLOEXEC) == 0, "pipe2");
  truth.timeout_ns = length_ns;
}

STALL (stall_in_poll)
{
  struct pollfd fds[] = { { .fd = ends[0], .events = POLLIN } };

  staller_sink += (guint64) poll (fds, 1, (int) (length_ns / NS_PER_MS));
}

static void
prepare_child (gint64 length_ns)
{
  const HolderJob job = { NULL, holder_sleeps, NULL };

  truth.peer_name = "slow-child";
  truth.peer_pid = holder_start_child (truth.peer_name, &job, length_ns);
  g_strlcpy (truth.target, truth.peer_name, sizeof truth.target);
}

STALL (stall_in_waitpid)
{
  int status;

  staller_sink += (guint64) waitpid (truth.peer_pid, &status, 0);
}

static void
prepare_spawn (gint64 length_ns)
{
  truth.peer_name = "sleep";
  g_strlcpy (truth.target, truth.peer_name, sizeof truth.target);
}

/* /bin/sleep, with its output going where the program's goes. */
STALL (stall_in_spawn)
{
  g_autofree char *seconds = g_strdup_printf ("%.3f", (double) length_ns / NS_PER_S);
  char *argv[] = { (char *) "sleep", seconds, NULL };

  kinds_check (g_spawn_sync (NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL), "sleep");
}

/* The output is read. */
STALL (stall_in_spawn_output)
{
  g_autofree char *seconds = g_strdup_printf ("%.3f", (double) length_ns / NS_PER_S);
  g_autofree char *output = NULL;
  char *argv[] = { (char *) "sleep", seconds, NULL };

  kinds_check (g_spawn_sync (NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, NULL, NULL, NULL), "sleep");
}

const Kind kinds_wait[] = {
  { "poll", KIND (stall_in_poll), "blocked", "pipe", "poll", prepare_pipe },
  { "waitpid", KIND (stall_in_waitpid), "blocked", "child", "wait4", prepare_child },
  { "spawn", KIND (stall_in_spawn), "blocked", "child", "wait4", prepare_spawn },
  { "spawn-output", KIND (stall_in_spawn_output), "blocked", "pipe", NULL, prepare_spawn },
};
const guint n_kinds_wait = G_N_ELEMENTS (kinds_wait);
