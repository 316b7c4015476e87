/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Envelopes, as Sentry's own clients send app hangs. An event's ID comes from the report's, so a server that got it
 * twice has it once. A process that has ended is a session of its release's health. */

#include "send/jank-sentry-private.h"

#include <string.h>

#include "json/jank-json-private.h"
#include "text/jank-text-report-private.h"

/* All stalls that no function of the program is on the path of are one issue. */
#define PLATFORM_FINGERPRINT "jankwatch-platform"

static const char *const levels[] = { "info", "warning", "error", "fatal" }; /* by JankSeverity */

/* Outermost first; max: innermost calls. */
static void
jank_protocol_sentry_stack (JankOtlp *out, JankReport *report, gint index, guint max)
{
  const JankReportStack *stack = jank_report_get_stack (report, index);

  if (stack == NULL || stack->calls->len == 0)
    return;
  BEGIN ("stacktrace");
  jank_otlp_begin_list (out, "frames");
  for (guint i = MIN (stack->calls->len, max); i > 0; i--)
    jank_protocol_sentry_frame (out, report, g_array_index (stack->calls, guint, i - 1));
  jank_otlp_end_list (out);
  END ();
}

static void
jank_protocol_sentry_threads (JankOtlp *out, JankReport *report)
{
  BEGIN ("threads");
  jank_otlp_begin_list (out, "values");
  for (guint i = 0; i < report->threads->len; i++)
    {
      const JankReportThread *thread = g_ptr_array_index (report->threads, i);

      BEGIN (NULL);
      INT ("id", thread->tid);
      TEXT ("name", thread->name);
      BOOL ("current", thread->observed);
      BOOL ("main", thread->observed);
      jank_protocol_sentry_stack (out, report, thread->observed ? report->heaviest.stack : thread->stack,
                                  G_MAXUINT);
      END ();
    }
  jank_otlp_end_list (out);
  END ();
}

static void
jank_protocol_sentry_exception (JankOtlp *out, JankReport *report, gboolean brief)
{
  g_autofree char *headline = jank_text_headline (report);

  BEGIN ("exception");
  jank_otlp_begin_list (out, "values");
  BEGIN (NULL);
  TEXT ("type", "App Hanging");
  TEXT ("value", headline);
  if (report->threads->len > 0)
    INT ("thread_id", ((JankReportThread *) g_ptr_array_index (report->threads, 0))->tid);
  BEGIN ("mechanism");
  TEXT ("type", "AppHang");
  BOOL ("handled", report->stall.outcome == JANK_OUTCOME_RECOVERED);
  BOOL ("synthetic", TRUE);
  END ();
  jank_protocol_sentry_stack (out, report, report->heaviest.stack, brief ? JANK_BRIEF_CALLS : G_MAXUINT);
  END ();
  jank_otlp_end_list (out);
  END ();
}

static gboolean
jank_protocol_sentry_is_own (JankReport *report)
{
  for (guint i = 0; i < report->heaviest.path->len; i++)
    if (jank_report_is_own (report, jank_report_get_step_call (report, (gint) i), NULL))
      return TRUE;
  return FALSE;
}

static void
jank_protocol_sentry_facts (JankOtlp *out, const JankSendStyle *style, JankReport *report, guint64 n_told,
                            const char *extension)
{
  const char *fingerprint = report->fingerprint != NULL ? report->fingerprint : report->id;

  jank_protocol_sentry_release (out, report->app.name, report->app.version);
  BEGIN ("user");
  TEXT ("id", style->identity);
  END ();
  jank_otlp_begin_list (out, "fingerprint");
  jank_otlp_text (out, 0, NULL, jank_protocol_sentry_is_own (report) ? fingerprint : PLATFORM_FINGERPRINT);
  jank_otlp_end_list (out);
  BEGIN ("tags");
  TEXT ("report", report->id);
  TEXT ("fingerprint", report->fingerprint);
  TEXT ("kind", jank_report_kind_to_nick (report->kind));
  TEXT ("severity", jank_severity_to_nick (report->stall.severity));
  TEXT ("toolkit", report->toolkit.version);
  TEXT ("extension", extension);
  END ();
  BEGIN ("extra");
  jank_otlp_double (out, 0, "duration_s", (double) report->stall.duration_ns / JANK_NS_PER_S);
  INT ("count", (gint64) n_told);
  END ();
}

/* Puts an item of an envelope behind out; header: what its kind needs more. Empties item. */
static void
jank_protocol_sentry_add_item (GString *out, const char *type, const char *header, JankOtlp *item)
{
  g_string_append_printf (out, "{\"type\":\"%s\"%s,\"length\":%lu}\n%s\n", type, header, (gulong) item->out->len,
                          item->out->str);
  jank_otlp_clear (item);
}

