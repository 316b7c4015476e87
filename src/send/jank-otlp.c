/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages as the JSON that stands for their protobuf. Stalls are events "app.hang", late frames "app.jank"
 * (data/otlp-events.md). A field of the report is an attribute "jankwatch.stall.cpu_ns", by its table; what the
 * conventions have a name for goes by that. Totals since the first send, “cumulative” in the words of OTLP: a repeat
 * changes nothing. One body for each version of a program. */

#include "send/jank-protocol-private.h"

#include <string.h>

#include "base/jank-clock-private.h"
#include "json/jank-json-private.h"
#include "text/jank-text-report-private.h"

#ifdef __x86_64__
#define ARCH "amd64"
#else
#define ARCH "arm64"
#endif

#define PREFIX "jankwatch."

/* A format, in a list of attributes; 64 bits stand in quotes, since numbers in JSON hold 53. */
#define ATTRIBUTE(value) "{'key':%s,'value':{" value "}}"
#define INT    ATTRIBUTE ("'intValue':'%li'")
#define DOUBLE ATTRIBUTE ("'doubleValue':%g")

/* Of a sum and a histogram: cumulative. */
#define TEMPORALITY "'aggregationTemporality':2"
#define METRIC_END  "]}}"

typedef struct
{
  const char *path; /* of the field */
  const char *key;  /* NULL: it is said elsewhere */
  double      unit; /* so many are one of the convention's; 0: the same */
} Convention;

static const Convention conventions[] = {
  { "fingerprint", "app.hang.fingerprint" },
  { "kind", "app.hang.kind" },
  { "app.name", NULL },
  { "app.version", NULL },
  { "app.pid", "process.pid" },
  { "app.exe", "process.executable.name" },
  { "stall.duration_ns", "app.hang.duration", JANK_NS_PER_S },
  { "stall.threshold_ns", "app.hang.threshold", JANK_NS_PER_S },
  { "stall.severity", "app.hang.severity" },
  { "stall.outcome", "app.hang.outcome" },
  { "culprit.function", "code.function.name" },
  { "culprit.file", "code.file.path" },
  { "culprit.line", "code.line.number" },
};

/* By JankSeverity: INFO, WARN, ERROR, ERROR2. */
static const glong severities[] = { 9, 13, 17, 18 };

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
  const char *identity;
  gint64      start_us, now_us;
  GPtrArray  *totals; /* (owned) (element-type JankTotals) */
  GString    *out;    /* (owned) (nullable): of the last totals, which have no body yet */
  const char *times;  /* (nullable): name of the histogram to which points are added */
} Metrics;

static void
jank_otlp_attribute (GString *self, const char *key, const char *text)
{
  if (text != NULL && *text != '\0')
    jank_json_put (self, ATTRIBUTE ("'stringValue':%s"), key, text);
}

/* Begins a body of one program, with the fields "resource" and "scope", up to the list of its records. what: "Logs" or
 * "Metrics"; records: the list's name. Returns: (transfer full) */
static GString *
jank_otlp_begin_body (const char *identity, const char *what, const char *records, const char *app, const char *version)
{
  g_autofree char *resources = g_strconcat ("resource", what, NULL), *scopes = g_strconcat ("scope", what, NULL);
  g_autofree char *os = g_get_os_info (G_OS_INFO_KEY_ID), *os_version = g_get_os_info (G_OS_INFO_KEY_VERSION_ID);
  g_autofree char *id = g_compute_hmac_for_string (G_CHECKSUM_MD5, (const guchar *) identity, strlen (identity),
                                                   version, -1);
  GString *self = g_string_new (NULL);

  jank_json_put (self, "{%s:[{'resource':{'attributes':[", resources);
  jank_otlp_attribute (self, "service.name", *app != '\0' ? app : "unknown_service");
  jank_otlp_attribute (self, "service.version", version);
  /* Prometheus knows a series by this and the name alone: two versions of a program are two. */
  jank_otlp_attribute (self, "service.instance.id", id);
  jank_otlp_attribute (self, "device.id", identity);
  jank_otlp_attribute (self, "os.type", "linux");
  jank_otlp_attribute (self, "os.name", os);
  jank_otlp_attribute (self, "os.version", os_version);
  jank_otlp_attribute (self, "host.arch", ARCH);
  jank_json_put (self, "]},%s:[{'scope':{'name':'jankwatch','version':%s},%s:[", scopes, JANK_VERSION, records);
  return self;
}

