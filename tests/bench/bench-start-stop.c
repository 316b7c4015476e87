/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-start-stop [TIMES]: how long it takes to start and stop a monitor 10,000 times, with a turn of the loop in between,
 * and by how much resident memory grows after the first hundred. What else is left: tests/monitor/test-left.c. */

#include "config.h"

#include <stdlib.h>

#include "base/jank-clock-private.h"
#include "jankwatch.h"
#include "proc/jank-task-private.h"

static void
start_and_stop (JankMonitor *monitor, guint n)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      if (!jank_monitor_start (monitor, &error))
        g_error ("%s", error->message);
      g_main_context_iteration (NULL, FALSE);
      jank_monitor_stop (monitor);
    }
}

static gint64
read_rss (void)
{
  JankProcessFacts facts = { 0 };

  jank_process_facts_read (&facts);
  return facts.rss_bytes;
}

int
main (int argc, char **argv)
{
  g_autoptr (JankMonitor) monitor = jank_monitor_new ();
  guint n = argc > 1 ? (guint) atoi (argv[1]) : 10000;
  gint64 began_ns, rss_bytes;

  start_and_stop (monitor, 100);
  rss_bytes = read_rss ();
  began_ns = jank_clock_now_ns ();
  start_and_stop (monitor, n);
  g_print ("%u starts and stops in %.2f s, %" G_GINT64_FORMAT " KB more\n", n,
           (double) (jank_clock_now_ns () - began_ns) / JANK_NS_PER_S, (read_rss () - rss_bytes) / 1024);
  return 0;
}
