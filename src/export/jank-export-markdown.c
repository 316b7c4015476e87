/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* For an issue tracker: what a maintainer asks for first, in fewer than 60 lines. Names from a report stand in code, where
 * nothing is markup, a mention or a link. */

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
  const JankReport *report = made->report;
  g_autofree char *program = report->app.id != NULL ? g_strdup_printf ("%s (%s)", made->program, report->app.id)
                                                    : g_strdup (made->program);
  g_autofree char *toolkit = describe_toolkit (report), *repeats = describe_repeats (report);
  g_autofree char *frames = report->frame_clock != NULL ? jank_text_frames (report->frame_clock) : NULL;

  g_string_append (out, "| | |\n| --- | --- |\n");
  add_fact (out, "Program", program);
  add_fact (out, "Toolkit", toolkit);
  add_fact (out, "Culprit", made->culprit);
  add_fact (out, "Source", jank_text_or_empty (report->source.name));
  add_fact (out, "Repeated", repeats);
  add_fact (out, "Frames", frames != NULL ? frames : "");
  add_fact (out, "Report", report->id);
  add_fact (out, "Written by", "jankwatch " JANK_VERSION);
}

/* Of the samples that share the depth outermost calls with path, the heaviest next one; self_ns: of those that end. */
static gint64
find_heaviest (const JankExportReport *report, const GArray *path, guint *ret_function, gint64 *ret_self_ns)
{
  g_autoptr (GHashTable) times = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  gint64 best_ns = 0;

  *ret_self_ns = 0;
  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankExportSample *sample = &g_array_index (report->samples, JankExportSample, i);
      const GArray *stack = g_ptr_array_index (report->stacks, sample->stack);
      gint64 length_ns = sample->to_ns - sample->from_ns;
      guint n = 0;
      gint64 *time_ns;
      gpointer key;

      while (n < path->len && n < stack->len && g_array_index (stack, JankExportCall, n).function == g_array_index (path, guint, n))
        n++;
      if (n < path->len)
        continue;
      if (stack->len == n)
        {
          *ret_self_ns += length_ns;
          continue;
        }
      key = GUINT_TO_POINTER (g_array_index (stack, JankExportCall, n).function + 1);
      time_ns = g_hash_table_lookup (times, key);
      if (time_ns == NULL)
        g_hash_table_insert (times, key, time_ns = g_new0 (gint64, 1));
      *time_ns += length_ns;
      if (*time_ns > best_ns)
        {
          best_ns = *time_ns;
          *ret_function = GPOINTER_TO_UINT (key) - 1;
        }
    }
  return best_ns;
}

typedef struct
{
  gint64 total_ns, self_ns;
} PathTime;

/* The heaviest path, innermost first; what is furthest out is left out first. */
static void
add_path (GString *out, const JankExport *self, const JankExportReport *report)
{
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (PathTime));
  gint64 sum_ns = 0, total_ns, self_ns;
  guint function = 0;

  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankExportSample *sample = &g_array_index (report->samples, JankExportSample, i);

      sum_ns += sample->to_ns - sample->from_ns;
    }
  while ((total_ns = find_heaviest (report, path, &function, &self_ns)) > sum_ns / 20)
    {
      PathTime time = { total_ns, 0 };

      if (times->len > 0)
        g_array_index (times, PathTime, times->len - 1).self_ns = self_ns;
      g_array_append_val (path, function);
      g_array_append_val (times, time);
    }
  if (path->len == 0)
    return;
  g_array_index (times, PathTime, times->len - 1).self_ns = self_ns;

  g_string_append (out, "\nHeaviest path, innermost first:\n\n~~~~~~~~\n share   self  function\n");
  for (guint i = path->len; i > 0 && i + MAX_CALLS > path->len; i--)
    {
      const JankExportFunction *place = g_ptr_array_index (self->functions, g_array_index (path, guint, i - 1));
      const PathTime *time = &g_array_index (times, PathTime, i - 1);
      g_autofree char *base = place->module[0] != '\0' ? g_path_get_basename (place->module) : NULL;
      g_autofree char *name = g_utf8_substring (place->name, 0, MIN (g_utf8_strlen (place->name, -1), MAX_NAME));

      g_string_append_printf (out, " %4.0f %% %4.0f %%  %s%s%s%s\n", 100.0 * (double) time->total_ns / (double) sum_ns,
                              100.0 * (double) time->self_ns / (double) sum_ns, name, base != NULL ? " (" : "",
                              base != NULL ? base : "", base != NULL ? ")" : "");
    }
  if (path->len > MAX_CALLS)
    g_string_append_printf (out, "                … and %u calls further out\n", path->len - MAX_CALLS);
  g_string_append (out, "~~~~~~~~\n");
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
      add_path (out, self, worst);
      add_waits (out, self, worst);
      add_others (out, reports);
    }
  return g_string_free_to_bytes (out);
}

const JankExportFormat jank_export_markdown = {
  "markdown", N_("For an issue tracker; always as with --redact"), JANK_EXPORT_FOR_OTHERS, make,
};
