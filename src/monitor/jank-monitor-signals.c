/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "monitor/jank-monitor-private.h"

#include <stdatomic.h>

#include "base/jank-clock-private.h"
#include "guest/jank-errands-private.h"
#include "guest/jank-rest-private.h"
#include "sinks/jank-sinks-private.h"
#include "report/jank-report-private.h"

struct _JankMonitorSignals
{
  /* set at construction */
  GObject         *monitor; /* not owned: it owns this */
  GMainContext    *context; /* (owned) */
  JankSpans       *spans;   /* (owned): of handlers in this context */

  /* set while nothing is watched */
  JankOngoing      ongoing;

  /* any thread, atomic, orders nothing */
  _Atomic gboolean is_in_ongoing; /* set by the watcher thread, unset by that of its errands */
};

enum { SIGNAL_STALL, SIGNAL_REPORT, N_SIGNALS };
static guint signals[N_SIGNALS];

typedef struct
{
  GObject    *monitor; /* (owned) */
  JankReport *report;  /* (owned) */
  JankSpans  *spans;   /* the monitor's */
} Delivery;

static void
jank_monitor_signals_delivery_free (gpointer data)
{
  Delivery *delivery = data;

  g_object_unref (delivery->monitor);
  jank_report_unref (delivery->report);
  g_free (delivery);
}

static GQuark
jank_monitor_signals_get_detail (JankReport *report)
{
  return g_quark_from_static_string (jank_report_kind_to_nick (report->kind));
}

static gboolean
jank_monitor_signals_deliver_cb (gpointer data)
{
  Delivery *delivery = data;

  jank_spans_begin (delivery->spans);
  if (jank_report_kind_is_stall (delivery->report->kind))
    g_signal_emit (delivery->monitor, signals[SIGNAL_STALL], 0, delivery->report);
  g_signal_emit (delivery->monitor, signals[SIGNAL_REPORT], jank_monitor_signals_get_detail (delivery->report),
                 delivery->report);
  jank_spans_end (delivery->spans);
  return G_SOURCE_REMOVE;
}

/* GLib compares the detail: a handler without one has to be asked for, too. */
static gboolean
jank_monitor_signals_has_listener (JankMonitorSignals *self, JankReport *report)
{
  return (jank_report_kind_is_stall (report->kind) &&
          g_signal_has_handler_pending (self->monitor, signals[SIGNAL_STALL], 0, FALSE)) ||
         g_signal_has_handler_pending (self->monitor, signals[SIGNAL_REPORT], 0, FALSE) ||
         g_signal_has_handler_pending (self->monitor, signals[SIGNAL_REPORT],
                                       jank_monitor_signals_get_detail (report), FALSE);
}

typedef struct
{
  JankMonitorSignals *self;   /* stays until this thread has ended */
  JankReport         *report; /* (owned) */
} OngoingCall;

/* The program's code: while it runs, fork() does not wait for this thread. */
static void
jank_monitor_signals_call_ongoing_cb (gpointer data)
{
  OngoingCall *call = data;
  const JankOngoing *ongoing = &call->self->ongoing;

  jank_rest_begin ();
  ongoing->func (call->report, ongoing->data);
  jank_rest_end ();
  atomic_store_explicit (&call->self->is_in_ongoing, FALSE, memory_order_relaxed);
  jank_report_unref (call->report);
  g_free (call);
}

/* Watcher thread, which goes on reading stacks. */
static void
jank_monitor_signals_ongoing (gpointer data, JankRecord *record, JankReport *report)
{
  JankMonitorSignals *self = data;
  OngoingCall *call;

  if (self->ongoing.func == NULL || !jank_report_kind_is_stall (report->kind) ||
      atomic_exchange_explicit (&self->is_in_ongoing, TRUE, memory_order_relaxed))
    return;
  call = g_new (OngoingCall, 1);
  *call = (OngoingCall) { self, jank_report_ref (report) };
  jank_errands_do (jank_monitor_signals_call_ongoing_cb, call);
}

/* Would it have been reported had no handler run? A handler that is called for what it did itself would be called for
 * ever. */
static gboolean
jank_monitor_signals_is_handlers (JankMonitorSignals *self, const JankStall *stall)
{
  gint64 now_ns = jank_clock_now_ns ();
  gint64 ended_ns = stall->ended_ns != 0 ? stall->ended_ns : now_ns;
  gint64 handlers_ns = jank_spans_get (self->spans, stall->began_ns, ended_ns);

  /* Of each second, frames may be missing for as long as the threshold. */
  if (stall->fps > 0)
    return handlers_ns >= stall->threshold_ns;
  return handlers_ns > 0 && jank_stall_duration_ns (stall, now_ns) - handlers_ns < stall->threshold_ns;
}

/* Watcher thread. Where nobody listens, the loop does not turn once more than without us. */
static void
jank_monitor_signals_ended (gpointer data, JankRecord *record, const JankStall *stall, JankReport *report)
{
  JankMonitorSignals *self = data;
  Delivery *delivery;
  GSource *source;

  if (report->stall.outcome == JANK_OUTCOME_EXITED || !jank_monitor_signals_has_listener (self, report) ||
      jank_monitor_signals_is_handlers (self, stall))
    return;
  delivery = g_new (Delivery, 1);
  *delivery = (Delivery) { g_object_ref (self->monitor), jank_report_ref (report), self->spans };
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "jankwatch: stall");
  g_source_set_callback (source, jank_monitor_signals_deliver_cb, delivery, jank_monitor_signals_delivery_free);
  jank_errands_attach (source, self->context);
}

const JankSinkFuncs jank_monitor_signals_sink = {
  .ongoing = jank_monitor_signals_ongoing,
  .ended = jank_monitor_signals_ended,
};

void
jank_monitor_signals_set_ongoing (JankMonitorSignals *self, const JankOngoing *ongoing)
{
  JankOngoing old = self->ongoing;

  self->ongoing = *ongoing;
  if (old.destroy != NULL)
    old.destroy (old.data);
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
   *
   * Handlers may take their time: a stall that is only one because of handlers of monitors' signals is reported like
   * any other, but not to handlers. Nor are stalls of a nested loop that a handler runs.
   */
  signals[SIGNAL_STALL] =
    g_signal_new ("stall", G_OBJECT_CLASS_TYPE (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                  JANK_TYPE_REPORT);

  /**
   * JankMonitor::report:
   * @self: the monitor
   * @report: the report
   *
   * Emitted from the watched context for every report, when what it is about is over. The detail is the kind's name:
   * `report::spin`, `report::cpu`, `report::frame`, `report::stall` or `report::startup`. What handlers themselves
   * cause is left out, as it is by [signal@Monitor::stall].
   */
  signals[SIGNAL_REPORT] =
    g_signal_new ("report", G_OBJECT_CLASS_TYPE (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL, NULL,
                  NULL, G_TYPE_NONE, 1, JANK_TYPE_REPORT);
}

JankMonitorSignals *
jank_monitor_signals_new (GObject *monitor, GMainContext *context)
{
  JankMonitorSignals *self = g_new0 (JankMonitorSignals, 1);

  self->monitor = monitor;
  self->context = g_main_context_ref (context);
  self->spans = jank_handler_time_ref (context);
  return self;
}

void
jank_monitor_signals_free (JankMonitorSignals *self)
{
  jank_monitor_signals_set_ongoing (self, &(JankOngoing) { NULL });
  jank_handler_time_unref (self->spans);
  g_main_context_unref (self->context);
  g_free (self);
}
