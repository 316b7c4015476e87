/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls are events "app.hang", late frames "app.jank" (data/otlp-events.md). A field of the report is an attribute
 * "jankwatch.stall.cpu_ns", by its table; what the conventions have a name for goes by that. */

#include "send/jank-protocol-private.h"

#include <string.h>

#include "text/jank-text-report-private.h"

#define PREFIX "jankwatch."

#define INT    JANK_OTLP_ATTRIBUTE ("'intValue':'%li'")
#define DOUBLE JANK_OTLP_ATTRIBUTE ("'doubleValue':%g")

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
    jank_json_put (out, JANK_OTLP_ATTRIBUTE ("'boolValue':true"), key);
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

/* Innermost first, a line a call; max: such lines. Returns: (transfer full) (nullable) */
static char *
jank_otlp_log_dup_stack (JankReport *report, gint index, guint max)
{
  const JankReportStack *stack = jank_report_get_stack (report, index);
  GString *text;

  if (stack == NULL || stack->calls->len == 0)
    return NULL;
  text = g_string_new (NULL);
  for (guint i = 0; i < MIN (stack->calls->len, max); i++)
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

/* Returns: (transfer full) */
static GString *
jank_otlp_log_begin (const JankSendStyle *style, const char *app, const char *version, gint64 from_us,
                     gint64 length_ns)
{
  GString *out = jank_otlp_begin_body (style, "Logs", "logRecords", jank_text_or_empty (app),
                                       jank_text_or_empty (version));

  jank_json_put (out, "{'timeUnixNano':'%li','observedTimeUnixNano':'%li'", from_us * 1000,
                 (from_us + length_ns / JANK_NS_PER_US) * 1000);
  return out;
}

/* key: of the report or process in the machine's store */
static void
jank_otlp_log_identify (GString *out, const JankSendStyle *style, const char *key)
{
  g_autofree char *uid = g_strconcat (style->identity, "-", key, NULL);

  jank_otlp_attribute (out, "log.record.uid", uid);
}

static GBytes *
jank_otlp_log_end (GString *out, const char *event)
{
  jank_json_put (out, "],'eventName':%s}", event);
  return jank_otlp_end_body (out);
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
jank_otlp_log_thread (GString *out, JankReport *report, gboolean brief)
{
  const JankReportThread *thread = report->threads->len > 0 ? g_ptr_array_index (report->threads, 0) : NULL;
  guint max = brief ? JANK_BRIEF_CALLS : G_MAXUINT;
  g_autofree char *stack = jank_otlp_log_dup_stack (report, report->heaviest.stack, max);

  jank_otlp_attribute (out, "exception.stacktrace", stack);
  if (thread == NULL || !thread->observed)
    return;
  jank_json_put (out, INT, "thread.id", (gint64) thread->tid);
  jank_otlp_attribute (out, "thread.name", thread->name);
}

static GBytes *
jank_otlp_log_report (const JankSendStyle *style, JankReport *report, guint64 n_told, const char *extension)
{
  GString *out = jank_otlp_log_begin (style, report->app.name, report->app.version,
                                      report->stall.began_real_us, report->stall.duration_ns);
  g_autoptr (GString) path = g_string_new (PREFIX);
  g_autofree char *headline = jank_text_headline (report);
  gboolean is_jank = report->kind == JANK_REPORT_FRAME;

  jank_json_put (out, "'severityNumber':%li,'severityText':%s,'body':{'stringValue':%s},'attributes':[",
                 severities[report->stall.severity], jank_severity_to_nick (report->stall.severity), headline);
  jank_otlp_log_identify (out, style, report->id);
  jank_otlp_attribute (out, "jankwatch.extension", extension);
  jank_otlp_log_fields (out, &jank_report_table, report, path);
  jank_otlp_log_thread (out, report, style->is_brief);
  jank_json_put (out, INT, "app.hang.count", (gint64) n_told);
  if (is_jank)
    jank_otlp_log_jank (out, n_told, report->stall.threshold_ns, report->stall.duration_ns);
  return jank_otlp_log_end (out, is_jank ? "app.jank" : "app.hang");
}

static GBytes *
jank_otlp_log_process (const JankSendStyle *style, const JankSessionSummary *process, const char *key)
{
  const JankFrameNumbers *numbers = process->frame_clock != NULL ? &process->frame_clock->numbers : NULL;
  GString *out;

  if (numbers == NULL || numbers->late_program == 0)
    return NULL;
  out = jank_otlp_log_begin (style, process->app.name, process->app.version, process->began_real_us,
                             process->hangs.watched_ns);
  jank_json_put (out, "'attributes':[");
  jank_otlp_log_identify (out, style, key);
  jank_otlp_log_jank (out, numbers->late_program, numbers->refresh_ns * 3 / 2, numbers->active_ns);
  return jank_otlp_log_end (out, "app.jank");
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
