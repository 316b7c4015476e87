/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For https://www.speedscope.app: a profile a report, in nanoseconds. Time in which nobody looked is an empty stack. */

#include "export/jank-export-format-private.h"

#include <glib/gi18n-lib.h>

#include "export/jank-export-variant-private.h"

/* stack (nullable) */
static void
add_sample (GVariantBuilder *samples, GArray *weights, const GArray *stack, gint64 length_ns)
{
  g_variant_builder_add (samples, "v", jank_export_functions (stack));
  g_array_append_val (weights, length_ns);
}

static GVariant *
make_profile (const JankExportReport *report)
{
  g_autoptr (GArray) weights = g_array_new (FALSE, FALSE, sizeof (gint64));
  GVariantBuilder samples;
  gint64 at_ns = 0;

  jank_export_array_init (&samples);
  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankExportSample *sample = &g_array_index (report->samples, JankExportSample, i);

      if (sample->from_ns > at_ns)
        add_sample (&samples, weights, NULL, sample->from_ns - at_ns);
      add_sample (&samples, weights, g_ptr_array_index (report->stacks, sample->stack),
                  sample->to_ns - sample->from_ns);
      at_ns = sample->to_ns;
    }
  return g_variant_new_parsed (
    "{'type': <'sampled'>, 'name': <%s>, 'unit': <'nanoseconds'>, 'startValue': <0>, 'endValue': <%x>,"
    " 'samples': <%*>, 'weights': <%*>}",
    report->title, MAX (report->length_ns, at_ns), g_variant_builder_end (&samples), jank_export_ints (weights));
}

static GBytes *
jank_export_speedscope_make (const JankExport *self, GError **error)
{
  GVariantBuilder frames, profiles;

  jank_export_array_init (&frames);
  for (guint i = 0; i < self->functions->len; i++)
    {
      const JankExportFunction *function = g_ptr_array_index (self->functions, i);
      const char *file = function->file[0] != '\0' ? function->file : function->module;

      if (file[0] != '\0')
        jank_export_array_add (&frames, "{'name': %s, 'file': %s}", function->name, file);
      else
        jank_export_array_add (&frames, "{'name': %s}", function->name);
    }
  jank_export_array_init (&profiles);
  for (guint i = 0; i < self->reports->len; i++)
    g_variant_builder_add (&profiles, "v", make_profile (g_ptr_array_index (self->reports, i)));

  return jank_export_to_json (g_variant_new_parsed (
    "{'$schema': <'https://www.speedscope.app/file-format-schema.json'>, 'exporter': <%s>, 'name': <'jankwatch'>,"
    " 'activeProfileIndex': <0>, 'shared': <{'frames': <%*>}>, 'profiles': <%*>}",
    "jankwatch " JANK_VERSION, g_variant_builder_end (&frames), g_variant_builder_end (&profiles)));
}

const JankExportFormat jank_export_speedscope = {
  "speedscope", N_("For speedscope"), 0, jank_export_speedscope_make,
};