static GBytes *
jank_protocol_sentry_log_report (const JankSendStyle *style, JankReport *report, guint64 n_told, const char *extension)
{
  g_auto (JankOtlp) made = { 0 };
  JankOtlp *out = &made;
  g_autofree char *id = jank_protocol_sentry_make_id (style, report->id, "");
  gboolean is_brief = style->detail == JANK_DETAIL_BRIEF;
  gboolean has_profile = style->detail == JANK_DETAIL_PROFILE && jank_sentry_chunk_is_possible (report);
  GString *items = g_string_new (NULL);

  jank_otlp_init (out, TRUE);
  BEGIN (NULL);
  TEXT ("event_id", id);
  jank_otlp_double (out, 0, "timestamp",
                    ((double) report->stall.began_real_us * 1000 + (double) report->stall.duration_ns) / JANK_NS_PER_S);
  TEXT ("platform", "native");
  TEXT ("level", levels[report->stall.severity]);
  TEXT ("logger", "jankwatch");
  jank_protocol_sentry_facts (out, style, report, n_told, extension);
  TEXT ("environment", JANK_SENTRY_ENVIRONMENT);
  jank_protocol_sentry_exception (out, report, is_brief);
  if (!is_brief)
    jank_protocol_sentry_threads (out, report);
  jank_protocol_sentry_images (out, report, is_brief);
  if (has_profile)
    jank_sentry_chunk_link (out, style, report);
  END ();
  jank_protocol_sentry_add_item (items, "event", "", out);
  if (has_profile)
    {
      jank_otlp_init (out, TRUE);
      jank_sentry_chunk_write (out, style, report);
      jank_protocol_sentry_add_item (items, "profile_chunk", ",\"platform\":\"native\"", out);
    }
  return g_string_free_to_bytes (items);
}

static GBytes *
jank_protocol_sentry_log_process (const JankSendStyle *style, const JankSessionSummary *process, const char *key)
{
  g_auto (JankOtlp) made = { 0 };
  JankOtlp *out = &made;
  g_autofree char *id = jank_protocol_sentry_make_id (style, key, "");
  g_autofree char *began = jank_json_time_to_text (process->began_real_us);
  GString *items = g_string_new (NULL);

  jank_otlp_init (out, TRUE);
  BEGIN (NULL);
  TEXT ("sid", id);
  TEXT ("did", style->identity);
  BOOL ("init", TRUE);
  TEXT ("started", began);
  TEXT ("timestamp", began);
  jank_otlp_double (out, 0, "duration", (double) process->hangs.watched_ns / JANK_NS_PER_S);
  TEXT ("status", "exited");
  INT ("errors", (gint64) process->hangs.n_hangs);
  BEGIN ("attrs");
  jank_protocol_sentry_release (out, process->app.name, process->app.version);
  END ();
  END ();
  jank_protocol_sentry_add_item (items, "session", "", out);
  return g_string_free_to_bytes (items);
}

static GBytes *
jank_protocol_sentry_make_body (const JankSendStyle *style, const GPtrArray *items)
{
  GString *out = g_string_new ("{}\n");

  for (guint i = 0; i < items->len; i++)
    {
      GBytes *record = ((JankItem *) g_ptr_array_index (items, i))->record;

      g_string_append_len (out, g_bytes_get_data (record, NULL), (gssize) g_bytes_get_size (record));
    }
  return g_string_free_to_bytes (out);
}

static const char *
jank_protocol_sentry_get_type (const JankSendStyle *style)
{
  return "application/x-sentry-envelope";
}

/* An envelope holds one event. */
const JankProtocol jank_protocol_sentry = {
  .max_records = 1,
  .path = "",
  .get_type = jank_protocol_sentry_get_type,
  .log_report = jank_protocol_sentry_log_report,
  .log_process = jank_protocol_sentry_log_process,
  .make_body = jank_protocol_sentry_make_body,
};

char *
jank_protocol_sentry_find_url (GUri *dsn, char ***ret_headers)
{
  g_autofree char *folder = g_path_get_dirname (g_uri_get_path (dsn));
  g_autofree char *project = g_path_get_basename (g_uri_get_path (dsn));
  g_autofree char *path = g_strdup_printf ("%s/api/%s/envelope/", g_str_equal (folder, "/") ? "" : folder, project);

  if (g_uri_get_userinfo (dsn) == NULL || strspn (project, G_CSET_DIGITS) != strlen (project))
    return NULL;
  *ret_headers = g_new0 (char *, 3);
  (*ret_headers)[0] = g_strdup ("X-Sentry-Auth");
  (*ret_headers)[1] = g_strdup_printf ("Sentry sentry_version=7, sentry_client=jankwatch/" JANK_VERSION ", "
                                       "sentry_key=%.*s",
                                       (int) strcspn (g_uri_get_userinfo (dsn), ":"), g_uri_get_userinfo (dsn));
  return g_uri_join (G_URI_FLAGS_NONE, g_uri_get_scheme (dsn), NULL, g_uri_get_host (dsn), g_uri_get_port (dsn), path,
                     NULL, NULL);
}
