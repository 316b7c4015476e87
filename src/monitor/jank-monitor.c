/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#define G_LOG_DOMAIN "jankwatch"

#include "monitor/jank-monitor-private.h"

#include <stdatomic.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-errands-private.h"
#include "base/jank-error.h"
#include "base/jank-settings-private.h"
#include "monitor/jank-frame-feed-private.h"
#include "monitor/sinks/jank-inspector-host-private.h"
#include "monitor/jank-watched-loop-private.h"
#include "monitor/jank-program-private.h"
#include "monitor/jank-tags-private.h"
#include "report/jank-report-private.h"

/**
 * JankMonitor:
 *
 * Watches one main loop and reports when it stalls.
 *
 * A function that does not say otherwise belongs to the thread that runs the loop. A thread of the monitor's own reads
 * stacks and writes reports; the loop's thread waits for it only in [method@Monitor.stop] and when the program ends.
 */
struct _JankMonitor
{
  GObject           parent_instance;

  /* set at construction */
  GMainContext     *context;  /* (owned) */
  JankSettings     *settings; /* (owned) */
  JankTags         *tags;     /* (owned) */
  JankInspectorHostState *inspector; /* (owned) */

  /* the loop's thread only */
  JankWatchedLoop  *watch;    /* (owned) (nullable): while it runs */
  JankFrameFeed    *feed;     /* (owned) (nullable) */
  gboolean          paused;

  /* any thread, atomic, orders nothing: the GIO module's, which connects to no signal */
  _Atomic gboolean  is_private;
};

G_DEFINE_FINAL_TYPE (JankMonitor, jank_monitor, G_TYPE_OBJECT)

enum { PROP_CONTEXT = 1, PROP_PAUSED, PROP_RUNNING, N_PROPS };
enum { SIGNAL_STALL, SIGNAL_STALL_ONGOING, SIGNAL_REPORT, SIGNAL_FRAME, N_SIGNALS };

/* The GIO module's; written once, with release, read with acquire. */
static JankMonitor *_Atomic default_monitor;

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

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

static GQuark
get_detail (JankReport *report)
{
  return g_quark_from_static_string (jank_report_kind_to_nick (report->kind));
}

static gboolean
deliver_cb (gpointer data)
{
  Delivery *delivery = data;

  if (jank_report_kind_is_stall (delivery->report->kind))
    g_signal_emit (delivery->self, signals[SIGNAL_STALL], 0, delivery->report);
  g_signal_emit (delivery->self, signals[SIGNAL_REPORT], get_detail (delivery->report), delivery->report);
  return G_SOURCE_REMOVE;
}

/* GLib compares the detail: a handler without one has to be asked for, too. */
static gboolean
has_listener (JankMonitor *self, JankReport *report)
{
  return (jank_report_kind_is_stall (report->kind) &&
          g_signal_has_handler_pending (self, signals[SIGNAL_STALL], 0, FALSE)) ||
         g_signal_has_handler_pending (self, signals[SIGNAL_REPORT], 0, FALSE) ||
         g_signal_has_handler_pending (self, signals[SIGNAL_REPORT], get_detail (report), FALSE);
}

/* To be called in the loop. */
static void
attach (JankMonitor *self, GSourceFunc func, gpointer data, GDestroyNotify destroy)
{
  GSource *source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "jankwatch: stall");
  g_source_set_callback (source, func, data, destroy);
  jank_errands_attach (source, self->context);
}

static gboolean
remove_cb (gpointer data)
{
  return G_SOURCE_REMOVE;
}

/* Watcher thread. The emission's reference ends in the loop: were it the last here, the watcher would wait for itself. */
static void
monitor_ongoing (gpointer data, JankRecord *record, JankReport *report)
{
  JankMonitor *self = data;

  if (!jank_report_kind_is_stall (report->kind) ||
      !g_signal_has_handler_pending (self, signals[SIGNAL_STALL_ONGOING], 0, FALSE))
    return;
  g_object_ref (self);
  g_signal_emit (self, signals[SIGNAL_STALL_ONGOING], 0, report);
  attach (self, remove_cb, self, g_object_unref);
}

/* Watcher thread. Where nobody listens, the loop does not turn once more than without us. */
static void
monitor_ended (gpointer data, JankRecord *record, const JankStall *stall, JankReport *report)
{
  JankMonitor *self = data;
  Delivery *delivery;

  if (report->stall.outcome == JANK_OUTCOME_EXITED || !has_listener (self, report))
    return;
  delivery = g_new (Delivery, 1);
  delivery->self = g_object_ref (self);
  delivery->report = jank_report_ref (report);
  attach (self, deliver_cb, delivery, delivery_free);
}

static const JankSinkFuncs monitor_sink = {
  .ongoing = monitor_ongoing,
  .ended = monitor_ended,
};

static void
deliver_frame_cb (JankFrameStats *frame, gpointer data)
{
  g_autoptr (JankMonitor) self = g_object_ref (data);

  g_signal_emit (self, signals[SIGNAL_FRAME], 0, frame);
}

