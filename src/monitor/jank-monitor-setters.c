/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The settings of a monitor: each as text, and with a type those that programs set. */

#include "config.h"

#define G_LOG_DOMAIN "jankwatch"

#include "monitor/jank-monitor-private.h"

#include "base/jank-clock-private.h"

/* A preset sets several. Handlers are called last: they may use the monitor, or drop it. */
static gboolean
jank_monitor_set_and_notify (JankMonitor *self, const char *key, const char *value, const char *function,
                             GError **error)
{
  g_autoptr (JankSettings) before = NULL;
  const JankSettings *now;
  gboolean done;

  if (!jank_monitor_enter (self, function))
    return FALSE;
  g_object_freeze_notify (G_OBJECT (self));
  before = jank_settings_ref ((JankSettings *) jank_monitor_get_settings (self));
  done = jank_monitor_change (self, key, value, error);
  now = jank_monitor_get_settings (self);
  if (now->threshold_ns != before->threshold_ns)
    g_object_notify (G_OBJECT (self), "threshold-ms");
  if (now->interval_ns != before->interval_ns)
    g_object_notify (G_OBJECT (self), "interval-ms");
  if (!g_str_equal (now->store, before->store))
    g_object_notify (G_OBJECT (self), "store");
  jank_monitor_leave (self);
  g_object_thaw_notify (G_OBJECT (self));
  return done;
}

static void
jank_monitor_set_or_complain (JankMonitor *self, const char *key, const char *value, const char *function)
{
  g_autoptr (GError) error = NULL;

  if (!jank_monitor_set_and_notify (self, key, value, function, &error) && error != NULL)
    g_critical ("%s: %s", function, error->message);
}

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
  char *value;

  g_return_val_if_fail (JANK_IS_MONITOR (self), NULL);
  g_return_val_if_fail (key != NULL, NULL);

  if (!jank_monitor_enter (self, G_STRFUNC))
    return NULL;
  value = jank_settings_get (jank_monitor_get_settings (self), key);
  jank_monitor_leave (self);
  return value;
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
 * `cpu-time`, `sources`, `overlay` and all that begin with it, all that begin with `max-`, and `annealing` take effect at
 * once. Others can only be set while it does not run. `notify` and `on-report` are for the command `jankwatch`, which reads
 * the user's settings; here they do nothing.
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

  return jank_monitor_set_and_notify (self, key, value, G_STRFUNC, error);
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
  g_autofree char *value = g_strdup_printf ("%ums", threshold_ms);

  g_return_if_fail (JANK_IS_MONITOR (self));

  jank_monitor_set_or_complain (self, "threshold", value, G_STRFUNC);
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
  guint value_ms;

  g_return_val_if_fail (JANK_IS_MONITOR (self), 0);

  if (!jank_monitor_enter (self, G_STRFUNC))
    return 0;
  value_ms = (guint) (jank_monitor_get_settings (self)->threshold_ns / JANK_NS_PER_MS);
  jank_monitor_leave (self);
  return value_ms;
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
  g_autofree char *value = g_strdup_printf ("%ums", interval_ms);

  g_return_if_fail (JANK_IS_MONITOR (self));

  jank_monitor_set_or_complain (self, "interval", value, G_STRFUNC);
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
  guint value_ms;

  g_return_val_if_fail (JANK_IS_MONITOR (self), 0);

  if (!jank_monitor_enter (self, G_STRFUNC))
    return 0;
  value_ms = (guint) (jank_monitor_get_settings (self)->interval_ns / JANK_NS_PER_MS);
  jank_monitor_leave (self);
  return value_ms;
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
  const char *folder;

  g_return_val_if_fail (JANK_IS_MONITOR (self), NULL);

  if (!jank_monitor_enter (self, G_STRFUNC))
    return NULL;
  folder = jank_monitor_get_settings (self)->store;
  jank_monitor_leave (self);
  return folder;
}
