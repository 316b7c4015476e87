/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* SARIF 2.1.0, for code scanning and editors: a result each problem, at the culprit's line, with the heaviest path
 * as its code flow. The fingerprint is the problem's own, which outlives a build and lines that move. */

#include "export/jank-export-format-private.h"

#include <glib/gi18n-lib.h>

#include "export/jank-export-facts-private.h"
#include "export/jank-export-source-private.h"
#include "export/jank-export-variant-private.h"

static const struct { const char *nick, *words; } rules[JANK_N_REPORT_KINDS] = {
  [JANK_REPORT_STALL] = { "stall", N_("The main loop did not turn, so the program did not react.") },
  [JANK_REPORT_STARTUP] = { "startup", N_("The program took long to start its main loop.") },
  [JANK_REPORT_FRAME] = { "frame", N_("Frames were missing.") },
  [JANK_REPORT_SPIN] = { "spin", N_("The main loop turned without waiting.") },
  [JANK_REPORT_CPU] = { "cpu", N_("The program kept computing.") },
  [JANK_REPORT_INPUT] = { "input", N_("The program answered the user late, though no single callback was slow.") },
  [JANK_REPORT_DUMP] = { "dump", N_("Somebody asked what the program did.") },
};

static GVariant *
make_rules (void)
{
  GVariantBuilder builder;

  jank_export_array_init (&builder);
  for (guint i = 0; i < JANK_N_REPORT_KINDS; i++)
    jank_export_array_add (&builder,
      "{'id': <%s>, 'shortDescription': <{'text': %s}>, 'fullDescription': <{'text': %s}>, 'help': <{'text': %s}>}",
      rules[i].nick, _(rules[i].words), _(rules[i].words), _("“jankwatch show” with the report's ID says more."));
  return g_variant_builder_end (&builder);
}

/* A place in the repository, or elsewhere by its whole path. file (nullable); line 0: unknown. Returns: (transfer
 * floating) (nullable) */
static GVariant *
make_place (const JankExport *self, const char *file, guint line)
{
  g_autofree char *found = self->root != NULL && line > 0 ? jank_export_source_find (self->root, file) : NULL;
  const char *path = found != NULL ? found : jank_text_or_empty (file);
  g_autofree char *escaped = g_uri_escape_string (path, "/", FALSE), *uri = NULL;
  GVariant *artifact;

  if (*path == '\0')
    return NULL;
  uri = g_strconcat (*path == '/' ? "file://" : "", escaped, NULL);
  artifact = *path == '/' ? g_variant_new_parsed ("{'uri': %s}", uri)
                          : g_variant_new_parsed ("{'uri': %s, 'uriBaseId': '%SRCROOT%'}", uri);
  return line > 0 ? g_variant_new_parsed ("{'artifactLocation': <%*>, 'region': <{'startLine': %u}>}", artifact, line)
                  : g_variant_new_parsed ("{'artifactLocation': <%*>}", artifact);
}

/* place: (transfer floating) (nullable). Returns: (transfer floating) */
static GVariant *
make_location (GVariant *place, const char *function, const char *message)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  if (place != NULL)
    g_variant_builder_add (&builder, "{sv}", "physicalLocation", place);
  if (function[0] != '\0')
    g_variant_builder_add_parsed (&builder, "{'logicalLocations', <[{'name': %s, 'kind': 'function'}]>}", function);
  if (message != NULL)
    g_variant_builder_add_parsed (&builder, "{'message', <{'text': %s}>}", message);
  return g_variant_builder_end (&builder);
}

/* GitHub wants a file: without a line it is the program's. */
static GVariant *
make_culprit (const JankExport *self, const JankExportReport *made)
{
  const JankReport *report = made->report;
  gboolean has_line = report->culprit.file != NULL && report->culprit.line > 0;
  GVariant *place = make_place (self, has_line ? report->culprit.file : report->app.exe, has_line
                                ? report->culprit.line : 0);

  return make_location (place, made->culprit, NULL);
}

