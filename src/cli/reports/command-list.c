/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch list`: prints the store's reports, newest first, as a table or as JSON. Only reads. */

#include "cli/cli.h"

#include <string.h>

#include <glib/gi18n.h>

#include "json/jank-field-json-private.h"
#include "cli/table.h"
#include "text/jank-text-report-private.h"

#define N_ROWS 20

static const char *const command_list_orders[] = { "time", "length", "count", "total", "program", "culprit", NULL };

/* The fields whose highest number or first text comes first in them. Equals stay newest first. */
static const char *const order_fields[] = { NULL, "duration_ns", "count", "total_ns", "app", "culprit" };
G_STATIC_ASSERT (G_N_ELEMENTS (order_fields) + 1 == G_N_ELEMENTS (command_list_orders));

static int
compare_field_cb (gconstpointer a, gconstpointer b, gpointer data)
{
  const JankField *field = data;
  const char *x = *(const char *const *) a + field->offset, *y = *(const char *const *) b + field->offset;
  gint64 n, m;

  if (field->type == JANK_STRING)
    return g_strcmp0 (*(char *const *) (gconstpointer) x, *(char *const *) (gconstpointer) y);
  n = jank_field_get_int (field, x);
  m = jank_field_get_int (field, y);
  return (n < m) - (n > m);
}

static void
sort_rows (GPtrArray *rows, guint order, gboolean reverse)
{
  for (guint k = 0; order_fields[order] != NULL && k < jank_row_table.n_fields; k++)
    if (strcmp (jank_row_table.fields[k].name, order_fields[order]) == 0)
      g_ptr_array_sort_with_data (rows, compare_field_cb, (gpointer) &jank_row_table.fields[k]);
  for (guint k = 0; reverse && k < rows->len / 2; k++)
    {
      gpointer row = rows->pdata[k];

      rows->pdata[k] = rows->pdata[rows->len - 1 - k];
      rows->pdata[rows->len - 1 - k] = row;
    }
}

/* The row as it is, but tags are an object. */
static void
print_json (GPtrArray *rows)
{
  JsonArray *array = json_array_new ();
  g_autoptr (JsonNode) node = json_node_init_array (json_node_alloc (), array);

  JANK_EACH (const JankRow, row, rows)
    {
      JsonNode *element = jank_table_to_node (&jank_row_table, row);
      JsonObject *object = json_node_get_object (element);
      g_auto (GStrv) tags = g_strsplit (row->tags != NULL ? row->tags : "", "\n", -1);

      json_object_remove_member (object, "lengths");
      json_object_set_object_member (object, "tags", json_object_new ());
      for (guint k = 0; tags[k] != NULL; k++)
        {
          char *equals = strchr (tags[k], '=');

          if (equals == NULL)
            continue;
          *equals = '\0';
          jank_json_add_text (json_object_get_object_member (object, "tags"), tags[k], equals + 1);
        }
      json_array_add_element (array, element);
    }
  json_array_unref (array);
  cli_print_json (node);
}

/* Returns: (transfer full): severity or kind, and the outcome unless the program recovered */
static char *
severity_text (const JankRow *row)
{
  const char *word = jank_text_kinds[row->kind].word;
  const char *severity = word != NULL ? g_dpgettext2 (NULL, "kind", word)
                         : row->deadlock ? C_("kind", "deadlock") : jank_text_severity (row->severity);
  g_autoptr (GString) text = NULL;

  if (row->outcome == JANK_OUTCOME_RECOVERED)
    return g_strdup (severity);
  text = g_string_new (severity);
  jank_text_append_item (text, jank_text_outcome (row->outcome));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* What tells a report from those of other processes. */
static const char *
get_end (const JankRow *row)
{
  return jank_store_is_id (row->id) ? row->id + strlen ("20261121-153012-") : row->id;
}

static void
add_row (CliTable *table, const JankRow *row, const JankTextStyle *style, gboolean is_short)
{
  g_autofree char *culprit = jank_row_dup_culprit (row);

  cli_table_take (table, cli_time (row->began_us, style));
  cli_table_take (table, jank_text_duration (row->duration_ns));
  cli_table_take (table, row->count == 1 ? g_strdup (style->ascii ? "1x" : "1×")
                                         : g_strdup_printf (style->ascii ? "%ux" : "%u×", row->count));
  cli_table_take (table, severity_text (row));
  cli_table_take (table, g_strdup (jank_text_or_empty (row->app)));
  cli_table_take (table, g_steal_pointer (&culprit));
  cli_table_take (table, g_strdup (is_short ? get_end (row) : row->id));
}

/* Whether the ends of the IDs are enough for `show`, and needed. */
static gboolean
are_ends_enough (GPtrArray *rows, const JankTextStyle *style)
{
  g_autoptr (GHashTable) ends = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < rows->len; i++)
    g_hash_table_add (ends, (gpointer) get_end (g_ptr_array_index (rows, i)));
  return style->n_columns < CLI_WIDE_COLUMNS && g_hash_table_size (ends) == rows->len;
}

static void
print_table (GPtrArray *rows)
{
  static const CliColumn columns[] = {
    { NC_("column", "When"), FALSE, 60, 0 },
    { NC_("column", "Length"), TRUE, 0, 0 },
    { "", TRUE, 70, 0 },
    { NC_("column", "Severity"), FALSE, 90, 0 },
    { NC_("column", "Program"), FALSE, 50, 8 },
    { NC_("column", "Culprit"), FALSE, 0, 12 },
    { NC_("column", "Report"), FALSE, 0, 0 },
  };
  JankTextStyle style = cli_table_style ();
  g_autoptr (CliTable) table = cli_table_new (columns, G_N_ELEMENTS (columns));

  gboolean is_short = are_ends_enough (rows, &style);

  for (guint i = 0; i < rows->len; i++)
    add_row (table, g_ptr_array_index (rows, i), &style, is_short);
  cli_table_print (table);
}

int
command_list (int argc, char **argv)
{
  gboolean json = FALSE, reverse = FALSE, redact = FALSE, all = FALSE;
  guint n_more;
  gint at;
  g_autofree char *folder = NULL, *order = NULL;
  const GOptionEntry entries[] = {
    { "sort", 0, 0, G_OPTION_ARG_STRING, &order,
      N_("Sort by “time” (newest first), “length”, “count”, “total”, “program” or “culprit”"), N_("COLUMN") },
    { "all", 0, 0, G_OPTION_ARG_NONE, &all, N_("Print more than the first 20 rows"), NULL },
    { "reverse", 0, 0, G_OPTION_ARG_NONE, &reverse, N_("Print the last row first"), NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print a JSON array"), NULL },
    { "redact", 0, 0, G_OPTION_ARG_NONE, &redact,
      N_("Remove private data (paths, peers, titles) before sharing"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &folder, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (JankFilter) filter = jank_filter_new ();
  g_auto (CliReports) reports = { 0 };
  GPtrArray *rows;
  g_autoptr (GError) error = NULL;

  if (!cli_begin (&argc, &argv, NULL, 0, entries, filter, _("Lists recorded stalls, newest first.")))
    return CLI_USAGE;
  at = order != NULL ? cli_find_word (command_list_orders, order) : 0;
  if (at < 0)
    return cli_fail_word ("list", order, command_list_orders, _("Cannot sort by ‘%s’"), order);

  if (!cli_reports_find (&reports, folder, filter, &error))
    return cli_fail (error);
  rows = reports.rows;
  sort_rows (rows, (guint) at, reverse);
  n_more = !all && !json && rows->len > N_ROWS ? rows->len - N_ROWS : 0;
  g_ptr_array_set_size (rows, (gint) (rows->len - n_more));
  cli_name_culprits (reports.store, rows);
  if (redact)
    cli_redact (rows, NULL);
  if (json)
    print_json (rows);
  else if (rows->len > 0)
    print_table (rows);
  else
    cli_warn_none (reports.store, filter);
  if (n_more > 0)
    cli_warn (g_dngettext (GETTEXT_PACKAGE, "%u more report; --all shows it", "%u more reports; --all shows them",
                           n_more),
              n_more);
  return CLI_FINE;
}
