/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "jankwatch"

#include "monitor/jank-monitor-private.h"

#include <stdatomic.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "guest/jank-errands-private.h"
#include "base/jank-error.h"
#include "guest/jank-rest-private.h"
#include "settings/jank-settings-private.h"
#include "monitor/jank-inspector-host-private.h"
#include "proc/jank-filter-private.h"
#include "sinks/jank-program-private.h"

/**
 * JankMonitor:
 *
 * Watches one main loop and reports when it stalls.
 *
 * A function that does not say otherwise belongs to the thread that runs the loop; while no thread does, one at a time
 * may call it. From another thread it does nothing but complain: use [method@GLib.MainContext.invoke]. Any thread may
 * drop the last reference; a loop that runs in another one ends watching in one of its next turns.
 *
 * A thread of the monitor's own reads stacks and writes reports; the loop's thread waits for it only in
 * [method@Monitor.stop] and when the program ends.
 */
struct _JankMonitor
{
  GObject           parent_instance;

  /* set at construction */
  GMainContext     *context;  /* (owned) */
  JankSettings     *settings; /* (owned) */
  JankTags         *tags;     /* (owned) */
  JankInspectorHostState *inspector; /* (owned) */
  JankMonitorSignals *signals; /* (owned) */

  /* whoever has entered */
  JankWatchedLoop  *watch;    /* (owned) (nullable): while it runs */

  /* any thread, atomic; written by whoever has entered, orders nothing */
  _Atomic gboolean  is_running, is_paused;
  _Atomic guint     n_left;   /* pairs with itself, see jank_monitor_enter() */
};

G_DEFINE_FINAL_TYPE (JankMonitor, jank_monitor, G_TYPE_OBJECT)

enum { PROP_CONTEXT = 1, PROP_INTERVAL_MS, PROP_PAUSED, PROP_RUNNING, PROP_STORE, PROP_THRESHOLD_MS, N_PROPS };
static GParamSpec *properties[N_PROPS];

JankTags *
jank_monitor_get_tags (JankMonitor *self)
{
  return self->tags;
}

JankMonitorSignals *
jank_monitor_get_signals (JankMonitor *self)
{
  return self->signals;
}

gboolean
jank_monitor_may_start (GError **error)
{
  bool may_speak;
  const char *deadly = jank_filter_find_deadly (&may_speak);

  if (deadly != NULL)
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                 _("its system call filter (seccomp) would kill it for %s, which jankwatch needs"), deadly);
  return deadly == NULL;
}

/* Whether the caller may go on: it runs the context, or nobody does, nor can until jank_monitor_leave(). Not a thread
 * of ours, which calls a function of the program's: it would wait for itself. The context's lock orders what is done
 * inside; n_left says so to a thread sanitizer, which does not see GLib's locks. */
static gboolean
jank_monitor_try_enter (JankMonitor *self)
{
  if (jank_rest_is_ours () || !g_main_context_acquire (self->context))
    return FALSE;
  atomic_load_explicit (&self->n_left, memory_order_acquire);
  return TRUE;
}

gboolean
jank_monitor_enter (JankMonitor *self, const char *function)
{
  gboolean may_go_on = jank_monitor_try_enter (self);

  if (!may_go_on)
    g_critical ("%s: called from another thread than the one that runs the monitor's context. Nothing was done: call "
                "it from that thread, for example by g_main_context_invoke()", function);
  return may_go_on;
}

void
jank_monitor_leave (JankMonitor *self)
{
  atomic_fetch_add_explicit (&self->n_left, 1, memory_order_release);
  g_main_context_release (self->context);
}

/* Does not enter: GIO may load the module in any thread, whichever runs the loop, and nobody else has the monitor yet.
 * is_in_wait: this is the context's thread, inside the wait of one of its turns. */
gboolean
jank_monitor_start_early (JankMonitor *self, gint64 startup_began_ns, gboolean is_in_wait, GError **error)
{
  const JankWatchedLoopOwner owner = {
    .context = self->context,
    .tags = self->tags,
    .inspector = jank_inspector_host_get (self->inspector),
    .sinks = { { &jank_inspector_host_sink, self->inspector }, { &jank_monitor_signals_sink, self->signals } },
    .is_in_wait = is_in_wait,
  };

  if (!jank_monitor_may_start (error))
    return FALSE;
  self->watch = jank_watched_loop_new (&owner, self->settings, startup_began_ns,
                                       atomic_load_explicit (&self->is_paused, memory_order_relaxed), error);
  atomic_store_explicit (&self->is_running, self->watch != NULL, memory_order_relaxed);
  return self->watch != NULL;
}

