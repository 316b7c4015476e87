/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "monitor/sinks/jank-monitor-signals-private.h"

#include <stdatomic.h>

#include "base/jank-errands-private.h"
#include "monitor/jank-frame-feed-private.h"
#include "report/jank-report-private.h"

struct _JankMonitorSignals
{
  /* set at construction */
  GObject         *monitor; /* not owned: it owns this */
  GMainContext    *context; /* (owned) */

  /* the loop's thread only */
  JankFrameFeed   *feed;    /* (owned) (nullable) */

  /* any thread, atomic, orders nothing */
  _Atomic gboolean is_private;
};

enum { SIGNAL_STALL, SIGNAL_STALL_ONGOING, SIGNAL_REPORT, SIGNAL_FRAME, N_SIGNALS };
static guint signals[N_SIGNALS];

typedef struct
{
  GObject    *monitor;
  JankReport *report;
} Delivery;

static void
delivery_free (gpointer data)
{
  Delivery *delivery = data;

  g_object_unref (delivery->monitor);
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
    g_signal_emit (delivery->monitor, signals[SIGNAL_STALL], 0, delivery->report);
  g_signal_emit (delivery->monitor, signals[SIGNAL_REPORT], get_detail (delivery->report), delivery->report);
  return G_SOURCE_REMOVE;
}

/* GLib compares the detail: a handler without one has to be asked for, too. */
static gboolean
has_listener (JankMonitorSignals *self, JankReport *report)
{
  return (jank_report_kind_is_stall (report->kind) &&
          g_signal_has_handler_pending (self->monitor, signals[SIGNAL_STALL], 0, FALSE)) ||
         g_signal_has_handler_pending (self->monitor, signals[SIGNAL_REPORT], 0, FALSE) ||
         g_signal_has_handler_pending (self->monitor, signals[SIGNAL_REPORT], get_detail (report), FALSE);
}

/* To be called in the loop. */
static void
attach (JankMonitorSignals *self, GSourceFunc func, gpointer data, GDestroyNotify destroy)
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
signals_ongoing (gpointer data, JankRecord *record, JankReport *report)
{
  JankMonitorSignals *self = data;

  if (!jank_report_kind_is_stall (report->kind) ||
      !g_signal_has_handler_pending (self->monitor, signals[SIGNAL_STALL_ONGOING], 0, FALSE))
    return;
  g_object_ref (self->monitor);
  g_signal_emit (self->monitor, signals[SIGNAL_STALL_ONGOING], 0, report);
  attach (self, remove_cb, self->monitor, g_object_unref);
}

/* Watcher thread. Where nobody listens, the loop does not turn once more than without us. */
static void
signals_ended (gpointer data, JankRecord *record, const JankStall *stall, JankReport *report)
{
  JankMonitorSignals *self = data;
  Delivery *delivery;

  if (report->stall.outcome == JANK_OUTCOME_EXITED || !has_listener (self, report))
    return;
  delivery = g_new (Delivery, 1);
  delivery->monitor = g_object_ref (self->monitor);
  delivery->report = jank_report_ref (report);
  attach (self, deliver_cb, delivery, delivery_free);
}

const JankSinkFuncs jank_monitor_signals_sink = {
  .ongoing = signals_ongoing,
  .ended = signals_ended,
};

static void
deliver_frame_cb (JankFrameStats *frame, gpointer data)
{
  g_autoptr (GObject) monitor = g_object_ref (data);

  g_signal_emit (monitor, signals[SIGNAL_FRAME], 0, frame);
}

void
jank_monitor_signals_frame_cb (gpointer data, const JankFrameEvent *event, const JankFrameVerdict *verdict,
                               const char *window)
{
  JankMonitorSignals *self = data;

  /* The question alone takes 400 instructions, sixty times a second. */
  if (atomic_load_explicit (&self->is_private, memory_order_relaxed) ||
      !g_signal_has_handler_pending (self->monitor, signals[SIGNAL_FRAME], 0, FALSE))
    return;
  if (self->feed == NULL)
    self->feed = jank_frame_feed_new (self->context, deliver_frame_cb, self->monitor);
  jank_frame_feed_push (self->feed, event, verdict, window);
}

void
jank_monitor_signals_drop_frames (JankMonitorSignals *self)
{
  g_clear_pointer (&self->feed, jank_frame_feed_free);
}

void
jank_monitor_signals_set_private (JankMonitorSignals *self, gboolean is_private)
{
  atomic_store_explicit (&self->is_private, is_private, memory_order_relaxed);
}

void
jank_monitor_signals_install (GObjectClass *klass)
{
  /**
   * JankMonitor::stall:
   * @self: the monitor
   * @report: the report
   *
   * Emitted from the watched context after it has recovered from a stall, also from one at start-up.
   */
  signals[SIGNAL_STALL] =
    g_signal_new ("stall", G_OBJECT_CLASS_TYPE (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, JANK_TYPE_REPORT);

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
    g_signal_new ("stall-ongoing", G_OBJECT_CLASS_TYPE (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
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
    g_signal_new ("report", G_OBJECT_CLASS_TYPE (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL, NULL, NULL, G_TYPE_NONE,
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
    g_signal_new ("frame", G_OBJECT_CLASS_TYPE (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                  JANK_TYPE_FRAME_STATS);
}

JankMonitorSignals *
jank_monitor_signals_new (GObject *monitor, GMainContext *context)
{
  JankMonitorSignals *self = g_new0 (JankMonitorSignals, 1);

  self->monitor = monitor;
  self->context = g_main_context_ref (context);
  return self;
}

void
jank_monitor_signals_free (JankMonitorSignals *self)
{
  g_main_context_unref (self->context);
  g_free (self);
}
