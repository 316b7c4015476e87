/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GitLab's Code Quality report, which merge requests show beside the lines that changed. */

#include "export/jank-export-private.h"

#include <glib/gi18n-lib.h>

#include "json/jank-json-text-private.h"

/* A problem without a line is at the beginning of its program: GitLab wants a place. */
static void
add_entry (GString *out, const JankExport *self, const JankExportReport *made)
{
  static const char *const severities[] = { "minor", "major", "critical", "blocker" };
  const JankReport *report = made->report;
  const char *severity = jank_report_kind_is_stall (report->kind) ? severities[report->stall.severity] : "major";
  g_autofree char *path = self->root != NULL ? jank_export_source_find (self->root, report->culprit.file) : NULL;
  g_autofree char *check = g_strdup_printf ("jankwatch-%s", jank_report_kind_to_nick (report->kind));

  jank_json_put (out, "{'description':%s,'check_name':%s,'fingerprint':%s,'severity':%s,"
                      "'location':{'path':%s,'lines':{'begin':%li}}}", made->title, check,
                 report->fingerprint != NULL ? report->fingerprint : report->id, severity,
                 path != NULL ? path : made->program, path != NULL ? MAX ((glong) report->culprit.line, 1) : 1);
}

static GBytes *
jank_export_gitlab_make (const JankExport *self, GError **error)
{
  g_autoptr (GArray) problems = jank_export_list_problems (self);
  GString *out = g_string_new ("[");

  for (guint i = 0; i < problems->len; i++)
    add_entry (out, self, g_array_index (problems, JankExportProblem, i).longest);
  jank_json_put (out, "]");
  return g_string_free_to_bytes (out);
}

const JankExportFormat jank_export_gitlab = {
  "gitlab", N_("Code Quality report for GitLab"), 0, jank_export_gitlab_make,
};
