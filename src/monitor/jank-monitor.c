/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#define G_LOG_DOMAIN "jankwatch"

#include "monitor/jank-monitor-private.h"

#include <stdatomic.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "base/jank-settings-private.h"
#include "monitor/jank-event-log-private.h"
#include "monitor/jank-frame-feed-private.h"
#include "monitor/jank-gtk-host-private.h"
#include "monitor/jank-inspector-host-private.h"
#include "monitor/jank-recorder-private.h"
#include "monitor/jank-running-private.h"
#include "monitor/jank-tags-private.h"
#include "observe/jank-loop-observer-private.h"
#include "observe/jank-ping-private.h"
#include "sample/jank-watcher-private.h"

#define TASK_FOLDER "/proc/self/task"
#define PARK_NS     (100 * JANK_NS_PER_MS)

/**
 * JankMonitor:
 *
 * Watches one main loop and reports when it stalls.
 *
 * Where a function does not say otherwise, it is to be called on the thread that runs the loop. Reports are written by a
 * thread of the monitor's own; the loop's thread never waits for it, except while the program ends.
 */
struct _JankMonitor
{
  GObject           parent_instance;

  /* set at construction */
  GMainContext     *context;  /* (owned) */
  JankSettings     *settings; /* (owned) */
  JankTags         *tags;     /* (owned) */
  JankInspectorHostState *inspector; /* (owned) */

  /* the loop's thread only; NULL while not running */
  JankGtkHostState *gtk;      /* (owned) (nullable): for the default context only */
  JankRecorder     *recorder; /* (owned) (nullable) */
  JankLoopObserver *observer; /* (owned) (nullable): none where pings are sent */
  JankPing         *ping;     /* (owned) (nullable): none where the loop is observed */
  JankWatcher      *watcher;  /* (owned) (nullable) */
  JankFrameFeed    *feed;     /* (owned) (nullable) */
  GSource          *probe;    /* (owned) (nullable) */
  JankSourceLedger *ledger;   /* (nullable): while sources are counted */
  gboolean          paused;
  pid_t             pid;      /* of the process that started it */
};

G_DEFINE_FINAL_TYPE (JankMonitor, jank_monitor, G_TYPE_OBJECT)

enum { PROP_CONTEXT = 1, N_PROPS };
enum { SIGNAL_STALL, SIGNAL_FRAME, N_SIGNALS };

/* What a running monitor takes over at once. */
static const char *const live_keys[] = {
  "threshold", "first-sample", "interval", "rule", "spin-turns", "spin-time", "cpu-threshold", "cpu-time", "sources",
  "overlay", "overlay-corner", "overlay-scale", "overlay-opacity", "overlay-key", "max-reports", "max-bytes",
  "annealing", "max-per-session", "max-per-day", "notify", "on-report", NULL,
};

/* That of the GIO module; written once, with release, read with acquire. */
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

  if (!g_signal_has_handler_pending (self, signals[SIGNAL_FRAME], 0, FALSE))
    return;
  if (self->feed == NULL)
    self->feed = jank_frame_feed_new (self->context, deliver_frame_cb, self);
  jank_frame_feed_push (self->feed, event, verdict, window);
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

/* The loop's thread. */
static void
count_sources (JankMonitor *self)
{
  if (self->settings->sources == (self->ledger != NULL))
    return;
  if (self->ledger != NULL)
    jank_source_ledger_pause (self->ledger);
  self->ledger = self->settings->sources ? jank_source_ledger_start () : NULL;
  jank_watcher_set_ledger (self->watcher, self->ledger);
  if (self->ledger != NULL)
    jank_recorder_set_ledger (self->recorder, self->ledger);
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
  count_sources (self);
  if (info.tid == getpid ())
    jank_recorder_set_program (self->recorder, jank_program_new_full ());
}

/* Returns: whether another rule than the stall rule decides */
static gboolean
make_preset (const JankSettings *settings, JankRuleSpec *ret_spec)
{
  jank_rule_spec_init (ret_spec, settings);
  return ret_spec->kind != JANK_RULE_KIND_BUSY || ret_spec->check_ns != 0;
}