/* Inside GTK's painting: no handler is to run here. */
static void
frame_cb (gpointer data, const JankFrameEvent *event, const JankFrameVerdict *verdict, const char *window)
{
  JankMonitor *self = data;

  /* The question alone takes 400 instructions, sixty times a second. */
  if (atomic_load_explicit (&self->is_private, memory_order_relaxed) ||
      !g_signal_has_handler_pending (self, signals[SIGNAL_FRAME], 0, FALSE))
    return;
  if (self->feed == NULL)
    self->feed = jank_frame_feed_new (self->context, deliver_frame_cb, self);
  jank_frame_feed_push (self->feed, event, verdict, window);
}

gboolean
jank_monitor_start_early (JankMonitor *self, gint64 startup_began_ns, GError **error)
{
  const JankWatchedLoopOwner owner = {
    .context = self->context,
    .tags = self->tags,
    .inspector = jank_inspector_host_get (self->inspector),
    .sinks = { { &jank_inspector_host_sink, self->inspector }, { &monitor_sink, self } },
    .on_frame = frame_cb,
    .data = self,
  };

  self->watch = jank_watched_loop_new (&owner, self->settings, startup_began_ns, self->paused, error);
  if (self->watch != NULL)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RUNNING]);
  return self->watch != NULL;
}

void
jank_monitor_make_default (JankMonitor *self)
{
  atomic_store_explicit (&self->is_private, TRUE, memory_order_relaxed);
  atomic_store_explicit (&default_monitor, self, memory_order_release);
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
  JankMonitor *self = atomic_load_explicit (&default_monitor, memory_order_acquire);

  if (self != NULL)
    atomic_store_explicit (&self->is_private, FALSE, memory_order_relaxed);
  return self;
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
  g_return_val_if_fail (JANK_IS_MONITOR (self), NULL);
  g_return_val_if_fail (key != NULL, NULL);

  return jank_settings_get (self->settings, key);
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
  g_autoptr (JankSettings) changed = NULL;

  g_return_val_if_fail (JANK_IS_MONITOR (self), FALSE);
  g_return_val_if_fail (key != NULL && value != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  changed = jank_settings_copy (self->settings);
  if (!jank_settings_set (changed, key, value, error))
    return FALSE;
  if (jank_monitor_is_running (self) && !jank_watched_loop_is_live (key))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED,
                   _("Could not change the setting “%s” of a monitor that runs: it takes effect at the next start. "
                     "It stays as it was"), key);
      return FALSE;
    }
  jank_settings_free (self->settings);
  self->settings = g_steal_pointer (&changed);
  if (self->watch != NULL)
    jank_watched_loop_apply (self->watch, self->settings, key);
  return TRUE;
}

/**
 * jank_monitor_start:
 * @self: a monitor that does not run
 * @error: return location for a `GThreadError`
 *
 * Begins to watch.
 *
 * Returns: %TRUE, or %FALSE when the monitor's thread cannot be started
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
 * Ends watching, and waits for a report that is being written. A stall that has not ended stays in the store as it was
 * last written. Does nothing when @self does not run.
 */
void
jank_monitor_stop (JankMonitor *self)
{
  gboolean was_running;

  g_return_if_fail (JANK_IS_MONITOR (self));

  was_running = self->watch != NULL;
  g_clear_pointer (&self->watch, jank_watched_loop_free);
  g_clear_pointer (&self->feed, jank_frame_feed_free);
  if (was_running)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RUNNING]);
}

/**
 * jank_monitor_is_running: (get-property running)
 * @self: a monitor
 *
 * Whether @self watches, also while it is paused.
 *
 * Returns: whether it runs
 */
gboolean
jank_monitor_is_running (JankMonitor *self)
{
  g_return_val_if_fail (JANK_IS_MONITOR (self), FALSE);

  return self->watch != NULL;
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
  g_return_if_fail (JANK_IS_MONITOR (self));

  if (self->paused == !!paused)
    return;
  self->paused = !!paused;
  if (self->watch != NULL)
    jank_watched_loop_set_paused (self->watch, self->paused);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PAUSED]);
}

/**
 * jank_monitor_get_paused: (get-property paused)
 * @self: a monitor
 *
 * Whether @self is paused.
 *
 * Returns: whether it is
 */
gboolean
jank_monitor_get_paused (JankMonitor *self)
{
  g_return_val_if_fail (JANK_IS_MONITOR (self), FALSE);

  return self->paused;
}

/**
 * jank_monitor_push_tag:
 * @self: a monitor
 * @name: what it is, such as `document`; cut to 63 bytes
 * @value: which, such as `large.odt`; cut to 127 bytes
 *
 * Says what the program is doing, until [method@Monitor.pop_tag]. Reports carry the tags that held at any moment of
 * their stall. Up to 32 tags hold at once; a name may occur more than once. The window's title, the focused widget and
 * the last action are in reports anyway.
 *
 * Costs less than a microsecond, and never waits.
 *
 * Returns: a number for [method@Monitor.pop_tag], or 0 when 32 tags hold already
 */