/* Outermost first. Returns: (transfer floating) (nullable): no stack is known */
static GVariant *
make_code_flow (const JankExport *self, JankReport *report)
{
  g_autoptr (JankNamedStacks) names = jank_named_stacks_new (report);
  g_autoptr (GArray) rows = jank_text_heaviest (names), path = jank_text_path (report, rows);
  GVariantBuilder builder;

  if (path->len == 0)
    return NULL;
  jank_export_array_init (&builder);
  for (guint i = path->len; i > 0; i--)
    {
      const JankTextStep *step = &g_array_index (path, JankTextStep, i - 1);
      const JankNamedCall *call = step->row->call;
      g_autofree char *share = jank_text_share (step->row->step.share);
      g_autofree char *message = step->row->step.share > 0
                                 ? g_strdup_printf ("%s: %s", call->name, share) : g_strdup (call->name);

      jank_export_array_add (&builder, "{'location': <%*>, 'importance': <%s>}",
                             make_location (make_place (self, call->line > 0 ? call->file : NULL, call->line),
                                            call->name, message),
                             step->row->is_culprit ? "essential" : step->is_folded ? "unimportant" : "important");
    }
  return g_variant_new_parsed ("{'threadFlows': <[{'locations': <%*>}]>}", g_variant_builder_end (&builder));
}

static GVariant *
make_result (const JankExport *self, const JankExportProblem *problem)
{
  const JankExportReport *made = problem->longest;
  JankReport *report = made->report;
  GVariant *flow = make_code_flow (self, report);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add_parsed (&builder, "{'ruleId', <%s>}", rules[report->kind].nick);
  g_variant_builder_add_parsed (&builder, "{'ruleIndex', <%i>}", (gint) report->kind);
  g_variant_builder_add_parsed (&builder, "{'level', <%s>}", jank_export_get_level (report));
  g_variant_builder_add_parsed (&builder, "{'message', <{'text': %s}>}", made->title);
  g_variant_builder_add_parsed (&builder, "{'locations', <[%*]>}", make_culprit (self, made));
  if (report->fingerprint != NULL)
    g_variant_builder_add_parsed (&builder, "{'partialFingerprints', <{'jankwatch/v1': %s}>}", report->fingerprint);
  if (flow != NULL)
    g_variant_builder_add_parsed (&builder, "{'codeFlows', <[%*]>}", flow);
  g_variant_builder_add_parsed (&builder, "{'occurrenceCount', <%x>}", (gint64) MIN (problem->count, G_MAXINT32));
  g_variant_builder_add_parsed (&builder, "{'properties', <{'durationNs': <%x>, 'totalNs': <%x>, 'report': <%s>}>}",
                                report->stall.duration_ns, problem->total_ns, report->id);
  return g_variant_builder_end (&builder);
}

static GBytes *
jank_export_sarif_make (const JankExport *self, GError **error)
{
  g_autoptr (GArray) problems = jank_export_list_problems (self);
  GVariantBuilder results;

  jank_export_array_init (&results);
  for (guint i = 0; i < problems->len; i++)
    g_variant_builder_add (&results, "v", make_result (self, &g_array_index (problems, JankExportProblem, i)));
  return jank_export_to_json (g_variant_new_parsed (
    "{'$schema': <'https://json.schemastore.org/sarif-2.1.0.json'>, 'version': <'2.1.0'>, 'runs': <[{'tool': "
    "<{'driver': <{'name': <'jankwatch'>, 'version': <%s>, 'rules': <%*>}>}>, 'results': <%*>}]>}",
    JANK_VERSION, make_rules (), g_variant_builder_end (&results)));
}

const JankExportFormat jank_export_sarif = {
  "sarif", N_("SARIF 2.1.0, for code scanning and editors"), 0, jank_export_sarif_make,
};
