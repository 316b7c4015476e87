/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A monitor of the default context, the one that a watched program finds, and what the program tells it: tags. */

#define G_LOG_DOMAIN "jankwatch"

#include "monitor/jank-monitor-private.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-stderr-private.h"
#include "guest/jank-errands-private.h"
#include "monitor/jank-activate-private.h"
#include "monitor/jank-watched-loop-private.h"
#include "proc/jank-filter-private.h"

/* The GIO module's; written once, with release, read with acquire. */
static JankMonitor *_Atomic default_monitor;

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
        /* for as long as the program lives */
        atomic_store_explicit (&default_monitor, g_steal_pointer (&monitor), memory_order_release);
    }
  if (error != NULL && may_speak)
    jank_errands_say (_("Could not watch this program: %s. It continues without being watched"), error->message);
}

/**
 * jank_monitor_new:
 *
 * Makes a monitor of the default main context with the user's settings: those of the key file
 * `$XDG_CONFIG_HOME/jankwatch/settings.conf` and of the variable `JANKWATCH_CONFIG`.
 *
 * Returns: (transfer full): a new monitor, not yet running
 */
JankMonitor *
jank_monitor_new (void)
{
  return jank_monitor_new_for_context (NULL);
}

/**
 * jank_monitor_get_default:
 *
 * The monitor that watches this program because its user wants so: by `GTK_MODULES=jankwatch` or `jankwatch run`. It
 * starts when GIO loads its modules; a GtkApplication does that while it registers. A program that has something to
 * tell, such as [method@Monitor.push_tag], tells this monitor. Any thread may ask for it.
 *
 * Returns: (transfer none) (nullable): a running monitor, or %NULL when nobody asked for one (yet)
 */
JankMonitor *
jank_monitor_get_default (void)
{
  return atomic_load_explicit (&default_monitor, memory_order_acquire);
}

/**
 * jank_monitor_push_tag:
 * @self: a monitor
 * @name: what it is, such as `document`; cut to 63 bytes
 * @value: which, such as `large.odt`; cut to 127 bytes
 *
 * Says what the program is doing, until [method@Tag.pop]. Reports carry the tags that held at any moment of their
 * stall. Up to 32 tags hold at once, and no report carries one that is pushed beyond them; a name may occur more than
 * once. The window's title, the focused widget and the last action are in reports anyway.
 *
 * Any thread may say so. It costs less than a microsecond.
 *
 * Returns: (transfer full): the tag, which holds no longer than the caller keeps it
 */
JankTag *
jank_monitor_push_tag (JankMonitor *self, const char *name, const char *value)
{
  g_return_val_if_fail (JANK_IS_MONITOR (self), NULL);
  g_return_val_if_fail (name != NULL && value != NULL, NULL);

  return jank_tag_new (jank_monitor_get_tags (self), name, value);
}
