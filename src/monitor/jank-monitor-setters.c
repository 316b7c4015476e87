/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Setters with a type, of the settings that programs set. */

#include "config.h"

#include "monitor/jank-monitor.h"

/**
 * jank_monitor_set_threshold_ms:
 * @self: a monitor
 * @threshold_ms: how long the main loop may be busy until that is a stall, in milliseconds
 * @error: return location for a [error@Error]
 *
 * Sets the setting `threshold`; takes effect at once. Fails as [method@Monitor.set_setting] does.
 *
 * Returns: whether the threshold was set
 */
gboolean
jank_monitor_set_threshold_ms (JankMonitor *self, guint threshold_ms, GError **error)
{
  g_autofree char *value = g_strdup_printf ("%ums", threshold_ms);

  return jank_monitor_set_setting (self, "threshold", value, error);
}

/**
 * jank_monitor_set_interval_ms:
 * @self: a monitor
 * @interval_ms: the time between two stacks of a stall, in milliseconds
 * @error: return location for a [error@Error]
 *
 * Sets the setting `interval`; takes effect at once. Fails as [method@Monitor.set_setting] does.
 *
 * Returns: whether the interval was set
 */
gboolean
jank_monitor_set_interval_ms (JankMonitor *self, guint interval_ms, GError **error)
{
  g_autofree char *value = g_strdup_printf ("%ums", interval_ms);

  return jank_monitor_set_setting (self, "interval", value, error);
}

/**
 * jank_monitor_set_store:
 * @self: a monitor that does not run
 * @folder: (type filename): an absolute path
 * @error: return location for a [error@Error]
 *
 * Sets the folder that reports are written to; it is made when it does not exist. Fails as
 * [method@Monitor.set_setting] does.
 *
 * Returns: whether the folder was set
 */
gboolean
jank_monitor_set_store (JankMonitor *self, const char *folder, GError **error)
{
  return jank_monitor_set_setting (self, "store", folder, error);
}
