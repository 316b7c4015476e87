/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The reports themselves, for scripts: JSON by the schema, a line a report. */

#include "export/jank-export-private.h"

#include <glib/gi18n-lib.h>

#include "report/jank-report-json-private.h"

static GBytes *
jank_export_json_make (const JankExport *self, GError **error)
{
  GString *out = g_string_new (NULL);

  JANK_EACH (const JankExportReport, report, self->reports)
    {
      g_autofree char *line = jank_report_generate_json (report->report, FALSE);

      g_string_append (out, line);
      g_string_append_c (out, '\n');
    }
  return g_string_free_to_bytes (out);
}

const JankExportFormat jank_export_json = {
  "json", N_("The stored reports, one JSON object per line"), 0, jank_export_json_make,
};
