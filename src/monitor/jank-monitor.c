/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#define G_LOG_DOMAIN "jankwatch"

#include "monitor/jank-monitor-private.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "base/jank-settings-private.h"
#include "monitor/jank-gtk-host-private.h"
#include "monitor/jank-recorder-private.h"
#include "observe/jank-loop-observer-private.h"
#include "sample/jank-watcher-private.h"

#define TASK_FOLDER "/proc/self/task"
#define PARK_NS     (100 * JANK_NS_PER_MS)

/* How long the end of the program may be held up so that its last stall is not lost. */
#define EXIT_NS     (300 * JANK_NS_PER_MS)

/**
 * JankMonitor:
 *
 * Watches one main loop and reports when it stalls.
 *
 * Every function of this class is to be called on the thread that runs the loop. Reports are written by a
 * thread of the monitor's own; the loop's thread never waits for it, except while the program ends.
 */
struct _JankMonitor
{
  GObject           parent_instance;

  /* set at construction */
  GMainContext     *context;  /* (owned) */
  JankSettings     *settings; /* (owned) */

  /* the loop's thread only; NULL while not running */
  JankGtkHostState *gtk;      /* (owned) (nullable): for the default context only */
  JankRecorder     *recorder; /* (owned) (nullable) */
  JankLoopObserver *observer; /* (owned) (nullable) */
  JankWatcher      *watcher;  /* (owned) (nullable) */
  GSource          *probe;    /* (owned) (nullable) */
  pid_t             pid;      /* of the process that started it */
};

G_DEFINE_FINAL_TYPE (JankMonitor, jank_monitor, G_TYPE_OBJECT)

enum { PROP_CONTEXT = 1, N_PROPS };
enum { SIGNAL_STALL, N_SIGNALS };

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

/* Those that run, for the end of the program; under running_mutex. */
static GMutex running_mutex;
static GPtrArray *running; /* (owned) (nullable), of (unowned) monitors */

typedef struct
{
  JankMonitor *self;
  JankReport  *report;
} Delivery;

static void
delivery_free (gpointer data)
{
  Delivery *delivery = data;

  g_object_unref (delivery->self);
  jank_report_unref (delivery->report);
  g_free (delivery);
}

static gboolean
deliver_cb (gpointer data)
{
  Delivery *delivery = data;

  g_signal_emit (delivery->self, signals[SIGNAL_STALL], 0, delivery->report);
  return G_SOURCE_REMOVE;
}

/* Watcher thread. Without anybody who listens the loop does not turn once more than without us. */
static void
report_cb (JankReport *report, gpointer data)
{
  JankMonitor *self = data;
  Delivery *delivery;
  GSource *source;

  if (!g_signal_has_handler_pending (self, signals[SIGNAL_STALL], 0, FALSE))
    return;
  delivery = g_new (Delivery, 1);
  delivery->self = g_object_ref (self);
  delivery->report = jank_report_ref (report);
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "jankwatch: stall");
  g_source_set_callback (source, deliver_cb, delivery, delivery_free);
  g_source_attach (source, self->context);
  g_source_unref (source);
}

static gboolean
probe_cb (gpointer data)
{
  JankMonitor *self = data;
  g_autoptr (GError) error = NULL;
  JankDispatchSlot slot;

  if (jank_dispatch_slot_find (g_main_current_source (), probe_cb, &slot))
    jank_watcher_set_slot (self->watcher, &slot);
  if (self->gtk != NULL && !jank_gtk_host_start (self->gtk, &error) && error != NULL)
    g_message ("%s", error->message);
  return G_SOURCE_REMOVE;
}

static void
remove_probe (JankMonitor *self)
{
  if (self->probe != NULL)
    g_source_destroy (self->probe);
  g_clear_pointer (&self->probe, g_source_unref);
}

static void
attach_probe (JankMonitor *self)
{
  self->probe = g_idle_source_new ();
  g_source_set_priority (self->probe, G_PRIORITY_HIGH);
  g_source_set_static_name (self->probe, "jankwatch: probe");
  g_source_set_callback (self->probe, probe_cb, self, NULL);
  g_source_attach (self->probe, self->context);
}