guint
jank_monitor_push_tag (JankMonitor *self, const char *name, const char *value)
{
  g_return_val_if_fail (JANK_IS_MONITOR (self), 0);
  g_return_val_if_fail (name != NULL && value != NULL, 0);

  return jank_tags_push (self->tags, name, value, jank_clock_now_ns ());
}

/**
 * jank_monitor_pop_tag:
 * @self: a monitor
 * @tag: what [method@Monitor.push_tag] returned; 0 does nothing
 *
 * Takes a tag off. The order does not matter.
 *
 * Returns: whether there was such a tag
 */
gboolean
jank_monitor_pop_tag (JankMonitor *self, guint tag)
{
  g_return_val_if_fail (JANK_IS_MONITOR (self), FALSE);

  return jank_tags_pop (self->tags, tag, jank_clock_now_ns ());
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
    case PROP_PAUSED:
      jank_monitor_set_paused (self, g_value_get_boolean (value));
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
    case PROP_PAUSED:
      g_value_set_boolean (value, self->paused);
      break;
    case PROP_RUNNING:
      g_value_set_boolean (value, self->watch != NULL);
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
  jank_inspector_host_free (self->inspector);
  g_free (self->tags);
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
  g_object_class_install_properties (object_class, N_PROPS, properties);

  /**
   * JankMonitor::stall:
   * @self: the monitor
   * @report: the report
   *
   * Emitted from the watched context after it has recovered from a stall, also from one at start-up.
   */
  signals[SIGNAL_STALL] =
    g_signal_new ("stall", JANK_TYPE_MONITOR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, JANK_TYPE_REPORT);

  /**
   * JankMonitor::stall-ongoing:
   * @self: the monitor
   * @report: the report so far
   *
   * Emitted while the loop hangs: when the stall is found, and again each time its report is due.
   *
   * Handlers run on the monitor's own thread, which has every signal blocked and reads no stacks until they return. They
   * may read the report, log, or set what other threads look at. They must not call functions of the monitor, use GTK,
   * or wait for anything that the loop's thread may hold: it holds it until the stall ends. [method@Monitor.stop] and
   * the last unref wait for them.
   */
  signals[SIGNAL_STALL_ONGOING] =
    g_signal_new ("stall-ongoing", JANK_TYPE_MONITOR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                  JANK_TYPE_REPORT);

  /**
   * JankMonitor::report:
   * @self: the monitor
   * @report: the report
   *
   * Emitted from the watched context for every report, when what it is about is over. The detail is the kind's name:
   * `report::spin`, `report::cpu`, `report::frame`, `report::stall` or `report::startup`.
   */
  signals[SIGNAL_REPORT] =
    g_signal_new ("report", JANK_TYPE_MONITOR, G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL, NULL, NULL, G_TYPE_NONE,
                  1, JANK_TYPE_REPORT);

  /**
   * JankMonitor::frame:
   * @self: the monitor
   * @frame: the frame
   *
   * Emitted once for every frame that a window of the program drew, in order, as soon as the watched context turns
   * next; never inside GTK's painting. Only monitors of the default main context of a GTK 4 program emit it. Frames
   * of jankwatch's own overlay and of GTK's inspector are left out. Without a handler it costs nothing.
   *
   * Who was late is a first judgement: the statistics in reports also know what the display said later.
   *
   * At most 256 frames wait for a handler that does not return; later ones are dropped.
   */
  signals[SIGNAL_FRAME] =
    g_signal_new ("frame", JANK_TYPE_MONITOR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                  JANK_TYPE_FRAME_STATS);
}

static JankGtkHostState *
get_gtk (JankMonitor *self)
{
  return self->watch != NULL ? jank_watched_loop_get_gtk (self->watch) : NULL;
}

static const JankSettings *
get_settings (JankMonitor *self)
{
  return self->settings;
}

static const JankSourceLedger *
get_ledger (JankMonitor *self)
{
  return self->watch != NULL ? jank_watched_loop_get_ledger (self->watch) : NULL;
}

static const JankTurns *
get_turns (JankMonitor *self)
{
  return self->watch != NULL ? jank_watched_loop_get_turns (self->watch) : NULL;
}

static const JankInspectorActions inspector_actions = {
  .get_settings = get_settings,
  .get_ledger = get_ledger,
  .get_turns = get_turns,
  .get_gtk = get_gtk,
  .set_setting = jank_monitor_set_setting,
  .get_paused = jank_monitor_get_paused,
  .set_paused = jank_monitor_set_paused,
  .is_running = jank_monitor_is_running,
  .start = jank_monitor_start,
  .stop = jank_monitor_stop,
};

static void
jank_monitor_init (JankMonitor *self)
{
  self->tags = g_new0 (JankTags, 1);
  self->inspector = jank_inspector_host_new (&inspector_actions, self);
}
