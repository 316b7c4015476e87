/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For an issue tracker: what a maintainer asks for first, in fewer than 60 lines. Names from a report stand in code,
 * where nothing is markup, a mention or a link. */

#include "config.h"

#include "export/jank-export-format-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "text/jank-text-report-private.h"

#define MAX_REPORTS   6
#define MAX_CALLS     20
#define MAX_WAITS     3
/* A name may be longer than anybody reads. */
#define MAX_NAME      240

/* Within more backquotes than the text has in a row. Returns: (transfer full) */
static char *
code (const char *text)
{
  g_autofree char *cut = g_utf8_substring (text, 0, MIN (g_utf8_strlen (text, -1), MAX_NAME));
  g_auto (GStrv) parts = g_strsplit (cut, "|", -1); /* ends a cell even in code */
  g_autofree char *safe = g_strjoinv ("¦", parts);
  g_autoptr (GString) quotes = g_string_new ("`");

  while (strstr (safe, quotes->str) != NULL)
    g_string_append_c (quotes, '`');
  return quotes->len > 1 || safe[0] == '\0' ? g_strdup_printf ("%s %s %s", quotes->str, safe, quotes->str)
                                            : g_strdup_printf ("`%s`", safe);
}

static void
add_fact (GString *out, const char *label, const char *value)
{
  g_autofree char *quoted = code (value);

  if (value[0] != '\0')
    g_string_append_printf (out, "| %s | %s |\n", label, quoted);
}

static char *
describe_toolkit (const JankReport *report)
{
  const char *const parts[] = { report->toolkit.version, report->toolkit.backend, report->toolkit.renderer };
  GString *text = g_string_new (report->toolkit.name);

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (parts[i] != NULL)
      g_string_append_printf (text, " %s", parts[i]);
  return g_string_free (text, FALSE);
}

static char *
describe_repeats (const JankReport *report)
{
  g_autofree char *total = jank_text_duration (report->repeats.total_ns);
  g_autofree char *p95 = jank_text_duration (report->repeats.p95_ns);

  return report->repeats.count < 2 ? g_strdup ("")
                                   : g_strdup_printf ("%u times, %s in total, 19 of 20 at most %s", report->repeats.count, total, p95);
}

static void
add_facts (GString *out, const JankExportReport *made)
{
  JankReport *report = made->report;
  g_autofree char *advice = jank_text_advice (report);
  g_autofree char *program = report->app.id != NULL ? g_strdup_printf ("%s (%s)", made->program, report->app.id)
                                                    : g_strdup (made->program);
  g_autofree char *toolkit = describe_toolkit (report), *repeats = describe_repeats (report);
  g_autofree char *frames = report->frame_clock != NULL ? jank_text_frames (report->frame_clock) : NULL;

  g_string_append (out, "| | |\n| --- | --- |\n");
  add_fact (out, "Program", program);
  add_fact (out, "Toolkit", toolkit);
  add_fact (out, "Culprit", made->culprit);
  add_fact (out, "Instead", jank_text_or_empty (advice));
  add_fact (out, "Source", jank_text_or_empty (report->source.name));
  add_fact (out, "Repeated", repeats);
  add_fact (out, "Frames", frames != NULL ? frames : "");
  add_fact (out, "Report", report->id);
  add_fact (out, "Written by", "jankwatch " JANK_VERSION);
}

/* As `show` has it: blank where nobody knows. Not translated. */
static void
add_share (GString *out, double share)
{
  if (share >= 0.005)
    g_string_append_printf (out, " %3.0f %%", 100.0 * share);
  else
    g_string_append (out, "      ");
}

static void
add_branches (GString *out, JankNamedStacks *names)
{
  g_autoptr (GArray) branches = jank_text_branches (names);

  for (guint i = 0; i < branches->len; i++)
    {
      const JankTextBranch *branch = &g_array_index (branches, JankTextBranch, i);
      g_autofree char *text = code (branch->text), *time = jank_text_duration (branch->branch->time_ns);

      g_string_append_printf (out, "%s- %.0f %%, %s: %s\n", i == 0 ? "\nAlso at least a fifth of the time:\n\n" : "",
                              100.0 * branch->branch->step.share, time, text);
    }
}

