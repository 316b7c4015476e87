/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A report's samples as pprof, as Pyroscope's HTTP API takes them: the body is the file of the export format. */

#include "send/jank-protocol-private.h"

#include "export/jank-export-format-private.h"

/* In names and labels; others are separators, or none of Pyroscope's. */
#define LETTERS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-./"

static const char *
jank_protocol_pprof_get_type (const JankSendStyle *style)
{
  return "application/octet-stream";
}

/* No smaller form makes sense. */
static GBytes *
jank_protocol_pprof_log_report (const JankSendStyle *style, JankReport *report, guint64 n_told, const char *extension)
{
  g_autoptr (GPtrArray) reports = g_ptr_array_new ();
  g_autoptr (JankExport) export = NULL;

  if (style->detail != JANK_DETAIL_PROFILE || report->samples->len == 0)
    return NULL;
  g_ptr_array_add (reports, report);
  /* It is as redacted as it is to be. */
  export = jank_export_new (reports, FALSE, FALSE);
  return jank_export_format_find ("pprof")->make (export, NULL);
}

static GBytes *
jank_protocol_pprof_make_body (const JankSendStyle *style, const GPtrArray *items)
{
  return g_bytes_ref (((JankItem *) g_ptr_array_index (items, 0))->record);
}

/* Returns: (transfer full) */
static char *
jank_protocol_pprof_clean (const char *text)
{
  return g_strcanon (g_strdup (*text != '\0' ? text : "unknown"), LETTERS, '_');
}

static char *
jank_protocol_pprof_dup_query (const JankItem *item)
{
  g_autofree char *app = jank_protocol_pprof_clean (item->series.app);
  g_autofree char *version = jank_protocol_pprof_clean (item->series.version);
  g_autofree char *fingerprint = jank_protocol_pprof_clean (item->series.fingerprint);
  g_autofree char *name = g_strdup_printf ("%s{service_version=%s,fingerprint=%s}", app, version, fingerprint);
  g_autofree char *escaped = g_uri_escape_string (name, NULL, FALSE);
  gint64 from_s = item->from_us / G_USEC_PER_SEC;

  return g_strdup_printf ("?name=%s&format=pprof&from=%" G_GINT64_FORMAT "&until=%" G_GINT64_FORMAT
                          "&spyName=jankwatch", escaped, from_s, MAX (from_s, item->to_us / G_USEC_PER_SEC) + 1);
}

const JankProtocol *
jank_protocol_pprof_get (void)
{
  static const JankProtocol protocol = {
    .max_records = 1,
    .path = "/ingest",
    .get_type = jank_protocol_pprof_get_type,
    .log_report = jank_protocol_pprof_log_report,
    .dup_query = jank_protocol_pprof_dup_query,
    .make_body = jank_protocol_pprof_make_body,
  };

  return jank_export_format_find ("pprof") != NULL ? &protocol : NULL;
}
