/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch list`: prints the store's reports, newest first, as a table or as JSON. Only reads. */

#include "config.h"

#include "cli.h"

#include <glib/gi18n.h>

#include "text/jank-source-lines-private.h"
#include "text/jank-text-report-private.h"
#include "symbols/jank-function-name-private.h"

#define N_COLUMNS 7
#define TIME_COLUMN 1
#define LENGTH_COLUMN 2
#define COUNT_COLUMN 3
#define MIN_LAST_COLUMNS 12
#define GAP 2
/* A narrower terminal shows no time: the ID has it. */
#define WIDE_COLUMNS 110
#define UNLIMITED_COLUMNS 10000

static void
print_json (GPtrArray *reports)
{
  JsonArray *array = json_array_new ();
  g_autoptr (JsonNode) node = json_node_init_array (json_node_alloc (), array);

  for (guint i = 0; i < reports->len; i++)
    {
      JankReport *report = g_ptr_array_index (reports, i);
      JsonObject *object = jank_json_append_object (array);

      jank_json_add_text (object, "id", report->id);
      jank_json_add_text (object, "kind", jank_report_kind_to_nick (report->kind));
      jank_json_add_text (object, "app", report->app.name);
      jank_json_add_time (object, "began", report->stall.began_real_us);
      jank_json_add_count (object, "duration_ns", report->stall.duration_ns);
      jank_json_add_text (object, "severity", jank_severity_to_nick (report->stall.severity));
      jank_json_add_text (object, "outcome", jank_outcome_to_nick (report->stall.outcome));
      jank_json_add_text (object, "culprit", report->culprit.function);
    }
  json_array_unref (array);
  cli_print_json (node);
}

/* Returns: (transfer full): severity or kind, and the outcome unless the program recovered */
static char *
severity_text (JankReport *report)
{
  const char *severity = report->kind == JANK_REPORT_SPIN    ? C_("kind", "spin")
                         : report->kind == JANK_REPORT_CPU   ? C_("kind", "CPU")
                         : report->kind == JANK_REPORT_FRAME ? C_("kind", "frame")
                         : report->locks.deadlock            ? C_("kind", "deadlock")
                                                 : jank_text_severity (report->stall.severity);
  g_autoptr (GString) text = g_string_new (severity);

  if (report->stall.outcome != JANK_OUTCOME_RECOVERED)
    jank_text_append_item (text, jank_text_outcome (report->stall.outcome));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Returns: (transfer full): the culprit; for a spin, the callback of the source that kept the loop from waiting */
static char *
get_culprit (JankReport *report)
{
  if (report->kind != JANK_REPORT_SPIN || report->source.callback == JANK_REPORT_NO_INDEX)
    return jank_function_name (report->culprit.function);
  return jank_text_function (report, (guint) report->source.callback);
}

/* Returns: (transfer full) of N_COLUMNS texts */
static GStrv
make_row (JankReport *report, const JankTextStyle *style)
{
  GStrv row = g_new0 (char *, N_COLUMNS + 1);
  g_autofree char *culprit = get_culprit (report);

  row[0] = jank_text_clean (report->id);
  row[1] = jank_text_time (report->stall.began_real_us);
  row[2] = jank_text_duration (report->stall.duration_ns);
  row[3] = report->repeats.count > 1 ? g_strdup_printf (style->ascii ? "%ux" : "%u×", report->repeats.count)
                                     : g_strdup ("");
  row[4] = severity_text (report);
  row[5] = jank_text_clean (report->app.name);
  row[6] = report->kind == JANK_REPORT_STARTUP ? g_strdup_printf (_("%s (start-up)"), culprit)
                                               : g_steal_pointer (&culprit);
  return row;
}

static GStrv
make_title (void)
{
  const char *const title[N_COLUMNS + 1] = {
    C_("column", "ID"), C_("column", "When"), C_("column", "Length"), "", C_("column", "Severity"),
    C_("column", "Program"), C_("column", "Culprit"), NULL,
  };

  return g_strdupv ((GStrv) title);
}

static void
append_row (GString *out, const JankTextStyle *style, GStrv row, const guint *widths, const char *sgr)
{
  guint column = 0;

  for (guint i = 0; i < N_COLUMNS; i++)
    {
      guint n_left = MAX (style->n_columns, column + MIN_LAST_COLUMNS) - column;

      if (widths[i] == 0)
        continue;
      if (i == LENGTH_COLUMN || i == COUNT_COLUMN)
        jank_text_append_right (out, style, row[i], widths[i], sgr);
      else
        jank_text_append_left (out, style, row[i], i < N_COLUMNS - 1 ? widths[i] : MIN (widths[i], n_left), sgr);
      jank_text_append (out, style, "  ", NULL);
      column += widths[i] + GAP;
    }
  jank_text_end_line (out);
}

static void
print_table (GPtrArray *reports)
{
  JankTextStyle style = cli_text_style (stdout, UNLIMITED_COLUMNS);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_autoptr (GString) out = g_string_new (NULL);
  guint widths[N_COLUMNS] = { 0 };

  g_ptr_array_add (rows, make_title ());
  for (guint i = 0; i < reports->len; i++)
    g_ptr_array_add (rows, make_row (g_ptr_array_index (reports, i), &style));

  for (guint i = 0; i < rows->len; i++)
    for (guint j = 0; j < N_COLUMNS; j++)
      widths[j] = MAX (widths[j], jank_text_width (((GStrv) g_ptr_array_index (rows, i))[j]));
  if (style.n_columns < WIDE_COLUMNS)
    widths[TIME_COLUMN] = 0;

  for (guint i = 0; i < rows->len; i++)
    append_row (out, &style, g_ptr_array_index (rows, i), widths, i == 0 ? JANK_TEXT_BOLD : NULL);
  g_print ("%s", out->str);
}

int
command_list (int argc, char **argv)
{
  gboolean json = FALSE;
  g_autofree char *folder = NULL;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print a JSON array"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &folder, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (GOptionContext) context = cli_option_context_new (
    "list", NULL, _("Lists the stalls that were recorded, newest first."), entries);
  g_autoptr (JankStore) store = NULL;
  g_autoptr (GPtrArray) reports = NULL;
  g_autoptr (JankSourceLines) lines = NULL;
  g_autoptr (GError) error = NULL;
  guint n_skipped = 0;

  if (!cli_parse (context, &argc, &argv))
    return CLI_USAGE;
  if (argc > 1)
    return cli_fail_usage ("list", _("Unexpected argument ‘%s’"), argv[1]);

  store = cli_open_store (folder, "jankwatch");
  reports = jank_store_list (store, &n_skipped, &error);
  if (reports == NULL)
    return cli_fail (error);

  lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
  for (guint i = 0; i < reports->len; i++)
    jank_source_lines_fill_culprit (lines, g_ptr_array_index (reports, i));

  if (n_skipped > 0)
    cli_warn (g_dngettext (GETTEXT_PACKAGE, "Left out %u file in ‘%s’ that is not a report of this version",
                           "Left out %u files in ‘%s’ that are not reports of this version", n_skipped),
              n_skipped, jank_store_get_folder (store));
  if (json)
    print_json (reports);
  else if (reports->len > 0)
    print_table (reports);
  else
    cli_warn (_("There is no report in ‘%s’"), jank_store_get_folder (store));
  return CLI_FINE;
}
