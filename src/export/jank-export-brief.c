/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For a person in a hurry, or a language model: the worst problem in at most 1,500 tokens, whatever a report says,
 * and a line for each of some others. */

#include "export/jank-export-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/jank-text-clean-private.h"

#define STACK_COLUMNS  80
#define MAX_OTHERS     6
#define MAX_LINE_BYTES 280
#define MAX_CODE_BYTES 100
/* Of the 1,500, some are for the end. */
#define MAX_UNITS      (6 * 1350)

typedef struct
{
  GString *out;
  guint    n_units; /* sixths of a token that are left */
} Brief;

/* More than two tokenizers of language models (cl100k, o200k) make of random letters, signs and other scripts; they
 * make half as many of ordinary text. */
static guint
count_units (const char *text)
{
  guint n = 0;

  for (; *text != '\0'; text++)
    n += *text == ' ' ? 1 : g_ascii_isalnum (*text) ? 4 : 5;
  return n;
}

/* lines: each is cut; those that there is no room for are left out. */
static void
add_lines (Brief *self, const char *lines)
{
  g_auto (GStrv) all = g_strsplit (lines, "\n", -1);

  for (guint i = 0; all[i] != NULL && (all[i][0] != '\0' || all[i + 1] != NULL); i++)
    {
      g_autofree char *line = jank_text_cut (all[i], MAX_LINE_BYTES);
      guint n = count_units (line) + 6;

      if (n > self->n_units)
        continue;
      self->n_units -= n;
      g_string_append_printf (self->out, "%s\n", line);
    }
}

static void
add_facts (Brief *self, const JankExportReport *made)
{
  g_autoptr (GPtrArray) facts = jank_export_list_facts (made);

  JANK_EACH (const JankExportFact, fact, facts)
    {
      g_autofree char *line = g_strdup_printf (_("%s: %s"), fact->label, fact->text);

      add_lines (self, line);
    }
}

static void
add_source (Brief *self, const JankExport *export, const JankReport *report)
{
  g_autofree char *path = export->redacted ? NULL : jank_export_source_find (export->root, report->culprit.file);
  g_autofree char *lines = path != NULL && jank_export_source_is_quotable (export->root, path, report)
                           ? jank_export_source_lines (export->root, path, report->culprit.line, MAX_CODE_BYTES) : NULL;
  g_autofree char *text = lines != NULL ? g_strdup_printf ("\n%s:\n%s", path, lines) : NULL;

  if (text != NULL)
    add_lines (self, text);
}

static void
add_others (Brief *self, const GArray *problems)
{
  for (guint i = 1; i < problems->len && i < MAX_OTHERS; i++)
    {
      const JankExportProblem *problem = &g_array_index (problems, JankExportProblem, i);
      const JankReport *report = problem->longest->report;
      g_autofree char *length = jank_text_duration (report->stall.duration_ns);
      g_autofree char *line = NULL;

      if (i == 1)
        add_lines (self, "\n");
      line = g_strdup_printf ("%s × %" G_GUINT64_FORMAT ": %s, %s", length, problem->count,
                              problem->longest->culprit[0] != '\0'
                                ? problem->longest->culprit : problem->longest->title, report->id);
      add_lines (self, line);
    }
}

char *
jank_export_make_brief (const JankExport *export, const JankExportReport *made, const GArray *problems)
{
  const JankTextStyle style = { .n_columns = STACK_COLUMNS, .native = export->native, .brief = TRUE };
  g_autoptr (GString) stack = g_string_new (NULL);
  Brief self = { g_string_new (NULL), MAX_UNITS };

  add_lines (&self, made->title);
  add_facts (&self, made);
  add_source (&self, export, made->report);
  jank_text_add_stack (stack, made->report, &style);
  add_lines (&self, stack->str);
  if (problems != NULL)
    add_others (&self, problems);
  /* Translators: %s is an ID; the rest are commands. */
  g_string_append_printf (self.out, _("\nMore: jankwatch show %s\n"), made->report->id);
  if (problems != NULL && problems->len > 1)
    g_string_append_printf (self.out, _("All %u problems: jankwatch summary\n"), problems->len);
  return g_string_free (self.out, FALSE);
}

static GBytes *
jank_export_brief_make (const JankExport *self, GError **error)
{
  g_autoptr (GArray) problems = jank_export_list_problems (self);
  char *text = problems->len == 0 ? g_strconcat (_("There is no report."), "\n", NULL)
                                  : jank_export_make_brief (self, g_array_index (problems, JankExportProblem,
                                                                                 0).longest, problems);

  return g_bytes_new_take (text, strlen (text));
}

const JankExportFormat jank_export_brief = {
  "brief", N_("At most 1,500 tokens, for a person in a hurry or a language model"), 0, jank_export_brief_make,
};
