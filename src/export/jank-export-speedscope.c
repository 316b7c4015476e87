/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For https://www.speedscope.app: a profile a report, in nanoseconds. Time in which nobody looked is an empty stack. */

#include "export/jank-export-private.h"

#include <glib/gi18n-lib.h>

#include "json/jank-json-text-private.h"

/* stack (nullable) */
static void
add_sample (GString *samples, GString *weights, const GArray *stack, gint64 length_ns)
{
  jank_json_put (samples, "[");
  for (guint i = 0; stack != NULL && i < stack->len; i++)
    jank_json_put (samples, "%li", (glong) g_array_index (stack, JankExportCall, i).function);
  jank_json_put (samples, "]");
  jank_json_put (weights, "%li", length_ns);
}

static void
add_profile (GString *out, const JankExportReport *report)
{
  g_autoptr (GString) samples = g_string_new (NULL), weights = g_string_new (NULL);
  gint64 at_ns = 0;

  JANK_EACH_IN (const JankExportSample, sample, report->samples)
    {
      if (sample->from_ns > at_ns)
        add_sample (samples, weights, NULL, sample->from_ns - at_ns);
      add_sample (samples, weights, g_ptr_array_index (report->stacks, sample->stack),
                  sample->to_ns - sample->from_ns);
      at_ns = sample->to_ns;
    }
  jank_json_put (out, "{'type':'sampled','name':%s,'unit':'nanoseconds','startValue':0,'endValue':%li,'samples':[",
                 report->title, MAX (report->length_ns, at_ns));
  g_string_append_printf (out, "%s],\"weights\":[%s]}", samples->str, weights->str);
}

static GBytes *
jank_export_speedscope_make (const JankExport *self, GError **error)
{
  GString *out = g_string_new (NULL);

  jank_json_put (out, "{'$schema':'https://www.speedscope.app/file-format-schema.json','exporter':%s,"
                      "'name':'jankwatch','activeProfileIndex':0,'shared':{'frames':[", "jankwatch " JANK_VERSION);
  JANK_EACH (const JankExportFunction, function, self->functions)
    {
      jank_json_put (out, "{'name':%s", function->name);
      jank_json_put_text (out, "file", function->file[0] != '\0' ? function->file : function->module);
      jank_json_put (out, "}");
    }
  jank_json_put (out, "]},'profiles':[");
  for (guint i = 0; i < self->reports->len; i++)
    add_profile (out, g_ptr_array_index (self->reports, i));
  jank_json_put (out, "]}");
  return g_string_free_to_bytes (out);
}

const JankExportFormat jank_export_speedscope = {
  "speedscope", N_("For speedscope"), 0, jank_export_speedscope_make,
};
