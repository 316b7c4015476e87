/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "monitor/jank-activate-private.h"

#include <sys/syscall.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "guest/jank-errands-private.h"
#include "base/jank-stderr-private.h"
#include "monitor/jank-monitor-private.h"
#include "monitor/jank-running-private.h"
#include "proc/jank-filter-private.h"

void
jank_activate (int64_t startup_began_ns, bool is_in_wait)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JankMonitor) monitor = NULL;
  bool may_speak;

  if (!jank_running_claim ())
    return;

  jank_stderr_learn ();
  jank_filter_find_deadly (&may_speak);
  /* Nothing of ours comes before the first question. */
  if (jank_monitor_may_start (&error))
    {
      monitor = jank_monitor_new ();
      /* On the main thread and outside any dispatch, the program is starting up. That it owns the context says nothing:
       * g_application_run() acquires it, starts the program up (“startup”, “activate”), and only then runs the loop. */
      if (is_in_wait || syscall (SYS_gettid) != getpid () || g_main_depth () != 0)
        startup_began_ns = 0;
      else if (startup_began_ns == 0)
        startup_began_ns = jank_clock_now_ns ();
      if (jank_monitor_start_early (monitor, startup_began_ns, is_in_wait, &error))
        jank_monitor_make_default (g_steal_pointer (&monitor)); /* for as long as the program lives */
    }
  if (error != NULL && may_speak)
    jank_errands_say (_("Could not watch this program: %s. It continues without being watched"), error->message);
}
