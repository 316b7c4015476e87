/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Handlers inside which a main loop runs: the window stays alive. One of these loops waits, the other one spins. */

#include "demo.h"
#include "demo-stall-compute.h"

/* A loop that spins for less CPU time is not worth a report. */
#define SPIN_MIN_NS (INT64_C (3) * 1000000000)

static gboolean
loop_over_cb (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

static void
run_loop (int64_t duration_ns)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  g_timeout_add ((guint) (duration_ns / 1000000), loop_over_cb, loop);
  g_main_loop_run (loop);
}

G_NO_INLINE void
stall_nested (int64_t duration_ns)
{
  run_loop (duration_ns);
}

/* Not static: it is to be named in a stripped program. */
G_NO_INLINE gboolean
spin_check_again_cb (gpointer data)
{
  unsigned *n_checks = data;

  (*n_checks)++;
  return G_SOURCE_CONTINUE;
}

G_NO_INLINE void
stall_spin (int64_t duration_ns)
{
  int64_t until_ns = read_cpu_ns () + MAX (duration_ns, SPIN_MIN_NS), now_ns;
  unsigned n_checks = 0;
  guint id = g_idle_add (spin_check_again_cb, &n_checks);

  g_source_set_name_by_id (id, "[jankwatch-demo] check again");
  while ((now_ns = read_cpu_ns ()) < until_ns)
    run_loop (until_ns - now_ns);
  g_source_remove (id);
}