/* The heaviest stack, innermost first; what is furthest out is left out first. */
static void
add_stack (GString *out, JankReport *report, gboolean native)
{
  g_autoptr (JankNamedStacks) names = jank_named_stacks_new (report);
  g_autoptr (GArray) rows = NULL;

  if (native)
    jank_named_stacks_keep_native (names);
  rows = jank_text_heaviest (names);
  if (rows->len == 0)
    return;
  g_string_append (out, "\nHeaviest stack, innermost first:\n\n~~~~~~~~\n share  self  function\n");
  for (guint i = 0; i < MIN (rows->len, MAX_CALLS); i++)
    {
      const JankTextRow *row = &g_array_index (rows, JankTextRow, i);
      g_autofree char *place = jank_text_place (row->call);
      g_autofree char *name = g_utf8_substring (row->call->name, 0, MIN (g_utf8_strlen (row->call->name, -1), MAX_NAME));

      add_share (out, row->step.share);
      add_share (out, row->step.self_share);
      g_string_append_printf (out, "  %s%s%s%s\n", name, *place != '\0' ? " (" : "", place, *place != '\0' ? ")" : "");
    }
  if (rows->len > MAX_CALLS)
    g_string_append_printf (out, "              … and %u calls further out\n", rows->len - MAX_CALLS);
  if (report->heaviest.stack != JANK_REPORT_NO_INDEX &&
      !((JankReportStack *) g_ptr_array_index (report->stacks, report->heaviest.stack))->complete)
    g_string_append (out, "              (callers not read)\n");
  g_string_append (out, "~~~~~~~~\n");
  add_branches (out, names);
}

static void
add_waits (GString *out, const JankExport *self, const JankExportReport *report)
{
  const JankExportProcess *process = g_ptr_array_index (self->processes, report->process);
  guint n = 0;

  for (guint i = 0; i < process->marks->len && n < MAX_WAITS; i++)
    {
      const JankExportMark *mark = g_ptr_array_index (process->marks, i);
      g_autofree char *text = code (mark->text), *length = jank_text_duration (mark->to_ns - mark->from_ns);

      if (mark->kind != JANK_EXPORT_WAIT || mark->from_ns < report->began_ns || mark->to_ns > report->began_ns + report->length_ns)
        continue;
      g_string_append_printf (out, "%s- %s: %s\n", n++ == 0 ? "\nWaits:\n\n" : "", length, text);
    }
}

static gint
compare_lengths (gconstpointer a, gconstpointer b)
{
  const JankExportReport *first = *(JankExportReport *const *) a, *second = *(JankExportReport *const *) b;

  gint64 a_ns = first->report->stall.duration_ns, b_ns = second->report->stall.duration_ns;

  return (b_ns > a_ns) - (b_ns < a_ns);
}

/* The longest first. */
static void
add_others (GString *out, GPtrArray *reports)
{
  if (reports->len < 2)
    return;
  g_string_append (out, "\nOther reports:\n\n| length | culprit | what |\n| ---: | --- | --- |\n");
  for (guint i = 1; i < reports->len && i < MAX_REPORTS; i++)
    {
      const JankExportReport *report = g_ptr_array_index (reports, i);
      g_autofree char *length = jank_text_duration (report->report->stall.duration_ns);
      g_autofree char *culprit = report->culprit[0] != '\0' ? code (report->culprit) : g_strdup ("");

      g_string_append_printf (out, "| %s | %s | %s |\n", length, culprit, jank_report_kind_to_nick (report->report->kind));
    }
  if (reports->len > MAX_REPORTS)
    g_string_append_printf (out, "\n… and %u more\n", reports->len - MAX_REPORTS);
}

static GBytes *
make (const JankExport *self, GError **error)
{
  GString *out = g_string_new (NULL);
  g_autoptr (GPtrArray) reports = g_ptr_array_new ();

  g_ptr_array_extend (reports, self->reports, NULL, NULL);
  g_ptr_array_sort (reports, compare_lengths);
  if (reports->len == 0)
    g_string_append (out, "No report\n");
  else
    {
      const JankExportReport *worst = g_ptr_array_index (reports, 0);
      g_autofree char *length = jank_text_duration (worst->report->stall.duration_ns);
      g_autofree char *title = code (worst->title);

      g_string_append_printf (out, "### %s (%s)\n\n%s\n\n", length, jank_report_kind_to_nick (worst->report->kind), title);
      add_facts (out, worst);
      add_stack (out, worst->report, self->native);
      add_waits (out, self, worst);
      add_others (out, reports);
    }
  return g_string_free_to_bytes (out);
}

const JankExportFormat jank_export_markdown = {
  "markdown", N_("For an issue tracker; always as with --redact"), JANK_EXPORT_FOR_OTHERS, make,
};