static gboolean
jank_monitor_unwatch (JankMonitor *self)
{
  gboolean was_running = self->watch != NULL;

  atomic_store_explicit (&self->is_running, FALSE, memory_order_relaxed);
  g_clear_pointer (&self->watch, jank_watched_loop_free);
  return was_running;
}

/**
 * jank_monitor_new_for_context:
 * @context: (nullable): the context to watch, or %NULL for the default one
 *
 * Makes a monitor of @context.
 *
 * Returns: (transfer full): a new monitor, not yet running
 */
JankMonitor *
jank_monitor_new_for_context (GMainContext *context)
{
  return g_object_new (JANK_TYPE_MONITOR, "context", context, NULL);
}

static gboolean
jank_monitor_change (JankMonitor *self, const char *key, const char *value, GError **error)
{
  g_autoptr (JankSettings) changed = jank_settings_copy (self->settings);

  if (!jank_settings_set (changed, key, value, error))
    return FALSE;
  if (self->watch != NULL && !jank_settings_is_live (key))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED,
                   _("Could not change the setting “%s” of a running monitor: it takes effect at the next start. The "
                     "old value stays in use"), key);
      return FALSE;
    }
  jank_settings_free (self->settings);
  self->settings = g_steal_pointer (&changed);
  if (self->watch != NULL)
    jank_watched_loop_apply (self->watch, self->settings, key);
  return TRUE;
}

/* A preset sets several. Handlers are called last: they may use the monitor, or drop it. */
gboolean
jank_monitor_set_text (JankMonitor *self, const char *key, const char *value, const char *function, GError **error)
{
  g_autoptr (JankSettings) before = NULL;
  gboolean done;

  if (!jank_monitor_enter (self, function))
    return FALSE;
  g_object_freeze_notify (G_OBJECT (self));
  before = jank_settings_ref (self->settings);
  done = jank_monitor_change (self, key, value, error);
  if (self->settings->threshold_ns != before->threshold_ns)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_THRESHOLD_MS]);
  if (self->settings->interval_ns != before->interval_ns)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_INTERVAL_MS]);
  if (!g_str_equal (self->settings->store, before->store))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STORE]);
  jank_monitor_leave (self);
  g_object_thaw_notify (G_OBJECT (self));
  return done;
}

void
jank_monitor_set_or_complain (JankMonitor *self, const char *key, const char *value, const char *function)
{
  g_autoptr (GError) error = NULL;

  if (!jank_monitor_set_text (self, key, value, function, &error) && error != NULL)
    g_critical ("%s: %s", function, error->message);
}

void
jank_monitor_set_ms (JankMonitor *self, const char *key, guint value_ms, const char *function)
{
  g_autofree char *value = g_strdup_printf ("%ums", value_ms);

  jank_monitor_set_or_complain (self, key, value, function);
}

JankSettings *
jank_monitor_ref_settings (JankMonitor *self, const char *function)
{
  JankSettings *settings;

  if (!jank_monitor_enter (self, function))
    return NULL;
  settings = jank_settings_ref (self->settings);
  jank_monitor_leave (self);
  return settings;
}

/**
 * jank_monitor_start:
 * @self: a monitor that does not run
 * @error: return location for a [error@Error]
 *
 * Begins to watch.
 *
 * Returns: %TRUE, or %FALSE with `JANK_ERROR_UNAVAILABLE` when the process may have no more threads, this system gives
 *   a thread no descriptors of its own, or the process has a filter that would end it for a system call of jankwatch's
 */
gboolean
jank_monitor_start (JankMonitor *self, GError **error)
{
  gboolean begins = FALSE;

  g_return_val_if_fail (JANK_IS_MONITOR (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!jank_monitor_enter (self, G_STRFUNC))
    return FALSE;
  if (self->watch == NULL)
    begins = jank_monitor_start_early (self, 0, FALSE, error);
  else
    g_critical ("%s: the monitor runs already. Nothing was done", G_STRFUNC);
  jank_monitor_leave (self);
  /* Last: a handler may stop it, or drop it. */
  if (begins)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RUNNING]);
  return begins;
}

