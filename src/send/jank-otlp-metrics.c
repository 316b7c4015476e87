/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Totals since the first send, “cumulative” in the words of OTLP: a repeat changes nothing. One body for each version
 * of a program. */

#include "send/jank-protocol-private.h"

#include "base/jank-clock-private.h"

/* Of a sum and a histogram: cumulative. */
#define TEMPORALITY "'aggregationTemporality':2"
#define METRIC_END  "]}}"

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
  gint64               start_us, now_us;
  GPtrArray           *items; /* (owned) (element-type JankItem) */
  GString             *out;   /* (owned) (nullable): of the last item, which has no record yet */
  const char          *times; /* (nullable): name of the histogram to which points are added */
} Metrics;

static void
jank_otlp_metrics_begin_point (Metrics *self)
{
  jank_json_put (self->out, "{'startTimeUnixNano':'%li','timeUnixNano':'%li'", self->start_us * 1000,
                 MAX (self->now_us, self->start_us + 1) * 1000);
}

static void
jank_otlp_metrics_sum (Metrics *self, const Metric *metric, const JankFigures *figures)
{
  jank_json_put (self->out, "{'name':%s,'unit':%s,'sum':{" TEMPORALITY ",'isMonotonic':true,'dataPoints':[",
                 metric->name, metric->unit);
  jank_otlp_metrics_begin_point (self);
  jank_json_put (self->out, "'asDouble':%g}", (double) figures->sums[metric->sum] / metric->divisor);
  jank_json_put (self->out, METRIC_END);
}

/* Buckets from the first to the last that has any. */
static void
jank_otlp_metrics_times (Metrics *self, const char *fingerprint, const JankFigures *figures, guint64 n)
{
  guint first = 0, last = JANK_TIMES_N;

  while (figures->times[first] == 0)
    first++;
  while (figures->times[last - 1] == 0)
    last--;
  jank_otlp_metrics_begin_point (self);
  if (*fingerprint != '\0')
    jank_json_put (self->out, "'attributes':[" JANK_OTLP_ATTRIBUTE ("'stringValue':%s") "]", "app.hang.fingerprint",
                   fingerprint);
  jank_json_put (self->out, "'count':'%li','sum':%g,'scale':%li,'positive':{'offset':%li,'bucketCounts':[", (glong) n,
                 (double) figures->sums[JANK_SUM_TIMES_NS] / JANK_NS_PER_S, (glong) JANK_TIMES_SCALE,
                 (glong) first + JANK_TIMES_FIRST);
  for (; first < last; first++)
    jank_json_put (self->out, "'%li'", (glong) figures->times[first]);
  jank_json_put (self->out, "]}}");
}

/* Of the last program; there may be none. */
static void
jank_otlp_metrics_end_body (Metrics *self)
{
  if (self->times != NULL)
    jank_json_put (self->out, METRIC_END);
  self->times = NULL;
  if (self->items->len > 0)
    ((JankItem *) g_ptr_array_index (self->items, self->items->len - 1))->record =
      jank_otlp_end_body (g_steal_pointer (&self->out));
}

static void
jank_otlp_metrics_series_cb (const JankSeries *series, const JankFigures *figures, gint64 since_us, gpointer data)
{
  Metrics *self = data;
  const JankItem *last = self->items->len > 0 ? g_ptr_array_index (self->items, self->items->len - 1) : NULL;
  gboolean is_process = *series->fingerprint == '\0';
  const char *times = is_process ? "app.interaction.duration" : "app.hang.duration";
  guint64 n = jank_figures_get_count (figures);

  if (last == NULL || !g_str_equal (last->series.app, series->app) ||
      !g_str_equal (last->series.version, series->version))
    {
      jank_otlp_metrics_end_body (self);
      g_ptr_array_add (self->items, jank_item_new (NULL, 0, series->app, series->version, NULL));
      self->out = jank_otlp_begin_body (self->style, "Metrics", "metrics", series->app, series->version);
    }
  self->start_us = since_us;
  for (guint i = 0; is_process && i < G_N_ELEMENTS (process_sums); i++)
    jank_otlp_metrics_sum (self, &process_sums[i], figures);
  if (n > 0 && times != self->times)
    {
      if (self->times != NULL)
        jank_json_put (self->out, METRIC_END);
      jank_json_put (self->out, "{'name':%s,'unit':'s','exponentialHistogram':{" TEMPORALITY ",'dataPoints':[", times);
      self->times = times;
    }
  if (n > 0)
    jank_otlp_metrics_times (self, series->fingerprint, figures, n);
}

/* Clocks are set back, too: the totals are never of before the first send. */
GPtrArray *
jank_otlp_make_metrics (const JankSendStyle *style, JankSent *sent, gint64 now_us)
{
  Metrics self = { style, 0, now_us, g_ptr_array_new_with_free_func (jank_item_free), NULL, NULL };

  jank_sent_each_series (sent, jank_otlp_metrics_series_cb, &self);
  jank_otlp_metrics_end_body (&self);
  return self.items;
}
