/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The settings of a monitor: each as text, and with a type those that programs set. */

#define G_LOG_DOMAIN "jankwatch"

#include "monitor/jank-monitor-private.h"

#include "base/jank-clock-private.h"

/**
 * jank_monitor_get_setting:
 * @self: a monitor
 * @key: a setting's name, such as `threshold`
 *
 * Reads what [method@Monitor.set_setting], the key file or `JANKWATCH_CONFIG` has set, or the default.
 *
 * Returns: (transfer full) (nullable): the value as text, such as `100ms`, or %NULL when there is no such setting
 */
char *
jank_monitor_get_setting (JankMonitor *self, const char *key)
{
  g_autoptr (JankSettings) settings = NULL;

  g_return_val_if_fail (JANK_IS_MONITOR (self), NULL);
  g_return_val_if_fail (key != NULL, NULL);

  settings = jank_monitor_ref_settings (self, G_STRFUNC);
  return settings != NULL ? jank_settings_get (settings, key) : NULL;
}

/**
 * jank_monitor_set_setting:
 * @self: a monitor
 * @key: a setting's name, such as `threshold`
 * @value: its value as text, such as `50ms`
 * @error: return location for a [error@Error]
 *
 * Sets anything that the key file and `JANKWATCH_CONFIG` can set.
 *
 * While @self runs, `threshold`, `first-sample`, `interval`, `rule`, `spin-turns`, `spin-time`, `cpu-threshold`,
 * `cpu-time`, `sources`, `overlay` and all that begin with it, all that begin with `max-`, and `annealing` take effect
 * at once. Others can only be set while it does not run. `notify` and `on-report` are for the command `jankwatch`,
 * which reads the user's settings; here they do nothing.
 *
 * Returns: %TRUE, or %FALSE with `JANK_ERROR_INVALID` for a value that the setting does not take and
 *   `JANK_ERROR_FAILED` for a setting that cannot change now; then the setting is as it was
 */
gboolean
jank_monitor_set_setting (JankMonitor *self, const char *key, const char *value, GError **error)
{
  g_return_val_if_fail (JANK_IS_MONITOR (self), FALSE);
  g_return_val_if_fail (key != NULL && value != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return jank_monitor_set_text (self, key, value, G_STRFUNC, error);
}

/**
 * jank_monitor_set_threshold_ms: (set-property threshold-ms)
 * @self: a monitor
 * @threshold_ms: how long the main loop may be busy until that is a stall, in milliseconds
 *
 * Sets the setting `threshold`; takes effect at once.
 */
void
jank_monitor_set_threshold_ms (JankMonitor *self, guint threshold_ms)
{
  g_return_if_fail (JANK_IS_MONITOR (self));

  jank_monitor_set_ms (self, "threshold", threshold_ms, G_STRFUNC);
}

/**
 * jank_monitor_get_threshold_ms: (get-property threshold-ms)
 * @self: a monitor
 *
 * Reads the setting `threshold`.
 *
 * Returns: milliseconds, without fractions
 */
guint
jank_monitor_get_threshold_ms (JankMonitor *self)
{
  g_autoptr (JankSettings) settings = NULL;

  g_return_val_if_fail (JANK_IS_MONITOR (self), 0);

  settings = jank_monitor_ref_settings (self, G_STRFUNC);
  return settings != NULL ? (guint) (settings->threshold_ns / JANK_NS_PER_MS) : 0;
}

/**
 * jank_monitor_set_interval_ms: (set-property interval-ms)
 * @self: a monitor
 * @interval_ms: the time between two stacks of a stall, in milliseconds
 *
 * Sets the setting `interval`; takes effect at once.
 */
void
jank_monitor_set_interval_ms (JankMonitor *self, guint interval_ms)
{
  g_return_if_fail (JANK_IS_MONITOR (self));

  jank_monitor_set_ms (self, "interval", interval_ms, G_STRFUNC);
}

/**
 * jank_monitor_get_interval_ms: (get-property interval-ms)
 * @self: a monitor
 *
 * Reads the setting `interval`.
 *
 * Returns: milliseconds, without fractions
 */
guint
jank_monitor_get_interval_ms (JankMonitor *self)
{
  g_autoptr (JankSettings) settings = NULL;

  g_return_val_if_fail (JANK_IS_MONITOR (self), 0);

  settings = jank_monitor_ref_settings (self, G_STRFUNC);
  return settings != NULL ? (guint) (settings->interval_ns / JANK_NS_PER_MS) : 0;
}

/**
 * jank_monitor_set_store: (set-property store)
 * @self: a monitor that does not run
 * @folder: (type filename): an absolute path
 *
 * Sets the folder that reports are written to; it is made when it does not exist.
 */
void
jank_monitor_set_store (JankMonitor *self, const char *folder)
{
  g_return_if_fail (JANK_IS_MONITOR (self));
  g_return_if_fail (folder != NULL);

  jank_monitor_set_or_complain (self, "store", folder, G_STRFUNC);
}

/**
 * jank_monitor_get_store: (get-property store)
 * @self: a monitor
 *
 * The folder that reports are written to.
 *
 * Returns: (type filename) (transfer none): an absolute path, until another is set
 */
const char *
jank_monitor_get_store (JankMonitor *self)
{
  g_autoptr (JankSettings) settings = NULL;

  g_return_val_if_fail (JANK_IS_MONITOR (self), NULL);

  settings = jank_monitor_ref_settings (self, G_STRFUNC);
  return settings != NULL ? settings->store : NULL; /* self keeps them */
}

/**
 * jank_monitor_set_ongoing_func: (skip)
 * @self: a monitor that does not run
 * @func: (nullable): is called while a stall lasts, or %NULL for nothing
 * @data: for @func
 * @destroy: (nullable): frees @data
 *
 * Has @func called while the loop hangs: when a stall is found, and again each time its report is due. For watchdogs
 * that are written in C: no interpreter is ready to be called on a thread that it does not know, while its own hangs.
 *
 * @func runs on a thread of the monitor's, which has the program's descriptors and every signal blocked. It may read
 * the report, write to files and sockets, log, or set what other threads look at. It must not use GTK or @self, nor
 * wait for anything that the loop's thread may hold: that thread holds it until the stall ends. The monitor's signals,
 * its messages and [method@Monitor.stop] wait for @func; reading stacks does not. Reports that are due meanwhile are
 * left out.
 *
 * @destroy is called by this function, or when @self is finalized.
 */
void
jank_monitor_set_ongoing_func (JankMonitor *self, JankOngoingFunc func, gpointer data, GDestroyNotify destroy)
{
  g_return_if_fail (JANK_IS_MONITOR (self));

  if (!jank_monitor_enter (self, G_STRFUNC))
    return;
  if (!jank_monitor_is_running (self))
    jank_monitor_signals_set_ongoing (jank_monitor_get_signals (self), &(JankOngoing) { func, data, destroy });
  else
    g_critical ("%s: the monitor runs. Nothing was done: set the function before jank_monitor_start()", G_STRFUNC);
  jank_monitor_leave (self);
}