/**
 * jank_monitor_stop:
 * @self: a monitor
 *
 * Ends watching, and waits for a report that is being written. A stall that has not ended stays in the store as it was
 * last written. Does nothing when @self does not run.
 */
void
jank_monitor_stop (JankMonitor *self)
{
  gboolean was_running;

  g_return_if_fail (JANK_IS_MONITOR (self));

  if (!jank_monitor_enter (self, G_STRFUNC))
    return;
  was_running = jank_monitor_unwatch (self);
  jank_monitor_leave (self);
  if (was_running)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RUNNING]);
}

/**
 * jank_monitor_is_running: (get-property running)
 * @self: a monitor
 *
 * Whether @self watches, also while it is paused. Any thread may ask.
 *
 * Returns: whether it runs
 */
gboolean
jank_monitor_is_running (JankMonitor *self)
{
  g_return_val_if_fail (JANK_IS_MONITOR (self), FALSE);

  return atomic_load_explicit (&self->is_running, memory_order_relaxed);
}

/**
 * jank_monitor_set_paused: (set-property paused)
 * @self: a monitor
 * @paused: whether to pause
 *
 * A paused monitor takes no samples and reports no stalls; a stall that is under way ends for it. Frame statistics go
 * on. A monitor that does not run yet starts paused.
 */
void
jank_monitor_set_paused (JankMonitor *self, gboolean paused)
{
  gboolean changes;

  g_return_if_fail (JANK_IS_MONITOR (self));

  if (!jank_monitor_enter (self, G_STRFUNC))
    return;
  changes = atomic_exchange_explicit (&self->is_paused, !!paused, memory_order_relaxed) != !!paused;
  if (changes && self->watch != NULL)
    jank_watched_loop_set_paused (self->watch, paused);
  jank_monitor_leave (self);
  if (changes)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PAUSED]);
}

/**
 * jank_monitor_get_paused: (get-property paused)
 * @self: a monitor
 *
 * Whether @self is paused. Any thread may ask.
 *
 * Returns: whether it is
 */
gboolean
jank_monitor_get_paused (JankMonitor *self)
{
  g_return_val_if_fail (JANK_IS_MONITOR (self), FALSE);

  return atomic_load_explicit (&self->is_paused, memory_order_relaxed);
}

