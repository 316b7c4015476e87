/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Envelopes, as Sentry's own clients send app hangs. An event's ID comes from the report's, so a server that got it
 * twice has it once. A process that has ended is a session of its release's health. */

#include "send/jank-protocol-private.h"

#include <string.h>

#include "json/jank-json-private.h"
#include "send/jank-otlp-private.h"
#include "text/jank-text-report-private.h"

/* All stalls that no function of the program is on the path of are one issue. */
#define PLATFORM_FINGERPRINT "jankwatch-platform"

static const char *const levels[] = { "info", "warning", "error", "fatal" }; /* by JankSeverity */

#define BEGIN(name)      jank_otlp_begin (out, name)
#define END()            json_builder_end_object (out)
#define TEXT(name, text) jank_sentry_text (out, name, text)
#define INT(name, n)     jank_otlp_int (out, name, n)
#define BOOL(name, yes)  jank_otlp_flag (out, name, yes)

/* text (nullable): writes nothing, as an empty one. */
static void
jank_sentry_text (JsonBuilder *out, const char *name, const char *text)
{
  if (text != NULL && *text != '\0')
    jank_otlp_text (out, name, text);
}

static void
jank_sentry_address (JsonBuilder *out, const char *name, guint64 address)
{
  g_autofree char *text = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", address);

  TEXT (name, text);
}

/* Returns: (transfer full): 32 hexadecimal digits */
static char *
jank_sentry_make_id (const JankSendStyle *style, const char *key)
{
  g_autofree char *both = g_strconcat (style->identity, "-", key, NULL);

  return g_compute_checksum_for_string (G_CHECKSUM_MD5, both, -1);
}

/* "editor@1.2" */
static void
jank_sentry_release (JsonBuilder *out, const char *app, const char *version)
{
  g_autofree char *release = g_strdup_printf ("%s@%s", jank_text_or_empty (app),
                                              version != NULL && *version != '\0' ? version : "unknown");

  TEXT ("release", release);
}

/* A GUID of the first 16 bytes, three parts of which are little-endian, as symbol servers know a file. */
static void
jank_sentry_debug_id (JsonBuilder *out, const char *build_id)
{
  static const guint order[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
  g_autoptr (GString) text = g_string_new (NULL);

  if (strlen (build_id) < 2 * G_N_ELEMENTS (order))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    g_string_append_printf (text, "%s%.2s", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", build_id + 2 * order[i]);
  TEXT ("debug_id", text->str);
}

/* Whether one of the calls that a brief event has is in module. */
static gboolean
jank_sentry_shows (JankReport *report, const JankReportModule *module)
{
  const JankReportStack *stack = jank_report_get_stack (report, report->heaviest.stack);

  for (guint i = 0; stack != NULL && i < MIN (stack->calls->len, JANK_BRIEF_CALLS); i++)
    if (jank_report_get_module (report, jank_report_get_call (report, g_array_index (stack->calls, gint, i))) == module)
      return TRUE;
  return FALSE;
}

static void
jank_sentry_images (JsonBuilder *out, JankReport *report, gboolean brief)
{
  BEGIN ("debug_meta");
  jank_otlp_begin_list (out, "images");
  for (guint i = 0; i < report->modules->len; i++)
    {
      const JankReportModule *module = g_ptr_array_index (report->modules, i);

      if (module->build_id == NULL || (brief && !jank_sentry_shows (report, module)))
        continue;
      BEGIN (NULL);
      TEXT ("type", "elf");
      TEXT ("code_id", module->build_id);
      jank_sentry_debug_id (out, module->build_id);
      TEXT ("code_file", module->path);
      jank_sentry_address (out, "image_addr", module->base);
      END ();
    }
  json_builder_end_array (out);
  END ();
}

static void
jank_sentry_frame (JsonBuilder *out, JankReport *report, guint at)
{
  const JankReportCall *call = jank_report_get_call (report, (gint) at);
  const JankReportModule *module = jank_report_get_module (report, call);
  g_autofree char *name = jank_report_call_to_text (report, at);

  BEGIN (NULL);
  TEXT ("function", name);
  TEXT ("filename", call->file);
  if (call->line > 0)
    INT ("lineno", call->line);
  TEXT ("package", module != NULL ? module->path : NULL);
  if (call->language == NULL)
    {
      jank_sentry_address (out, "instruction_addr", (module != NULL ? module->base : 0) + call->offset);
      jank_sentry_address (out, "symbol_addr",
                                    (module != NULL ? module->base : 0) + call->offset - call->symbol_offset);
    }
  BOOL ("in_app", jank_report_is_own (report, call, NULL));
  END ();
}

/* Outermost first */
static void
jank_sentry_stack (JsonBuilder *out, JankReport *report, gint index, gboolean brief)
{
  const JankReportStack *stack = jank_report_get_stack (report, index);

  if (stack == NULL || stack->calls->len == 0)
    return;
  BEGIN ("stacktrace");
  jank_otlp_begin_list (out, "frames");
  for (guint i = brief ? MIN (stack->calls->len, JANK_BRIEF_CALLS) : stack->calls->len; i > 0; i--)
    jank_sentry_frame (out, report, g_array_index (stack->calls, guint, i - 1));
  json_builder_end_array (out);
  END ();
}

static void
jank_sentry_threads (JsonBuilder *out, JankReport *report)
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
      jank_sentry_stack (out, report, thread->observed ? report->heaviest.stack : thread->stack,
                         FALSE);
      END ();
    }
  json_builder_end_array (out);
  END ();
}

