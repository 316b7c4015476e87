/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Totals since the first send, “cumulative” in the words of OTLP, or since the last ones, “delta”. A repeat has the
 * same start and time, by which a server knows it. */

#include "send/jank-otlp-log-private.h"

#include "base/jank-clock-private.h"

enum { DELTA = 1, CUMULATIVE = 2 };

/* A sum that grows. */
typedef struct
{
  const char *name, *unit;
  JankSum     sum;
  double      divisor; /* of the sum, for that unit */
} Metric;

static const Metric process_sums[] = {
  { "app.hang.time", "s", JANK_SUM_HANG_NS, JANK_NS_PER_S },
  { "app.watched.time", "s", JANK_SUM_WATCHED_NS, JANK_NS_PER_S },
  { "app.frame.count", "{frame}", JANK_SUM_FRAMES, 1 },
  { "app.frame.late.program", "{frame}", JANK_SUM_LATE_PROGRAM, 1 },
  { "app.frame.late.compositor", "{frame}", JANK_SUM_LATE_COMPOSITOR, 1 },
};

typedef struct
{
  const JankSendStyle *style;
  JankSent            *sent;
  gint64               start_us, now_us;
  JankOtlp             out;
} Metrics;

static void
jank_otlp_metrics_begin_point (Metrics *self)
{
  jank_otlp_begin_list (&self->out, "dataPoints");
  jank_otlp_begin (&self->out, 1, NULL);
  jank_otlp_int (&self->out, 2, "startTimeUnixNano", JANK_OTLP_FIXED64, self->start_us * 1000);
  jank_otlp_int (&self->out, 3, "timeUnixNano", JANK_OTLP_FIXED64, self->now_us * 1000);
}

static void
jank_otlp_metrics_end_point (Metrics *self)
{
  jank_otlp_end (&self->out);
  jank_otlp_end_list (&self->out);
  jank_otlp_int (&self->out, 2, "aggregationTemporality", JANK_OTLP_ENUM,
                 self->style->is_delta ? DELTA : CUMULATIVE);
}

static void
jank_otlp_metrics_begin (Metrics *self, const char *name, const char *unit)
{
  jank_otlp_begin (&self->out, 2, NULL);
  jank_otlp_text (&self->out, 1, "name", name);
  jank_otlp_text (&self->out, 3, "unit", unit);
}

static void
jank_otlp_metrics_sum (Metrics *self, const Metric *metric, const JankFigures *figures)
{
  JankOtlp *out = &self->out;

  jank_otlp_metrics_begin (self, metric->name, metric->unit);
  jank_otlp_begin (out, 7, "sum");
  jank_otlp_metrics_begin_point (self);
  jank_otlp_double (out, 4, "asDouble", (double) figures->sums[metric->sum] / metric->divisor);
  jank_otlp_metrics_end_point (self);
  jank_otlp_int (out, 3, "isMonotonic", JANK_OTLP_BOOL, TRUE);
  jank_otlp_end (out);
  jank_otlp_end (out);
}

/* Buckets from the first to the last that has any. */
static void
jank_otlp_metrics_buckets (JankOtlp *out, const JankFigures *figures)
{
  guint first = 0, last = JANK_TIMES_N;

  while (figures->times[first] == 0)
    first++;
  while (figures->times[last - 1] == 0)
    last--;
  jank_otlp_begin (out, 8, "positive");
  jank_otlp_int (out, 1, "offset", JANK_OTLP_SINT32, (gint) first + JANK_TIMES_FIRST);
  jank_otlp_counts (out, 2, "bucketCounts", &figures->times[first], last - first);
  jank_otlp_end (out);
}

static void
jank_otlp_metrics_histogram (Metrics *self, const char *name, const char *fingerprint, const JankFigures *figures)
{
  JankOtlp *out = &self->out;
  guint64 n = jank_figures_get_count (figures);

  if (n == 0)
    return;
  jank_otlp_metrics_begin (self, name, "s");
  jank_otlp_begin (out, 10, "exponentialHistogram");
  jank_otlp_metrics_begin_point (self);
  if (*fingerprint != '\0')
    {
      jank_otlp_begin_attributes (out, 1);
      jank_otlp_attribute (out, "app.hang.fingerprint", fingerprint);
      jank_otlp_end_list (out);
    }
  jank_otlp_int (out, 4, "count", JANK_OTLP_FIXED64, (gint64) n);
  jank_otlp_double (out, 5, "sum", (double) figures->sums[JANK_SUM_TIMES_NS] / JANK_NS_PER_S);
  jank_otlp_int (out, 6, "scale", JANK_OTLP_SINT32, JANK_TIMES_SCALE);
  jank_otlp_metrics_buckets (out, figures);
  jank_otlp_metrics_end_point (self);
  jank_otlp_end (out);
  jank_otlp_end (out);
}

static void
jank_otlp_metrics_series_cb (const JankSeries *series, const JankFigures *figures, gint64 since_us, gpointer data)
{
  Metrics *self = data;
  gboolean is_process = *series->fingerprint == '\0';
  g_autoptr (GBytes) record = NULL;

  self->start_us = since_us;
  jank_otlp_init (&self->out, self->style->json);
  jank_otlp_begin (&self->out, 0, NULL);
  jank_otlp_resource (&self->out, self->style, series->app, series->version);
  jank_otlp_begin_list (&self->out, "scopeMetrics");
  jank_otlp_begin (&self->out, 2, NULL);
  jank_otlp_scope (&self->out);
  jank_otlp_begin_list (&self->out, "metrics");
  for (guint i = 0; is_process && i < G_N_ELEMENTS (process_sums); i++)
    jank_otlp_metrics_sum (self, &process_sums[i], figures);
  jank_otlp_metrics_histogram (self, is_process ? "app.interaction.duration" : "app.hang.duration", series->fingerprint,
                               figures);
  jank_otlp_end_list (&self->out);
  jank_otlp_end (&self->out);
  jank_otlp_end_list (&self->out);
  jank_otlp_end (&self->out);
  record = jank_otlp_steal (&self->out);
  jank_otlp_clear (&self->out);
  jank_sent_put_total (self->sent, series, record, self->style->json);
}

void
jank_otlp_put_metrics (const JankSendStyle *style, JankSent *sent, gint64 now_us)
{
  Metrics self = { style, sent, 0, now_us, { 0 } };

  jank_sent_each_series (sent, style->is_delta, jank_otlp_metrics_series_cb, &self);
}

GBytes *
jank_otlp_make_metrics (const JankSendStyle *style, const GPtrArray *items)
{
  g_auto (JankOtlp) out = { 0 };

  jank_otlp_init (&out, style->json);
  jank_otlp_begin (&out, 0, NULL);
  jank_otlp_begin_list (&out, "resourceMetrics");
  for (guint i = 0; i < items->len; i++)
    jank_otlp_raw (&out, 1, ((JankItem *) g_ptr_array_index (items, i))->record);
  jank_otlp_end_list (&out);
  jank_otlp_end (&out);
  return jank_otlp_steal (&out);
}
