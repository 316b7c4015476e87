/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Workflow commands, which GitHub Actions and Forgejo find in the output of a step: an annotation each problem, and
 * each check that did not pass. */

#include "export/jank-export-private.h"

#include <glib/gi18n-lib.h>

#include "verdict/jank-verdict-private.h"

/* The first five in the text of a property, else the first three. */
static void
append_escaped (GString *out, const char *text, gboolean is_property)
{
  for (; *text != '\0'; text++)
    if (*text == '%' || *text == '\n' || *text == '\r' || (is_property && (*text == ':' || *text == ',')))
      g_string_append_printf (out, "%%%02X", (guint) *text);
    else
      g_string_append_c (out, *text);
}

/* file (nullable) */
static void
append_command (GString *out, const char *level, const char *title, const char *file, guint line, const char *message)
{
  g_string_append_printf (out, "::%s title=", level);
  append_escaped (out, title, TRUE);
  if (file != NULL)
    {
      g_string_append (out, ",file=");
      append_escaped (out, file, TRUE);
      g_string_append_printf (out, ",line=%u", MAX (line, 1));
    }
  g_string_append (out, "::");
  append_escaped (out, message, FALSE);
  g_string_append_c (out, '\n');
}

static const char *
get_level (const JankReport *report)
{
  return !jank_report_kind_is_stall (report->kind) || report->stall.severity == JANK_SEVERITY_MICROHANG ? "warning"
         : report->stall.severity == JANK_SEVERITY_MINOR ? "notice" : "error";
}

static void
append_problem (GString *out, const JankExport *self, const JankExportReport *made)
{
  JankReport *report = made->report;
  g_autofree char *file = self->root != NULL ? jank_export_source_find (self->root, report->culprit.file) : NULL;
  g_autofree char *title = g_strdup_printf ("jankwatch: %s", jank_report_kind_to_nick (report->kind));
  g_autofree char *advice = jank_verdict_get_advice (report);
  g_autofree char *message = advice != NULL ? g_strdup_printf (_("%s\nUse instead: %s"), made->title, advice)
                                            : g_strdup (made->title);

  append_command (out, get_level (report), title, file, report->culprit.line, message);
}

static GBytes *
jank_export_github_make (const JankExport *self, GError **error)
{
  GString *out = g_string_new (NULL);
  g_autoptr (GArray) problems = jank_export_list_problems (self);

  JANK_EACH (const JankExportCheck, check, self->checks)
    if (check->result != JANK_EXPORT_PASSED)
      append_command (out, "error", "jankwatch", NULL, 0, check->text);
  for (guint i = 0; i < problems->len; i++)
    append_problem (out, self, g_array_index (problems, JankExportProblem, i).longest);
  return g_string_free_to_bytes (out);
}

const JankExportFormat jank_export_github = {
  "github", N_("Annotations for GitHub Actions"), 0, jank_export_github_make,
};