/* Takes self. Returns: (transfer full) */
static GBytes *
jank_otlp_end_body (GString *self)
{
  jank_json_put (self, "]}]}]}");
  return g_string_free_to_bytes (self);
}

static guint64
jank_otlp_read_answer (GBytes *answer, char **ret_words)
{
  static const char *const names[] = { "rejectedLogRecords", "rejectedDataPoints" };
  gsize n_bytes;
  const char *bytes = g_bytes_get_data (answer, &n_bytes);
  g_autoptr (JsonNode) root = n_bytes > 0 ? jank_json_parse (bytes, n_bytes, NULL, NULL) : NULL;
  JsonNode *node = root != NULL ? json_object_get_member (json_node_get_object (root), "partialSuccess") : NULL;
  JsonObject *partial = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  gint64 n_refused = 0;

  *ret_words = NULL;
  if (partial == NULL)
    return 0;
  *ret_words = g_strdup (jank_json_get_text (partial, "errorMessage"));
  for (guint i = 0; i < G_N_ELEMENTS (names) && n_refused == 0; i++)
    {
      const char *text = jank_json_get_text (partial, names[i]);

      /* 64 bits are text in protobuf's JSON; readers take numbers, too. */
      if (text != NULL ? !g_ascii_string_to_signed (text, 10, 0, G_MAXINT64, &n_refused, NULL)
                       : !jank_json_node_to_int (json_object_get_member (partial, names[i]), &n_refused))
        n_refused = 0;
    }
  return (guint64) MAX (n_refused, 0);
}

/* Returns: (nullable): it has none */
static const Convention *
jank_otlp_log_find (const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (conventions); i++)
    if (g_str_equal (conventions[i].path, path))
      return &conventions[i];
  return NULL;
}

/* What is 0, empty or unknown is left out. */
static void
jank_otlp_log_value (GString *out, const JankField *field, gconstpointer place, const char *key, double unit)
{
  const char *text = NULL;
  gint64 n = 0;

  if (field->type == JANK_INT || field->type == JANK_BOOLEAN || field->type == JANK_NICK)
    n = jank_field_get_int (field, place);
  if (field->type == JANK_STRING || field->type == JANK_LETTERS)
    text = jank_field_get_text (field, (gpointer) place);
  else if (field->type == JANK_NICK && n >= 0 && n < field->max)
    text = field->nicks[n];

  if (text != NULL && *text != '\0')
    jank_otlp_attribute (out, key, text);
  else if (field->type == JANK_INT && unit > 0.0 && n > 0)
    jank_json_put (out, DOUBLE, key, (double) n / unit);
  else if (field->type == JANK_INT && (n > 0 || (n < 0 && field->flags & JANK_SIGNED)))
    jank_json_put (out, INT, key, n);
  else if (field->type == JANK_BOOLEAN && n != 0)
    jank_json_put (out, ATTRIBUTE ("'boolValue':true"), key);
  else if (field->type == JANK_NUMBER && *(const double *) place > 0.0)
    jank_json_put (out, DOUBLE, key, *(const double *) place);
}

/* path: of object, with a dot at its end; the same afterwards */
static void
jank_otlp_log_fields (GString *out, const JankTable *table, gconstpointer object, GString *path)
{
  gsize n_path = path->len;

  for (guint i = 0; i < table->n_fields; i++)
    {
      const JankField *field = &table->fields[i];
      gconstpointer place = (const char *) object + field->offset;
      const Convention *convention;

      if (field->name != NULL)
        g_string_append (path, field->name);
      if (field->type == JANK_OBJECT)
        g_string_append_c (path, '.');
      convention = jank_otlp_log_find (path->str + strlen (PREFIX));
      if (field->type == JANK_OBJECT || field->type == JANK_INLINE)
        jank_otlp_log_fields (out, field->table, place, path);
      else if (convention == NULL)
        jank_otlp_log_value (out, field, place, path->str, 0.0);
      else if (convention->key != NULL)
        jank_otlp_log_value (out, field, place, convention->key, convention->unit);
      g_string_truncate (path, n_path);
    }
}