static void
jank_sentry_exception (JsonBuilder *out, JankReport *report, gboolean brief)
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
  jank_sentry_stack (out, report, report->heaviest.stack, brief);
  END ();
  json_builder_end_array (out);
  END ();
}

static gboolean
jank_sentry_is_own (JankReport *report)
{
  for (guint i = 0; i < report->heaviest.path->len; i++)
    if (jank_report_is_own (report, jank_report_get_step_call (report, (gint) i), NULL))
      return TRUE;
  return FALSE;
}

static void
jank_sentry_facts (JsonBuilder *out, const JankSendStyle *style, JankReport *report, guint64 n_told,
                            const char *extension)
{
  const char *fingerprint = report->fingerprint != NULL ? report->fingerprint : report->id;

  jank_sentry_release (out, report->app.name, report->app.version);
  BEGIN ("user");
  TEXT ("id", style->identity);
  END ();
  jank_otlp_begin_list (out, "fingerprint");
  jank_otlp_text (out, NULL, jank_sentry_is_own (report) ? fingerprint : PLATFORM_FINGERPRINT);
  json_builder_end_array (out);
  BEGIN ("tags");
  TEXT ("report", report->id);
  TEXT ("fingerprint", report->fingerprint);
  TEXT ("kind", jank_report_kind_to_nick (report->kind));
  TEXT ("severity", jank_severity_to_nick (report->stall.severity));
  TEXT ("toolkit", report->toolkit.version);
  TEXT ("extension", extension);
  END ();
  BEGIN ("extra");
  jank_otlp_double (out, "duration_s", (double) report->stall.duration_ns / JANK_NS_PER_S);
  INT ("count", (gint64) n_told);
  END ();
}

/* An envelope of one item. Returns: (transfer full) */
static GBytes *
jank_sentry_end (JsonBuilder *out, const char *type)
{
  g_autoptr (GBytes) item = jank_otlp_steal (END ());
  gsize n_bytes;
  const char *bytes = g_bytes_get_data (item, &n_bytes);
  char *envelope = g_strdup_printf ("{}\n{\"type\":\"%s\",\"length\":%lu}\n%s\n", type, (gulong) n_bytes, bytes);

  return g_bytes_new_take (envelope, strlen (envelope));
}

static GBytes *
jank_sentry_log_report (const JankSendStyle *style, JankReport *report, guint64 n_told, const char *extension)
{
  g_autoptr (JsonBuilder) out = json_builder_new ();
  g_autofree char *id = jank_sentry_make_id (style, report->id);

  BEGIN (NULL);
  TEXT ("event_id", id);
  jank_otlp_double (out, "timestamp",
                    ((double) report->stall.began_real_us * 1000 + (double) report->stall.duration_ns) / JANK_NS_PER_S);
  TEXT ("platform", "native");
  TEXT ("level", levels[report->stall.severity]);
  TEXT ("logger", "jankwatch");
  jank_sentry_facts (out, style, report, n_told, extension);
  TEXT ("environment", "production"); /* Sentry's default */
  jank_sentry_exception (out, report, style->is_brief);
  if (!style->is_brief)
    jank_sentry_threads (out, report);
  jank_sentry_images (out, report, style->is_brief);
  return jank_sentry_end (out, "event");
}

static GBytes *
jank_sentry_log_process (const JankSendStyle *style, const JankSessionSummary *process, const char *key)
{
  g_autoptr (JsonBuilder) out = json_builder_new ();
  g_autofree char *id = jank_sentry_make_id (style, key);
  g_autofree char *began = jank_json_time_to_text (process->began_real_us);

  BEGIN (NULL);
  TEXT ("sid", id);
  TEXT ("did", style->identity);
  BOOL ("init", TRUE);
  TEXT ("started", began);
  TEXT ("timestamp", began);
  jank_otlp_double (out, "duration", (double) process->hangs.watched_ns / JANK_NS_PER_S);
  TEXT ("status", "exited");
  INT ("errors", (gint64) process->hangs.n_hangs);
  BEGIN ("attrs");
  jank_sentry_release (out, process->app.name, process->app.version);
  END ();
  return jank_sentry_end (out, "session");
}

const JankProtocol jank_protocol_sentry = {
  .path = "",
  .type = "application/x-sentry-envelope",
  .log_report = jank_sentry_log_report,
  .log_process = jank_sentry_log_process,
};

char *
jank_sentry_find_url (GUri *dsn, char ***ret_headers)
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