static JankStallRule
make_rule (const JankSettings *settings)
{
  JankRuleSpec preset;
  gint64 threshold_ns = make_preset (settings, &preset) ? preset.threshold_ns : settings->threshold_ns;

  return (JankStallRule) {
    .threshold_ns = threshold_ns,
    .first_sample_ns = MIN (settings->first_sample_ns, threshold_ns),
    .interval_ns = settings->interval_ns,
    .record_ns = *settings->events != '\0' ? JANK_EVENT_LOG_SHORTEST_NS : 0,
    .park_ns = PARK_NS,
    .spin_turns = settings->spin_turns,
    .spin_ns = settings->spin_time_ns,
    .cpu_percent = settings->cpu_threshold,
    .cpu_ns = settings->cpu_time_ns,
  };
}

/* Begins what tells of the loop; where that is a source in it, it is attached later. */
static JankBeat *
open_beat (JankMonitor *self, const JankStallRule *rule, gint64 startup_began_ns)
{
  if (self->settings->observer == JANK_OBSERVE_PING)
    {
      self->ping = jank_ping_new (self->context, jank_stall_rule_shortest (rule), thread_cb, self);
      return jank_ping_get_beat (self->ping);
    }
  self->observer = jank_loop_observer_new (jank_stall_rule_shortest (rule), startup_began_ns, thread_cb, self);
  return jank_loop_observer_get_beat (self->observer);
}

static void
set_preset (JankMonitor *self)
{
  JankRuleSpec preset;
  gboolean is_preset = make_preset (self->settings, &preset);

  jank_watcher_set_preset (self->watcher, is_preset ? &preset : NULL, self->ping);
}

gboolean
jank_monitor_start_early (JankMonitor *self, gint64 startup_began_ns, GError **error)
{
  JankStallRule rule = make_rule (self->settings);
  JankBeat *beat = open_beat (self, &rule, startup_began_ns);
  JankThreadInfo info;

  if (self->context == g_main_context_default ())
    {
      /* Pings do not tell how the loop spent the time between two frames. */
      self->gtk = jank_gtk_host_new (self->settings, self->observer != NULL ? beat : NULL, frame_cb, self);
      jank_gtk_host_set_inspector (self->gtk, self->inspector);
    }
  self->recorder = jank_recorder_new (self->settings, g_getenv ("JANKWATCH_SESSION"), self->gtk, self->tags,
                                      report_cb, self);
  self->watcher = jank_watcher_new (beat, &rule, self->settings->signal, TASK_FOLDER, &jank_recorder_funcs, self->recorder,
                                    error);
  if (self->watcher == NULL)
    {
      jank_monitor_stop (self);
      return FALSE;
    }
  set_preset (self);
  if (self->settings->observer == JANK_OBSERVE_FRAMES && (self->gtk == NULL || !self->settings->frames))
    g_message (_("“observer=frames” sees no stalls here: no frame clock is watched"));
  if (startup_began_ns != 0)
    {
      jank_thread_describe_self (&info);
      jank_watcher_set_thread (self->watcher, &info);
    }
  jank_watcher_set_paused (self->watcher, self->paused);
  self->pid = getpid ();
  if (self->observer != NULL)
    jank_loop_observer_attach (self->observer, self->context);
  jank_running_add (self->watcher);
  return TRUE;
}

JankGtkHostState *
jank_monitor_get_gtk (JankMonitor *self)
{
  return self->gtk;
}

const JankSettings *
jank_monitor_get_settings (JankMonitor *self)
{
  return self->settings;
}

const JankSourceLedger *
jank_monitor_get_ledger (JankMonitor *self)
{
  return self->ledger;
}

void
jank_monitor_make_default (JankMonitor *self)
{
  atomic_store_explicit (&default_monitor, self, memory_order_release);
}

/**
 * jank_monitor_get_default:
 *
 * The monitor that watches this program because its user wants so: by `GTK_MODULES=jankwatch` or by `jankwatch
 * run`. It begins when GIO loads its modules, in a GtkApplication while that registers. A program that has
 * something to tell, such as [method@Monitor.push_tag], tells this one; any thread may ask for it.
 *
 * Returns: (transfer none) (nullable): a running monitor, or %NULL when nobody asked for one (yet)
 */