/* Innermost first, a line a call. Returns: (transfer full) (nullable) */
static char *
jank_otlp_log_dup_stack (JankReport *report)
{
  const JankReportStack *stack = jank_report_get_stack (report, report->heaviest.stack);
  GString *text;

  if (stack == NULL || stack->calls->len == 0)
    return NULL;
  text = g_string_new (NULL);
  for (guint i = 0; i < stack->calls->len; i++)
    {
      guint at = g_array_index (stack->calls, guint, i);
      const JankReportCall *call = jank_report_get_call (report, (gint) at);
      const char *module = jank_report_get_file_name (report, call);
      g_autofree char *name = jank_report_call_to_text (report, at);

      g_string_append_printf (text, "%sat %s", i > 0 ? "\n" : "", name);
      if (call->file != NULL)
        g_string_append_printf (text, " (%s:%u)", call->file, call->line);
      else if (module != NULL && call->symbol != NULL)
        g_string_append_printf (text, " (%s+0x%" G_GINT64_MODIFIER "x)", module, call->offset);
    }
  return g_string_free (text, FALSE);
}

/* Up to its attributes. key: of the report or process in the machine's store. Returns: (transfer full) */
static GString *
jank_otlp_log_begin (const char *identity, const char *key, const char *app, const char *version, gint64 from_us,
                     gint64 length_ns)
{
  GString *out = jank_otlp_begin_body (identity, "Logs", "logRecords", jank_text_or_empty (app),
                                       jank_text_or_empty (version));
  g_autofree char *uid = g_strconcat (identity, "-", key, NULL);

  jank_json_put (out, "{'timeUnixNano':'%li','observedTimeUnixNano':'%li','attributes':[", from_us * 1000,
                 (from_us + length_ns / JANK_NS_PER_US) * 1000);
  jank_otlp_attribute (out, "log.record.uid", uid);
  return out;
}

static void
jank_otlp_log_jank (GString *out, guint64 n_frames, gint64 threshold_ns, gint64 period_ns)
{
  jank_json_put (out, INT, "app.jank.frame_count", (gint64) n_frames);
  jank_json_put (out, DOUBLE, "app.jank.threshold", (double) threshold_ns / JANK_NS_PER_S);
  jank_json_put (out, DOUBLE, "app.jank.period", (double) period_ns / JANK_NS_PER_S);
}

/* The thread that stalled, and what it was in. */
static void
jank_otlp_log_thread (GString *out, JankReport *report)
{
  const JankReportThread *thread = report->threads->len > 0 ? g_ptr_array_index (report->threads, 0) : NULL;
  g_autofree char *stack = jank_otlp_log_dup_stack (report);

  jank_otlp_attribute (out, "exception.stacktrace", stack);
  if (thread == NULL || !thread->observed)
    return;
  jank_json_put (out, INT, "thread.id", (gint64) thread->tid);
  jank_otlp_attribute (out, "thread.name", thread->name);
}

static GBytes *
jank_otlp_log_report (const char *identity, JankReport *report, guint64 n_told, const char *extension)
{
  GString *out = jank_otlp_log_begin (identity, report->id, report->app.name, report->app.version,
                                      report->stall.began_real_us, report->stall.duration_ns);
  g_autoptr (GString) path = g_string_new (PREFIX);
  g_autofree char *headline = jank_text_headline (report);
  gboolean is_jank = report->kind == JANK_REPORT_FRAME;

  jank_otlp_attribute (out, "jankwatch.extension", extension);
  jank_otlp_log_fields (out, &jank_report_table, report, path);
  jank_otlp_log_thread (out, report);
  jank_json_put (out, INT, "app.hang.count", (gint64) n_told);
  if (is_jank)
    jank_otlp_log_jank (out, n_told, report->stall.threshold_ns, report->stall.duration_ns);
  jank_json_put (out, "],'severityNumber':%li,'severityText':%s,'body':{'stringValue':%s},'eventName':%s}",
                 severities[report->stall.severity], jank_severity_to_nick (report->stall.severity), headline,
                 is_jank ? "app.jank" : "app.hang");
  return jank_otlp_end_body (out);
}

static GBytes *
jank_otlp_log_process (const char *identity, const JankSessionSummary *process, const char *key)
{
  const JankFrameNumbers *numbers = process->frame_clock != NULL ? &process->frame_clock->numbers : NULL;
  GString *out;

  if (numbers == NULL || numbers->counts.late_program == 0)
    return NULL;
  out = jank_otlp_log_begin (identity, key, process->app.name, process->app.version, process->began_real_us,
                             process->hangs.watched_ns);
  jank_otlp_log_jank (out, numbers->counts.late_program, numbers->refresh_ns * 3 / 2, numbers->counts.active_ns);
  jank_json_put (out, "],'eventName':'app.jank'}");
  return jank_otlp_end_body (out);
}

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
  jank_json_put (self->out, "'asDouble':%g}", (double) figures->n[metric->sum] / metric->divisor);
  jank_json_put (self->out, METRIC_END);
}

