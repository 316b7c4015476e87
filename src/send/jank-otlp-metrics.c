/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Totals since the first send, “cumulative” in the words of OTLP: a repeat changes nothing. One body for each version
 * of a program. */

#include "send/jank-otlp-private.h"

#include "base/jank-clock-private.h"

enum { CUMULATIVE = 2 };

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
  JankOtlp             out;   /* of the last item, which has no record yet */
  const char          *times; /* (nullable): name of the histogram to which points are added */
} Metrics;

/* kind: "sum" or another, which has this number */
static void
jank_otlp_metrics_begin (Metrics *self, const char *name, const char *unit, guint number, const char *kind)
{
  jank_otlp_begin (&self->out, 2, NULL);
  jank_otlp_text (&self->out, 1, "name", name);
  jank_otlp_text (&self->out, 3, "unit", unit);
  jank_otlp_begin (&self->out, number, kind);
  jank_otlp_begin_list (&self->out, "dataPoints");
}

static void
jank_otlp_metrics_end (Metrics *self, gboolean is_sum)
{
  jank_otlp_end_list (&self->out);
  jank_otlp_int (&self->out, 2, "aggregationTemporality", JANK_OTLP_ENUM, CUMULATIVE);
  if (is_sum)
    jank_otlp_int (&self->out, 3, "isMonotonic", JANK_OTLP_BOOL, TRUE);
  jank_otlp_end (&self->out);
  jank_otlp_end (&self->out);
}

static void
jank_otlp_metrics_begin_point (Metrics *self)
{
  jank_otlp_begin (&self->out, 1, NULL);
  jank_otlp_int (&self->out, 2, "startTimeUnixNano", JANK_OTLP_FIXED64, self->start_us * 1000);
  jank_otlp_int (&self->out, 3, "timeUnixNano", JANK_OTLP_FIXED64, MAX (self->now_us, self->start_us + 1) * 1000);
}

static void
jank_otlp_metrics_sum (Metrics *self, const Metric *metric, const JankFigures *figures)
{
  jank_otlp_metrics_begin (self, metric->name, metric->unit, 7, "sum");
  jank_otlp_metrics_begin_point (self);
  jank_otlp_double (&self->out, 4, "asDouble", (double) figures->sums[metric->sum] / metric->divisor);
  jank_otlp_end (&self->out);
  jank_otlp_metrics_end (self, TRUE);
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
jank_otlp_metrics_times (Metrics *self, const char *fingerprint, const JankFigures *figures, guint64 n)
{
  JankOtlp *out = &self->out;

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
  jank_otlp_end (out);
}

/* Of the last program; there may be none. */
static void
jank_otlp_metrics_end_body (Metrics *self)
{
  if (self->times != NULL)
    jank_otlp_metrics_end (self, FALSE);
  self->times = NULL;
  if (self->items->len > 0)
    ((JankItem *) g_ptr_array_index (self->items, self->items->len - 1))->record = jank_otlp_end_body (&self->out);
  jank_otlp_clear (&self->out);
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
      jank_otlp_begin_body (&self->out, self->style, "Metrics", "metrics", series->app, series->version);
    }
  self->start_us = since_us;
  for (guint i = 0; is_process && i < G_N_ELEMENTS (process_sums); i++)
    jank_otlp_metrics_sum (self, &process_sums[i], figures);
  if (n > 0 && times != self->times)
    {
      if (self->times != NULL)
        jank_otlp_metrics_end (self, FALSE);
      jank_otlp_metrics_begin (self, times, "s", 10, "exponentialHistogram");
      self->times = times;
    }
  if (n > 0)
    jank_otlp_metrics_times (self, series->fingerprint, figures, n);
}

/* Clocks are set back, too: the totals are never of before the first send. */
GPtrArray *
jank_otlp_make_metrics (const JankSendStyle *style, JankSent *sent, gint64 now_us)
{
  Metrics self = { style, 0, now_us, g_ptr_array_new_with_free_func (jank_item_free), { 0 }, NULL };

  jank_sent_each_series (sent, jank_otlp_metrics_series_cb, &self);
  jank_otlp_metrics_end_body (&self);
  return self.items;
}