JankMonitor *
jank_monitor_get_default (void)
{
  return atomic_load_explicit (&default_monitor, memory_order_acquire);
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

/* The loop's thread, while the monitor runs. */
static void
apply_setting (JankMonitor *self, const char *key)
{
  JankStallRule rule = make_rule (self->settings);

  jank_watcher_set_rule (self->watcher, &rule);
  set_preset (self);
  jank_recorder_set_settings (self->recorder, jank_settings_copy (self->settings));
  count_sources (self);
  if (self->gtk == NULL)
    return;
  if (g_str_equal (key, "overlay"))
    jank_gtk_host_set_overlay (self->gtk, self->settings->overlay);
  else if (g_str_has_prefix (key, "overlay-"))
    jank_gtk_host_set_settings (self->gtk, self->settings);
}

/**
 * jank_monitor_set_setting:
 * @self: a monitor
 * @key: a setting's name, such as `threshold`
 * @value: its value as text, such as `50ms`
 * @error: return location for a [error@Error]
 *
 * Sets what the key file and `JANKWATCH_CONFIG` can set too.
 *
 * While @self runs, this acts at once for `threshold`, `first-sample`, `interval`, `rule`, `spin-turns`,
 * `spin-time`, `cpu-threshold`, `cpu-time`, `sources`, `overlay` and all that begin with it, all that
 * begin with `max-`, `notify` and `on-report`. Others can only be set while it does not run.
 *
 * Returns: %TRUE, or %FALSE with `JANK_ERROR_INVALID` for what the setting does not take and `JANK_ERROR_FAILED`
 *   for one that cannot be set now; then the setting is as it was
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
  if (jank_monitor_is_running (self) && !g_strv_contains (live_keys, key))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED,
                   _("Could not change the setting “%s” of a monitor that runs: it takes effect at the next start. "
                     "It stays as it was"), key);
      return FALSE;
    }
  jank_settings_free (self->settings);
  self->settings = g_steal_pointer (&changed);
  if (jank_monitor_is_running (self))
    apply_setting (self, key);
  return TRUE;
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

  if (self->watcher != NULL)
    jank_running_remove (self->watcher);
  remove_probe (self);
  if (self->watcher != NULL && self->pid != getpid ())
    {
      /* A forked child has no watcher thread that could be waited for, or that lets go of the recorder. */
      self->watcher = NULL;
      self->recorder = NULL;
    }
  if (self->ledger != NULL)
    jank_source_ledger_pause (self->ledger);
  self->ledger = NULL;
  g_clear_pointer (&self->watcher, jank_watcher_free);
  g_clear_pointer (&self->recorder, jank_recorder_free);
  g_clear_pointer (&self->gtk, jank_gtk_host_free);
  g_clear_pointer (&self->feed, jank_frame_feed_free);
  g_clear_pointer (&self->observer, jank_loop_observer_free);
  g_clear_pointer (&self->ping, jank_ping_free);
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

/**
 * jank_monitor_set_paused:
 * @self: a monitor
 * @paused: whether to pause
 *
 * While a monitor is paused it takes no samples and reports no stalls; a stall that is under way ends for it.
 * Its frame statistics go on. One that does not run will be paused from its start.
 */
void
jank_monitor_set_paused (JankMonitor *self, gboolean paused)
{
  g_return_if_fail (JANK_IS_MONITOR (self));

  self->paused = paused != FALSE;
  if (self->watcher != NULL)
    jank_watcher_set_paused (self->watcher, self->paused);
}

/**
 * jank_monitor_get_paused:
 * @self: a monitor
 *
 * Returns: whether @self is paused
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
 * Says what the program is doing, until [method@Monitor.pop_tag]. Whatever stall falls into that time has
 * the tag in its report, also when the tag is gone by the time the stall is over. Up to 32 tags hold at
 * once; a name may occur more than once. The window's title, the focused widget and the last action are in
 * reports anyway.
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

  /**
   * JankMonitor::frame:
   * @self: the monitor
   * @frame: what is known of the frame
   *
   * Emitted once for every frame that a window of the program drew, in their order, from the watched context
   * as soon as it turns next; never inside of GTK's painting. Only GTK 4 programs and monitors of the default
   * main context have it. Frames that only jankwatch's own overlay caused, and those of GTK's inspector, are left
   * out. Without a handler it costs nothing.
   *
   * Where the display kept a frame waiting, who was late is a first judgement: the statistics in reports
   * take what the display told later into account.
   *
   * At most 256 frames wait for a handler that does not return; what comes then is dropped.
   */
  signals[SIGNAL_FRAME] =
    g_signal_new ("frame", JANK_TYPE_MONITOR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                  JANK_TYPE_FRAME_STATS);
}

static void
jank_monitor_init (JankMonitor *self)
{
  self->tags = g_new0 (JankTags, 1);
  self->inspector = jank_inspector_host_new (self);
}
