/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* staller waits: every blocking call that a handler may make, each inside a stall of its own, with what it returned and
 * how long it took. A test compares the line with and without a watcher. */

#include "staller-wait.h"

#include <errno.h>
#include <string.h>

/* Computing before each call, so that the stall is already being looked at when the thread blocks. */
#define LEAD_NS (100 * NS_PER_MS)

typedef struct
{
  gint64 stall_ns, wait_ns;
  const WaitCall *calls; /* the next one */
  Wait *results;         /* the next one */
} Waits;

static void
wait_cb (gpointer data)
{
  Waits *waits = data;
  const WaitCall *call = waits->calls++;
  Wait *wait = waits->results++;

  wait->began_ns = now_ns ();
  wait->call_at_ns = wait->began_ns + LEAD_NS;
  wait->wait_ns = waits->wait_ns;
  if (call->open != NULL)
    call->open (wait);
  stall_compute (wait->call_at_ns - now_ns ());

  wait->call_began_ns = now_ns ();
  errno = 0;
  wait->result = call->call (wait);
  wait->error = wait->result == -1 ? errno : 0;
  wait->elapsed_ns = now_ns () - wait->call_began_ns;

  stall_compute (wait->began_ns + waits->stall_ns - now_ns ());
  if (call->close != NULL)
    call->close (wait);
  wait->ended_ns = now_ns ();
}

void
wait_append_result (GString *line, const WaitCall *call, const Wait *wait)
{
  g_string_append_printf (line, "%s{\"name\": \"%s\", \"result\": %ld, \"errno\": %d, \"error\": \"%s\"",
                          line->str[line->len - 1] == '[' ? "" : ", ", call->name, wait->result, wait->error,
                          wait->error != 0 ? strerrorname_np (wait->error) : "");
  g_string_append_printf (line, ", \"elapsed_ns\": %" G_GINT64_FORMAT ", \"remaining_ns\": %" G_GINT64_FORMAT,
                          wait->elapsed_ns, wait->remaining_ns);
  g_string_append_printf (line, ", \"call_began_monotonic_ns\": %" G_GINT64_FORMAT, wait->call_began_ns);
  g_string_append_printf (line, ", \"began_monotonic_ns\": %" G_GINT64_FORMAT, wait->began_ns);
  g_string_append_printf (line, ", \"ended_monotonic_ns\": %" G_GINT64_FORMAT "}", wait->ended_ns);
}

static void
run_calls (const StallerArgs *args, const WaitCall *calls, guint n_calls, GString *line)
{
  g_autofree Wait *results = g_new0 (Wait, n_calls);
  Waits waits = {
    .stall_ns = staller_arg (args, 0, 1000) * NS_PER_MS,
    .wait_ns = staller_arg (args, 1, 300) * NS_PER_MS,
    .calls = calls,
    .results = results,
  };

  staller_run_times (wait_cb, &waits, n_calls, 100);
  for (guint i = 0; i < n_calls; i++)
    wait_append_result (line, &calls[i], &results[i]);
}

int
command_waits (const StallerArgs *args)
{
  g_autoptr (GString) line = g_string_new ("{\"command\": \"waits\", \"calls\": [");

  run_calls (args, wait_calls_timed, n_wait_calls_timed, line);
  run_calls (args, wait_calls_socket, n_wait_calls_socket, line);
  run_calls (args, wait_calls_helped, n_wait_calls_helped, line);
  staller_print ("%s]}", line->str);
  return 0;
}
