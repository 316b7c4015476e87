/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One page that holds everything it needs. Its policy lets only this style and this script run, by their hashes, and
 * nothing be loaded; what a report says is JSON in which no tag can begin or end. */

#include "config.h"

#include "export/jank-export-format-private.h"

#include <string.h>

#include <gio/gio.h>
#include <glib/gi18n-lib.h>

#include "export/jank-export-facts-private.h"
#include "export/jank-export-html-resources.h"
#include "export/jank-export-variant-private.h"

/* What the page says itself. */
static const struct { const char *key, *text; } words[] = {
  { "all", N_("All samples") }, { "all_problems", N_("All problems") }, { "all_small", N_("merged") },
  { "problems", N_("Problems") }, { "timeline", N_("Timeline") }, { "flame", N_("Flame graph") },
  { "functions", N_("Heaviest functions") }, { "function", N_("Function") }, { "self", N_("self") }, { "total", N_("total") },
  { "threads", N_("Threads in the middle of it") }, { "thread", N_("Thread") }, { "doing", N_("Doing") },
  { "innermost", N_("Innermost call") }, { "waits", N_("Waits") }, { "late", N_("Late frames") }, { "length", N_("Length") },
  { "search", N_("Search functions") }, { "reset", N_("Show all") }, { "of_program", N_("of the program") },
  { "of_platform", N_("of the platform") }, { "unknown", N_("not known") }, { "no_samples", N_("No stack was read.") },
  { "no_reports", N_("There is no report.") },
};

static GVariant *
make_words (const JankExport *self)
{
  GVariantBuilder builder;
  guint n = self->reports->len;
  g_autofree char *summary = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u problem", "%u problems", n), n);
  g_autofree char *redacted = self->redacted ? g_strdup_printf (_("%s, private data left out"), summary) : NULL;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{ss}"));
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    g_variant_builder_add (&builder, "{ss}", words[i].key, _(words[i].text));
  g_variant_builder_add (&builder, "{ss}", "summary", redacted != NULL ? redacted : summary);
  return g_variant_builder_end (&builder);
}