/* The loop's thread, at its first turn and when another thread takes the context over. Each thread has a
 * place of its own where it tells its current source. */
static void
thread_cb (gpointer data)
{
  JankMonitor *self = data;
  JankDispatchSlot no_slot = { 0 };
  JankThreadInfo info;

  jank_thread_describe_self (&info);
  jank_watcher_set_thread (self->watcher, &info);
  jank_watcher_set_slot (self->watcher, &no_slot);
  remove_probe (self);
  attach_probe (self);
  if (info.tid == getpid ())
    jank_recorder_set_program (self->recorder, jank_program_new_full ());
}

static void
at_exit_cb (void)
{
  g_autoptr (GPtrArray) last = NULL;

  g_mutex_lock (&running_mutex);
  last = g_steal_pointer (&running);
  g_mutex_unlock (&running_mutex);
  for (guint i = 0; last != NULL && i < last->len; i++)
    jank_watcher_exit (((JankMonitor *) last->pdata[i])->watcher, EXIT_NS);
}

static void
before_fork_cb (void)
{
  g_mutex_lock (&running_mutex);
}

static void
in_parent_cb (void)
{
  g_mutex_unlock (&running_mutex);
}

/* A forked child has our source in its loop but no watcher: nothing waits for that at its end. */
static void
in_child_cb (void)
{
  running = NULL;
  g_mutex_unlock (&running_mutex);
}

static void
add_running (JankMonitor *self)
{
  static gsize once;

  if (g_once_init_enter (&once))
    {
      atexit (at_exit_cb);
      pthread_atfork (before_fork_cb, in_parent_cb, in_child_cb);
      g_once_init_leave (&once, 1);
    }
  g_mutex_lock (&running_mutex);
  if (running == NULL)
    running = g_ptr_array_new ();
  g_ptr_array_add (running, self);
  g_mutex_unlock (&running_mutex);
}

static gboolean
remove_running (JankMonitor *self)
{
  gboolean was_running;

  g_mutex_lock (&running_mutex);
  was_running = running != NULL && g_ptr_array_remove (running, self);
  g_mutex_unlock (&running_mutex);
  return was_running;
}

gboolean
jank_monitor_start_early (JankMonitor *self, gint64 startup_began_ns, GError **error)
{
  JankStallRule rule = {
    .threshold_ns = self->settings->threshold_ns,
    .first_sample_ns = MIN (self->settings->first_sample_ns, self->settings->threshold_ns),
    .interval_ns = self->settings->interval_ns,
    .park_ns = PARK_NS,
  };
  JankThreadInfo info;

  self->observer = jank_loop_observer_new (rule.threshold_ns, startup_began_ns, thread_cb, self);
  if (self->context == g_main_context_default ())
    self->gtk = jank_gtk_host_new (self->settings, jank_loop_observer_get_beat (self->observer));
  self->recorder = jank_recorder_new (self->settings, g_getenv ("JANKWATCH_SESSION"), self->gtk, report_cb, self);
  self->watcher = jank_watcher_new (jank_loop_observer_get_beat (self->observer), &rule, self->settings->signal,
                                    TASK_FOLDER, &jank_recorder_funcs, self->recorder, error);
  if (self->watcher == NULL)
    {
      jank_monitor_stop (self);
      return FALSE;
    }
  if (startup_began_ns != 0)
    {
      jank_thread_describe_self (&info);
      jank_watcher_set_thread (self->watcher, &info);
    }
  self->pid = getpid ();
  jank_loop_observer_attach (self->observer, self->context);
  add_running (self);
  return TRUE;
}

/**
 * jank_monitor_new:
 *
 * Makes a monitor of the default main context, with the user's settings: the key file
 * `$XDG_CONFIG_HOME/jankwatch/settings.conf` and the variable `JANKWATCH_CONFIG`.
 *
 * Returns: (transfer full): a new monitor, not yet running
 */
