/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For an issue tracker: what a maintainer asks for first, in fewer than 60 lines. Names from a report stand in code,
 * where nothing is markup, a mention or a link. */

#include "export/jank-export-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#define MAX_PROBLEMS  6
#define STACK_COLUMNS 110
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
add_facts (GString *out, const JankExportReport *made)
{
  g_autoptr (GPtrArray) facts = jank_export_list_facts (made);

  g_string_append (out, "| | |\n| --- | --- |\n");
  JANK_EACH (const JankExportFact, fact, facts)
    {
      g_autofree char *text = code (fact->text);

      g_string_append_printf (out, "| %s | %s |\n", fact->label, text);
    }
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

      if (mark->kind != JANK_EXPORT_WAIT || mark->from_ns < report->began_ns ||
          mark->to_ns > report->began_ns + report->length_ns)
        continue;
      g_string_append_printf (out, "%s- %s: %s\n", n++ == 0 ? "\nWaits:\n\n" : "", length, text);
    }
}

/* The longest first. */
static void
add_others (GString *out, const GArray *problems)
{
  if (problems->len < 2)
    return;
  g_string_append (out, "\nOther problems:\n\n| length | times | culprit | what |\n| ---: | ---: | --- | --- |\n");
  for (guint i = 1; i < problems->len && i < MAX_PROBLEMS; i++)
    {
      const JankExportProblem *problem = &g_array_index (problems, JankExportProblem, i);
      const JankExportReport *made = problem->longest;
      g_autofree char *length = jank_text_duration (made->report->stall.duration_ns);
      g_autofree char *culprit = made->culprit[0] != '\0' ? code (made->culprit) : g_strdup ("");

      g_string_append_printf (out, "| %s | %" G_GUINT64_FORMAT " | %s | %s |\n", length, problem->count, culprit,
                              jank_report_kind_to_nick (made->report->kind));
    }
  if (problems->len > MAX_PROBLEMS)
    g_string_append_printf (out, "\n… and %u more\n", problems->len - MAX_PROBLEMS);
}

static GBytes *
jank_export_markdown_make (const JankExport *self, GError **error)
{
  GString *out = g_string_new (NULL);
  g_autoptr (GArray) problems = jank_export_list_problems (self);

  if (problems->len == 0)
    g_string_append (out, "No report\n");
  else
    {
      const JankExportReport *worst = g_array_index (problems, JankExportProblem, 0).longest;
      g_autofree char *length = jank_text_duration (worst->report->stall.duration_ns);
      g_autofree char *title = code (worst->title);
      const JankTextStyle style = { .n_columns = STACK_COLUMNS, .native = self->native, .brief = TRUE };
      g_autoptr (GString) stack = g_string_new (NULL);

      g_string_append_printf (out, "### %s (%s)\n\n%s\n\n", length, jank_report_kind_to_nick (worst->report->kind),
                              title);
      add_facts (out, worst);
      jank_text_add_stack (stack, worst->report, &style);
      if (stack->len > 0)
        g_string_append_printf (out, "\n~~~~~~~~%s~~~~~~~~\n", stack->str);
      add_waits (out, self, worst);
      add_others (out, problems);
      g_string_append (out, "\nFound with jankwatch " JANK_VERSION "\n");
    }
  return g_string_free_to_bytes (out);
}

const JankExportFormat jank_export_markdown = {
  "markdown", N_("For an issue tracker, with private data removed"), JANK_EXPORT_FOR_OTHERS, jank_export_markdown_make,
};