static GVariant *
make_functions (const JankExport *self)
{
  GVariantBuilder builder;

  jank_export_array_init (&builder);
  for (guint i = 0; i < self->functions->len; i++)
    {
      const JankExportFunction *function = g_ptr_array_index (self->functions, i);

      jank_export_array_add (&builder, "[<%s>, <%s>, <%s>, <%b>]", function->name, function->module, function->file,
                             function->platform);
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
make_programs (const JankExport *self)
{
  GVariantBuilder builder;

  jank_export_array_init (&builder);
  for (guint i = 0; i < self->processes->len; i++)
    {
      const JankExportProcess *process = g_ptr_array_index (self->processes, i);
      GVariantBuilder marks;

      jank_export_array_init (&marks);
      for (guint j = 0; j < process->marks->len; j++)
        {
          const JankExportMark *mark = g_ptr_array_index (process->marks, j);

          jank_export_array_add (&marks, "[<%i>, <%x>, <%x>, <%s>]", (gint) mark->kind, mark->from_ns, mark->to_ns, mark->text);
        }
      jank_export_array_add (&builder, "{'name': <%s>, 'marks': <%*>}", process->program, g_variant_builder_end (&marks));
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
make_facts (const JankExportReport *made)
{
  g_autoptr (GPtrArray) facts = jank_export_list_facts (made);
  GVariantBuilder builder;

  jank_export_array_init (&builder);
  for (guint i = 0; i < facts->len; i++)
    {
      const JankExportFact *fact = g_ptr_array_index (facts, i);

      jank_export_array_add (&builder, "[%s, %s]", fact->label, fact->text);
    }
  return g_variant_builder_end (&builder);
}

/* As the page's own list of states has them. */
static gint
state_number (JankThreadState state)
{
  switch (state)
    {
    case JANK_STATE_COMPUTING:  return 0;
    case JANK_STATE_PREEMPTED:  return 1;
    case JANK_STATE_PAGE_FAULT: return 2;
    case JANK_STATE_BLOCKED:    return 3;
    default:                    return 4;
    }
}

static GVariant *
make_report (const JankExportReport *made)
{
  const JankReport *report = made->report;
  GVariantBuilder stacks, samples, threads;

  jank_export_array_init (&stacks);
  for (guint i = 0; i < made->stacks->len; i++)
    g_variant_builder_add (&stacks, "v", jank_export_functions (g_ptr_array_index (made->stacks, i)));
  jank_export_array_init (&samples);
  for (guint i = 0; i < made->samples->len; i++)
    {
      const JankExportSample *sample = &g_array_index (made->samples, JankExportSample, i);
      const JankReportSample *read = g_ptr_array_index (report->samples, i);

      jank_export_array_add (&samples, "[<%x>, <%x>, <%u>, <%i>, <%s>]", sample->from_ns, sample->to_ns, sample->stack,
                             state_number (read->state), sample->state);
    }
  jank_export_array_init (&threads);
  for (guint i = 0; i < made->threads->len; i++)
    {
      const JankExportThread *thread = g_ptr_array_index (made->threads, i);

      jank_export_array_add (&threads, "[<%s>, <%s>, <%i>]", thread->name, thread->doing, thread->stack);
    }
  return g_variant_new_parsed (
    "{'id': <%s>, 'title': <%s>, 'name': <%s>, 'program': <%u>, 'kind': <%s>, 'severity': <%s>, 'culprit': <%s>,"
    " 'began': <%x>, 'length': <%x>, 'duration': <%x>, 'repeats': <%u>, 'facts': <%*>, 'stacks': <%*>, 'samples': <%*>, 'threads': <%*>}",
    report->id, made->title, made->program, made->process, jank_report_kind_to_nick (report->kind),
    jank_severity_to_nick (report->stall.severity), made->culprit, made->began_ns, made->length_ns, report->stall.duration_ns, report->repeats.count,
    make_facts (made), g_variant_builder_end (&stacks), g_variant_builder_end (&samples), g_variant_builder_end (&threads));
}

/* JSON in which an HTML parser finds nothing: "<" and "&" stand in strings alone. */
static char *
make_data (const JankExport *self, const char *lang)
{
  GVariantBuilder reports;
  g_autoptr (GBytes) json = NULL;
  GString *text;

  jank_export_array_init (&reports);
  for (guint i = 0; i < self->reports->len; i++)
    g_variant_builder_add (&reports, "v", make_report (g_ptr_array_index (self->reports, i)));
  json = jank_export_to_json (g_variant_new_parsed (
    "{'lang': <%s>, 'began_ms': <%d>, 'length': <%x>, 'words': <%*>, 'functions': <%*>, 'programs': <%*>, 'reports': <%*>}",
    lang, (double) self->began_real_ns / JANK_NS_PER_MS, self->length_ns, make_words (self), make_functions (self),
    make_programs (self), g_variant_builder_end (&reports)));
  text = g_string_new_len (g_bytes_get_data (json, NULL), (gssize) g_bytes_get_size (json));
  g_string_replace (text, "<", "\\u003c", 0);
  g_string_replace (text, ">", "\\u003e", 0);
  g_string_replace (text, "&", "\\u0026", 0);
  return g_string_free (text, FALSE);
}

static char *
load (const char *name)
{
  g_autofree char *path = g_strconcat ("/export/", name, NULL);
  g_autoptr (GBytes) bytes = g_resource_lookup_data (jank_export_html_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  g_assert (bytes != NULL);
  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

/* As a content security policy has it. */
static char *
hash (const char *text)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 digest[32];
  gsize n = sizeof digest;

  g_checksum_update (checksum, (const guchar *) text, -1);
  g_checksum_get_digest (checksum, digest, &n);
  return g_base64_encode (digest, n);
}

/* "de" of "de_DE.UTF-8"; what a browser must understand. */
static char *
find_language (void)
{
  const char *name = g_get_language_names ()[0];
  gsize n = strspn (name, G_CSET_a_2_z);

  return n == 2 || n == 3 ? g_strndup (name, n) : g_strdup ("en");
}

static GBytes *
jank_export_html_make (const JankExport *self, GError **error)
{
  g_autofree char *page = load ("page.html"), *style = load ("page.css"), *script = load ("page.js");
  g_autofree char *style_hash = hash (style), *script_hash = hash (script), *lang = find_language ();
  g_autofree char *data = make_data (self, lang);
  const struct { const char *name, *value; } parts[] = {
    { "LANG", lang }, { "STYLE_HASH", style_hash }, { "SCRIPT_HASH", script_hash }, { "STYLE", style }, { "SCRIPT", script },
    { "DATA", data },
  };
  g_auto (GStrv) pieces = g_strsplit (page, "@", -1); /* every other one is a part's name */
  GString *out = g_string_new (NULL);

  for (guint i = 0; pieces[i] != NULL; i++)
    {
      const char *piece = pieces[i];

      for (guint j = 0; i % 2 == 1 && j < G_N_ELEMENTS (parts); j++)
        if (strcmp (parts[j].name, pieces[i]) == 0)
          piece = parts[j].value;
      g_string_append (out, piece);
    }
  return g_string_free_to_bytes (out);
}

const JankExportFormat jank_export_html = {
  "html", N_("A page for a web browser"), 0, jank_export_html_make,
};
