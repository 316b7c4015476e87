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
#include "proc/jank-filter-private.h"

/* On the main thread and outside any dispatch, the program is starting up. That it owns the context says nothing:
 * g_application_run() acquires it, starts the program up (“startup”, “activate”), and only then runs the loop. */
static gint64
jank_activate_get_startup (bool is_in_wait)
{
  return !is_in_wait && syscall (SYS_gettid) == getpid () && g_main_depth () == 0 ? jank_clock_now_ns () : 0;
}

/* Nothing of ours comes before the first question. Returns: (transfer full) (nullable) */
static JankMonitor *
jank_activate_begin (bool is_in_wait, GError **error)
{
  g_autoptr (JankMonitor) monitor = NULL;

  if (!jank_monitor_may_start (error))
    return NULL;
  monitor = jank_monitor_new ();
  return jank_monitor_start_early (monitor, jank_activate_get_startup (is_in_wait), is_in_wait, error)
         ? g_steal_pointer (&monitor) : NULL;
}

void
jank_activate (bool is_in_wait)
{
  static gint has_begun; /* (atomic): not g_once_init_enter(), which would wait for itself were this called from
                            inside */
  g_autoptr (GError) error = NULL;
  JankMonitor *monitor;
  bool may_speak;

  if (!g_atomic_int_compare_and_exchange (&has_begun, FALSE, TRUE))
    return;

  jank_stderr_learn ();
  jank_filter_find_deadly (&may_speak);
  monitor = jank_activate_begin (is_in_wait, &error);
  if (monitor != NULL)
    jank_monitor_make_default (monitor); /* for as long as the program lives */
  else if (may_speak)
    jank_errands_say (_("Could not watch this program: %s. It runs on unwatched"), error->message);
}
