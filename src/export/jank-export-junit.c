/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For GitLab, Jenkins and whatever else shows tests: a test each check, and each problem. A problem fails where no
 * limit says what may be. Valid by the schemas of Ant and of Jenkins. */

#include "export/jank-export-private.h"

#include <glib/gi18n-lib.h>

#include "json/jank-json-private.h"

/* What XML cannot say even as &#27;. Returns: (transfer full) */
static char *
escape (const char *text)
{
  g_autoptr (GString) legal = g_string_new (NULL);

  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      gboolean is_legal = (c >= 0x20 && c != 0x7f && c != 0xfffe && c != 0xffff) || c == '\t' || c == '\n';

      g_string_append_unichar (legal, is_legal ? c : 0xfffd);
    }
  return g_markup_escape_text (legal->str, -1);
}

static void
append (GString *out, const char *before, const char *text, const char *after)
{
  g_autofree char *escaped = escape (text);

  g_string_append_printf (out, "%s%s%s", before, escaped, after);
}

/* element (nullable): what tells that the test did not pass. */
static void
append_test (GString *out, const char *group, const char *name, gint64 time_ns, const char *element,
             const char *message, const char *text)
{
  char seconds[G_ASCII_DTOSTR_BUF_SIZE];

  append (out, "<testcase classname=\"", group, "\" name=\"");
  append (out, "", name, "\" time=\"");
  append (out, "", g_ascii_formatd (seconds, sizeof seconds, "%.3f", (double) time_ns / JANK_NS_PER_S),
          element != NULL ? "\">" : "\"/>\n");
  if (element == NULL)
    return;
  g_string_append_printf (out, "<%s type=\"jankwatch\" message=\"", element);
  append (out, "", message, "\">");
  append (out, "", text, "</");
  g_string_append_printf (out, "%s></testcase>\n", element);
}

/* The name is the same for the next build. */
static void
append_problem (GString *out, const JankExport *self, const JankExportProblem *problem)
{
  const JankExportReport *made = problem->longest;
  const char *fingerprint = made->report->fingerprint;
  g_autofree char *name = g_strconcat (jank_report_kind_to_nick (made->report->kind), made->culprit[0] != '\0'
                                       ? ": " : "",
                                       made->culprit, fingerprint != NULL ? ", " : "", jank_text_or_empty (fingerprint),
                                       NULL);
  g_autofree char *text = jank_export_make_brief (self, made, NULL);

  append_test (out, made->program, name, problem->total_ns, self->has_limits ? NULL : "failure", made->title, text);
}

static guint
count_checks (const JankExport *self, JankExportResult result)
{
  guint n = 0;

  for (guint i = 0; self->checks != NULL && i < self->checks->len; i++)
    n += ((JankExportCheck *) g_ptr_array_index (self->checks, i))->result == result;
  return n;
}

static void
append_head (GString *out, const JankExport *self, const GArray *problems)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autoptr (GDateTime) began = self->began_real_ns > 0
                                ? g_date_time_new_from_unix_utc (self->began_real_ns / JANK_NS_PER_S) : NULL;
  g_autofree char *time = g_date_time_format (began != NULL ? began : now, "%Y-%m-%dT%H:%M:%S");
  guint n_failures = count_checks (self, JANK_EXPORT_FAILED) + (self->has_limits ? 0 : problems->len);
  gint64 total_ns = 0;
  char seconds[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < problems->len; i++)
    jank_json_sum (&total_ns, g_array_index (problems, JankExportProblem, i).total_ns);
  g_string_append_printf (
    out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite id=\"0\" package=\"jankwatch\" "
         "name=\"jankwatch\" hostname=\"localhost\" timestamp=\"%s\" tests=\"%u\" failures=\"%u\" errors=\"%u\" "
         "time=\"%s\">\n"
    "<properties><property name=\"jankwatch\" value=\"" JANK_VERSION "\"/></properties>\n",
    time, problems->len + (self->checks != NULL ? self->checks->len : 0), n_failures,
    count_checks (self, JANK_EXPORT_CANNOT_TELL),
    g_ascii_formatd (seconds, sizeof seconds, "%.3f", (double) total_ns / JANK_NS_PER_S));
}

static GBytes *
jank_export_junit_make (const JankExport *self, GError **error)
{
  static const char *const elements[] = { NULL, "failure", "error" };
  GString *out = g_string_new (NULL);
  g_autoptr (GArray) problems = jank_export_list_problems (self);
  const JankExportProblem *first = problems->len > 0 ? &g_array_index (problems, JankExportProblem, 0) : NULL;
  /* The worst problem, for a limit. */
  g_autofree char *worst = first != NULL ? jank_export_make_brief (self, first->longest, problems) : g_strdup ("");

  append_head (out, self, problems);
  JANK_EACH (const JankExportCheck, check, self->checks)
    {
      append_test (out, "jankwatch", check->name, 0, elements[check->result], check->text,
                   check->result == JANK_EXPORT_FAILED ? worst : "");
    }
  for (guint i = 0; i < problems->len; i++)
    append_problem (out, self, &g_array_index (problems, JankExportProblem, i));
  append (out, "<system-out>", self->has_limits ? worst : "",
          "</system-out>\n<system-err/>\n</testsuite>\n</testsuites>\n");
  return g_string_free_to_bytes (out);
}

const JankExportFormat jank_export_junit = {
  "junit", N_("Test results, for GitLab, Jenkins and others"), 0, jank_export_junit_make,
};