/* Buckets from the first to the last that has any. */
static void
jank_otlp_metrics_times (Metrics *self, const JankItem *series, gint64 n)
{
  const gint64 *times = series->figures.n + JANK_N_SUMS;
  guint first = 0, last = JANK_TIMES_N;

  while (times[first] == 0)
    first++;
  while (times[last - 1] == 0)
    last--;
  jank_otlp_metrics_begin_point (self);
  if (*series->fingerprint != '\0')
    jank_json_put (self->out, "'attributes':[" ATTRIBUTE ("'stringValue':%s") "]", "app.hang.fingerprint",
                   series->fingerprint);
  jank_json_put (self->out, "'count':'%li','sum':%g,'scale':%li,'positive':{'offset':%li,'bucketCounts':[", n,
                 (double) series->figures.n[JANK_SUM_TIMES_NS] / JANK_NS_PER_S, (glong) JANK_TIMES_SCALE,
                 (glong) first + JANK_TIMES_FIRST);
  for (; first < last; first++)
    jank_json_put (self->out, "'%li'", (glong) times[first]);
  jank_json_put (self->out, "]}}");
}

/* Of the last program; there may be none. */
static void
jank_otlp_metrics_end_body (Metrics *self)
{
  if (self->times != NULL)
    jank_json_put (self->out, METRIC_END);
  self->times = NULL;
  if (self->totals->len > 0)
    ((JankTotals *) g_ptr_array_index (self->totals, self->totals->len - 1))->body =
      jank_otlp_end_body (g_steal_pointer (&self->out));
}

static void
jank_otlp_metrics_series_cb (const JankItem *series, gpointer data)
{
  Metrics *self = data;
  JankTotals *last = self->totals->len > 0 ? g_ptr_array_index (self->totals, self->totals->len - 1) : NULL;
  gboolean is_process = *series->fingerprint == '\0';
  const char *times = is_process ? "app.interaction.duration" : "app.hang.duration";
  gint64 n = jank_figures_count_times (&series->figures);

  if (last == NULL || !g_str_equal (last->app, series->app) || !g_str_equal (last->version, series->version))
    {
      jank_otlp_metrics_end_body (self);
      last = g_new0 (JankTotals, 1);
      last->app = g_strdup (series->app);
      last->version = g_strdup (series->version);
      g_ptr_array_add (self->totals, last);
      self->out = jank_otlp_begin_body (self->identity, "Metrics", "metrics", series->app, series->version);
    }
  for (guint i = 0; is_process && i < G_N_ELEMENTS (process_sums); i++)
    jank_otlp_metrics_sum (self, &process_sums[i], &series->figures);
  if (n > 0 && times != self->times)
    {
      if (self->times != NULL)
        jank_json_put (self->out, METRIC_END);
      jank_json_put (self->out, "{'name':%s,'unit':'s','exponentialHistogram':{" TEMPORALITY ",'dataPoints':[", times);
      self->times = times;
    }
  if (n > 0)
    jank_otlp_metrics_times (self, series, n);
}

static void
jank_otlp_totals_free (gpointer totals)
{
  JankTotals *self = totals;

  g_free (self->app);
  g_free (self->version);
  g_bytes_unref (self->body);
  g_free (self);
}

/* Clocks are set back, too: the totals are never of before the first send. */
static GPtrArray *
jank_otlp_make_metrics (const char *identity, JankSent *sent, gint64 now_us)
{
  GPtrArray *totals = g_ptr_array_new_with_free_func (jank_otlp_totals_free);
  Metrics self = { identity, sent->start_us, now_us, totals, NULL, NULL };

  jank_sent_each_series (sent, jank_otlp_metrics_series_cb, &self);
  jank_otlp_metrics_end_body (&self);
  return totals;
}

const JankProtocol jank_protocol_otlp = {
  .path = "/v1/logs",
  .totals_path = "/v1/metrics",
  .type = "application/json",
  .log_report = jank_otlp_log_report,
  .log_process = jank_otlp_log_process,
  .read_answer = jank_otlp_read_answer,
  .make_totals = jank_otlp_make_metrics,
};