static void
jank_monitor_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  JankMonitor *self = JANK_MONITOR (object);

  switch (id)
    {
    case PROP_CONTEXT:      self->context = g_value_dup_boxed (value); break;
    case PROP_INTERVAL_MS:  jank_monitor_set_ms (self, "interval", g_value_get_uint (value), G_STRFUNC); break;
    case PROP_PAUSED:       jank_monitor_set_paused (self, g_value_get_boolean (value)); break;
    case PROP_STORE:
      if (g_value_get_string (value) != NULL)
        jank_monitor_set_or_complain (self, "store", g_value_get_string (value), G_STRFUNC);
      break;
    case PROP_THRESHOLD_MS: jank_monitor_set_ms (self, "threshold", g_value_get_uint (value), G_STRFUNC); break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
jank_monitor_get_from_settings (JankMonitor *self, guint id, GValue *value)
{
  g_autoptr (JankSettings) settings = jank_monitor_ref_settings (self, G_STRFUNC);

  if (settings == NULL)
    return;
  if (id == PROP_STORE)
    g_value_set_string (value, settings->store);
  else
    g_value_set_uint (value, (guint) ((id == PROP_INTERVAL_MS ? settings->interval_ns : settings->threshold_ns) /
                                      JANK_NS_PER_MS));
}

static void
jank_monitor_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  JankMonitor *self = JANK_MONITOR (object);

  switch (id)
    {
    case PROP_CONTEXT:      g_value_set_boxed (value, self->context); break;
    case PROP_PAUSED:       g_value_set_boolean (value, jank_monitor_get_paused (self)); break;
    case PROP_RUNNING:      g_value_set_boolean (value, jank_monitor_is_running (self)); break;
    case PROP_INTERVAL_MS: case PROP_STORE: case PROP_THRESHOLD_MS:
      jank_monitor_get_from_settings (self, id, value); break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
jank_monitor_constructed (GObject *object)
{
  JankMonitor *self = JANK_MONITOR (object);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (JankProgram) program = jank_program_new ();

  G_OBJECT_CLASS (jank_monitor_parent_class)->constructed (object);
  if (self->context == NULL)
    self->context = g_main_context_ref (g_main_context_default ());
  self->signals = jank_monitor_signals_new (object, self->context);
  self->settings = jank_settings_load (program->name, warnings);
  for (guint i = 0; i < warnings->len; i++)
    jank_errands_say ("%s", (const char *) warnings->pdata[i]);
}

static gboolean
jank_monitor_remove_cb (gpointer data)
{
  return G_SOURCE_REMOVE;
}

/* Not in finalize: the watcher may take a reference until it has ended. Only the thread that runs the context can end
 * watching, so it gets the last reference if this is another. */
static void
jank_monitor_dispose (GObject *object)
{
  JankMonitor *self = JANK_MONITOR (object);

  if (jank_monitor_try_enter (self))
    {
      jank_monitor_unwatch (self);
      jank_monitor_leave (self);
    }
  else if (jank_monitor_is_running (self))
    {
      GSource *source = g_idle_source_new ();

      g_source_set_priority (source, G_PRIORITY_DEFAULT);
      g_source_set_static_name (source, "jankwatch: last reference");
      g_source_set_callback (source, jank_monitor_remove_cb, g_object_ref (self), g_object_unref);
      g_source_attach (source, self->context);
      g_source_unref (source);
    }
  G_OBJECT_CLASS (jank_monitor_parent_class)->dispose (object);
}

static void
jank_monitor_finalize (GObject *object)
{
  JankMonitor *self = JANK_MONITOR (object);

  g_main_context_unref (self->context);
  jank_settings_free (self->settings);
  jank_inspector_host_free (self->inspector);
  jank_monitor_signals_free (self->signals);
  g_atomic_rc_box_release (self->tags);
  G_OBJECT_CLASS (jank_monitor_parent_class)->finalize (object);
}

static void
jank_monitor_class_init (JankMonitorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  bindtextdomain (GETTEXT_PACKAGE, JANK_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");

  object_class->set_property = jank_monitor_set_property;
  object_class->get_property = jank_monitor_get_property;
  object_class->constructed = jank_monitor_constructed;
  object_class->dispose = jank_monitor_dispose;
  object_class->finalize = jank_monitor_finalize;

  /**
   * JankMonitor:context:
   *
   * The context that is watched. %NULL stands for the default one.
   */
  properties[PROP_CONTEXT] =
    g_param_spec_boxed ("context", NULL, NULL, G_TYPE_MAIN_CONTEXT,
                        G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * JankMonitor:paused: (getter get_paused) (setter set_paused)
   *
   * Whether the monitor takes no samples and reports no stalls for the time being.
   */
  properties[PROP_PAUSED] =
    g_param_spec_boolean ("paused", NULL, NULL, FALSE,
                          G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  /**
   * JankMonitor:running: (getter is_running)
   *
   * Whether the monitor watches, see [method@Monitor.start] and [method@Monitor.stop].
   */
  properties[PROP_RUNNING] =
    g_param_spec_boolean ("running", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  /**
   * JankMonitor:interval-ms: (getter get_interval_ms) (setter set_interval_ms)
   *
   * The time between two stacks of a stall, in milliseconds: the setting `interval`.
   */
  properties[PROP_INTERVAL_MS] =
    g_param_spec_uint ("interval-ms", NULL, NULL, 1, 10000, 10,
                       G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  /**
   * JankMonitor:store: (getter get_store) (setter set_store)
   *
   * The folder that reports are written to: the setting `store`.
   */
  properties[PROP_STORE] =
    g_param_spec_string ("store", NULL, NULL, NULL,
                         G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  /**
   * JankMonitor:threshold-ms: (getter get_threshold_ms) (setter set_threshold_ms)
   *
   * How long the main loop may be busy until that is a stall, in milliseconds: the setting `threshold`.
   */
  properties[PROP_THRESHOLD_MS] =
    g_param_spec_uint ("threshold-ms", NULL, NULL, 4, 3600000, 100,
                       G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  jank_monitor_signals_install (object_class);
}

static void
jank_monitor_init (JankMonitor *self)
{
  self->tags = g_atomic_rc_box_new0 (JankTags);
  self->inspector = jank_inspector_host_new (&(JankInspectorOwner) {
    .monitor = self,
    .settings = &self->settings,
    .get_paused = jank_monitor_get_paused,
    .set_paused = jank_monitor_set_paused,
  });
}
