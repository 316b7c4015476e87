/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A monitor of the default context, the one that a watched program finds, and what the program tells it: tags. */

#define G_LOG_DOMAIN "jankwatch"

#include "monitor/jank-monitor-private.h"

#include <stdatomic.h>

#include "monitor/jank-tag-private.h"

/* The GIO module's; written once, with release, read with acquire. */
static JankMonitor *_Atomic default_monitor;

void
jank_monitor_make_default (JankMonitor *self)
{
  atomic_store_explicit (&default_monitor, self, memory_order_release);
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