JankMonitor *
jank_monitor_new (void)
{
  return jank_monitor_new_for_context (NULL);
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

/**
 * jank_monitor_set_setting:
 * @self: a monitor that does not run
 * @key: a setting's name, such as `threshold`
 * @value: its value as text, such as `50ms`
 * @error: return location for a [error@Error]
 *
 * Sets what the key file and `JANKWATCH_CONFIG` can set too.
 *
 * Returns: %TRUE, or %FALSE with `JANK_ERROR_INVALID`; then the setting is as it was
 */
gboolean
jank_monitor_set_setting (JankMonitor *self, const char *key, const char *value, GError **error)
{
  g_return_val_if_fail (JANK_IS_MONITOR (self), FALSE);
  g_return_val_if_fail (key != NULL && value != NULL, FALSE);
  g_return_val_if_fail (!jank_monitor_is_running (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return jank_settings_set (self->settings, key, value, error);
}

/**
 * jank_monitor_start:
 * @self: a monitor that does not run
 * @error: return location for a [error@Error]
 *
 * Begins to watch.
 *
 * Returns: %TRUE, or %FALSE with an error when the monitor's thread cannot be started
 */
gboolean
jank_monitor_start (JankMonitor *self, GError **error)
{
  g_return_val_if_fail (JANK_IS_MONITOR (self), FALSE);
  g_return_val_if_fail (!jank_monitor_is_running (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return jank_monitor_start_early (self, 0, error);
}

/**
 * jank_monitor_stop:
 * @self: a monitor
 *
 * Ends watching, and waits for a report that is being written. A stall that has not ended stays in the
 * store as it was last written. Does nothing when @self does not run.
 */
void
jank_monitor_stop (JankMonitor *self)
{
  g_return_if_fail (JANK_IS_MONITOR (self));

  remove_running (self);
  remove_probe (self);
  if (self->watcher != NULL && self->pid != getpid ())
    {
      /* A forked child has no watcher thread that could be waited for, or that lets go of the recorder. */
      self->watcher = NULL;
      self->recorder = NULL;
    }
  g_clear_pointer (&self->watcher, jank_watcher_free);
  g_clear_pointer (&self->recorder, jank_recorder_free);
  g_clear_pointer (&self->gtk, jank_gtk_host_free);
  g_clear_pointer (&self->observer, jank_loop_observer_free);
}

/**
 * jank_monitor_is_running:
 * @self: a monitor
 *
 * Returns: whether @self watches
 */
gboolean
jank_monitor_is_running (JankMonitor *self)
{
  g_return_val_if_fail (JANK_IS_MONITOR (self), FALSE);

  return self->watcher != NULL;
}

static void
jank_monitor_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  JankMonitor *self = JANK_MONITOR (object);

  switch (id)
    {
    case PROP_CONTEXT:
      self->context = g_value_dup_boxed (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
jank_monitor_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  JankMonitor *self = JANK_MONITOR (object);

  switch (id)
    {
    case PROP_CONTEXT:
      g_value_set_boxed (value, self->context);
      break;
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
  self->settings = jank_settings_load (program->name, warnings);
  for (guint i = 0; i < warnings->len; i++)
    g_message ("%s", (const char *) warnings->pdata[i]);
}

/* Not in finalize: the watcher may take a reference until it has ended. */
static void
jank_monitor_dispose (GObject *object)
{
  jank_monitor_stop (JANK_MONITOR (object));
  G_OBJECT_CLASS (jank_monitor_parent_class)->dispose (object);
}

static void
jank_monitor_finalize (GObject *object)
{
  JankMonitor *self = JANK_MONITOR (object);

  g_main_context_unref (self->context);
  jank_settings_free (self->settings);
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
   * The context that is watched.
   */
  properties[PROP_CONTEXT] =
    g_param_spec_boxed ("context", NULL, NULL, G_TYPE_MAIN_CONTEXT,
                        G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  /**
   * JankMonitor::stall:
   * @self: the monitor
   * @report: what is known of the stall
   *
   * Emitted from the watched context after it has recovered from a stall.
   */
  signals[SIGNAL_STALL] =
    g_signal_new ("stall", JANK_TYPE_MONITOR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, JANK_TYPE_REPORT);
}

static void
jank_monitor_init (JankMonitor *self)
{
}
