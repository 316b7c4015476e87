/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Envelopes, as Sentry's own clients send app hangs. An event's ID comes from the report's, so a server that got it
 * twice has it once. A process that has ended is a session of its release's health. */

#include "send/jank-protocol-private.h"

#include <string.h>

#include "json/jank-json-private.h"
#include "text/jank-text-report-private.h"

/* All stalls that no function of the program is on the path of are one issue. */
#define PLATFORM_FINGERPRINT "jankwatch-platform"

static const char *const levels[] = { "info", "warning", "error", "fatal" }; /* by JankSeverity */

/* Returns: (transfer full): 32 hexadecimal digits */
static char *
jank_sentry_make_id (const char *identity, const char *key)
{
  g_autofree char *both = g_strconcat (identity, "-", key, NULL);

  return g_compute_checksum_for_string (G_CHECKSUM_MD5, both, -1);
}

/* "editor@1.2" */
static char *
jank_sentry_dup_release (const char *app, const char *version)
{
  return g_strdup_printf ("%s@%s", jank_text_or_empty (app),
                          version != NULL && *version != '\0' ? version : "unknown");
}

/* A GUID of the first 16 bytes, three parts of which are little-endian, as symbol servers know a file. */
static void
jank_sentry_debug_id (GString *out, const char *build_id)
{
  static const guint order[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
  g_autoptr (GString) text = g_string_new (NULL);

  if (strlen (build_id) < 2 * G_N_ELEMENTS (order))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    g_string_append_printf (text, "%s%.2s", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", build_id + 2 * order[i]);
  jank_json_put_text (out, "debug_id", text->str);
}

static void
jank_sentry_images (GString *out, JankReport *report)
{
  jank_json_put (out, "'debug_meta':{'images':[");
  JANK_EACH (const JankReportModule, module, report->modules)
    {
      if (module->build_id == NULL)
        continue;
      jank_json_put (out, "{'type':'elf','code_id':%s,'image_addr':'0x%lx'", module->build_id, module->base);
      jank_sentry_debug_id (out, module->build_id);
      jank_json_put_text (out, "code_file", module->path);
      jank_json_put (out, "}");
    }
  jank_json_put (out, "]}");
}

static void
jank_sentry_frame (GString *out, JankReport *report, guint at)
{
  const JankReportCall *call = jank_report_get_call (report, (gint) at);
  const JankReportModule *module = jank_report_get_module (report, call);
  guint64 base = module != NULL ? module->base : 0;
  g_autofree char *name = jank_report_call_to_text (report, at);

  jank_json_put (out, "{'function':%s,'in_app':%d", name, jank_report_is_own (report, call, NULL));
  jank_json_put_text (out, "filename", call->file);
  if (call->line > 0)
    jank_json_put (out, "'lineno':%li", (glong) call->line);
  jank_json_put_text (out, "package", module != NULL ? module->path : NULL);
  if (call->language == NULL)
    jank_json_put (out, "'instruction_addr':'0x%lx','symbol_addr':'0x%lx'", base + call->offset,
                   base + call->offset - call->symbol_offset);
  jank_json_put (out, "}");
}

/* Outermost first */
static void
jank_sentry_stack (GString *out, JankReport *report, gint index)
{
  const JankReportStack *stack = jank_report_get_stack (report, index);

  if (stack == NULL || stack->calls->len == 0)
    return;
  jank_json_put (out, "'stacktrace':{'frames':[");
  for (guint i = stack->calls->len; i > 0; i--)
    jank_sentry_frame (out, report, g_array_index (stack->calls, guint, i - 1));
  jank_json_put (out, "]}");
}

static void
jank_sentry_threads (GString *out, JankReport *report)
{
  jank_json_put (out, "'threads':{'values':[");
  JANK_EACH (const JankReportThread, thread, report->threads)
    {
      jank_json_put (out, "{'id':%li,'current':%d,'main':%d", (glong) thread->tid, thread->observed, thread->observed);
      jank_json_put_text (out, "name", thread->name);
      jank_sentry_stack (out, report, thread->observed ? report->heaviest.stack : thread->stack);
      jank_json_put (out, "}");
    }
  jank_json_put (out, "]}");
}

static void
jank_sentry_exception (GString *out, JankReport *report)
{
  g_autofree char *headline = jank_text_headline (report);

  jank_json_put (out, "'exception':{'values':[{'type':'App Hanging','value':%s", headline);
  if (report->threads->len > 0)
    jank_json_put (out, "'thread_id':%li", (glong) ((JankReportThread *) g_ptr_array_index (report->threads, 0))->tid);
  jank_json_put (out, "'mechanism':{'type':'AppHang','handled':%d,'synthetic':true}",
                 report->stall.outcome == JANK_OUTCOME_RECOVERED);
  jank_sentry_stack (out, report, report->heaviest.stack);
  jank_json_put (out, "}]}");
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
jank_sentry_facts (GString *out, const char *identity, JankReport *report, guint64 n_told, const char *extension)
{
  const char *fingerprint = report->fingerprint != NULL ? report->fingerprint : report->id;
  g_autofree char *release = jank_sentry_dup_release (report->app.name, report->app.version);

  jank_json_put (out, "'release':%s,'user':{'id':%s},'fingerprint':[%s]", release, identity,
                 jank_sentry_is_own (report) ? fingerprint : PLATFORM_FINGERPRINT);
  jank_json_put (out, "'extra':{'duration_s':%g,'count':%li}", (double) report->stall.duration_ns / JANK_NS_PER_S,
                 (glong) n_told);
  jank_json_put (out, "'tags':{'report':%s,'kind':%s,'severity':%s", report->id,
                 jank_report_kind_to_nick (report->kind), jank_severity_to_nick (report->stall.severity));
  jank_json_put_text (out, "fingerprint", report->fingerprint);
  jank_json_put_text (out, "toolkit", report->toolkit.version);
  jank_json_put_text (out, "extension", extension);
  jank_json_put (out, "}");
}

/* Takes out. Returns: (transfer full): an envelope of it */
static GBytes *
jank_sentry_end (GString *out, const char *type)
{
  g_autofree char *head = g_strdup_printf ("{}\n{\"type\":\"%s\",\"length\":%lu}\n", type, (gulong) out->len);

  return g_string_free_to_bytes (g_string_append_c (g_string_prepend (out, head), '\n'));
}

static GBytes *
jank_sentry_log_report (const char *identity, JankReport *report, guint64 n_told, const char *extension)
{
  g_autofree char *id = jank_sentry_make_id (identity, report->id);
  GString *out = g_string_new (NULL);

  /* The environment is Sentry's default. */
  jank_json_put (out, "{'event_id':%s,'timestamp':%g,'platform':'native','level':%s,'logger':'jankwatch',"
                      "'environment':'production'", id,
                 ((double) report->stall.began_real_us * 1000 + (double) report->stall.duration_ns) / JANK_NS_PER_S,
                 levels[report->stall.severity]);
  jank_sentry_facts (out, identity, report, n_told, extension);
  jank_sentry_exception (out, report);
  jank_sentry_threads (out, report);
  jank_sentry_images (out, report);
  jank_json_put (out, "}");
  return jank_sentry_end (out, "event");
}

static GBytes *
jank_sentry_log_process (const char *identity, const JankSessionSummary *process, const char *key)
{
  g_autofree char *id = jank_sentry_make_id (identity, key), *began = jank_json_time_to_text (process->began_real_us);
  g_autofree char *release = jank_sentry_dup_release (process->app.name, process->app.version);
  GString *out = g_string_new (NULL);

  jank_json_put (out, "{'sid':%s,'did':%s,'init':true,'started':%s,'timestamp':%s,'duration':%g,'status':'exited',"
                      "'errors':%li,'attrs':{'release':%s}}", id, identity, began, began,
                 (double) process->hangs.watched_ns / JANK_NS_PER_S, (glong) process->hangs.n_hangs, release);
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
