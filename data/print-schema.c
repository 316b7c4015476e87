/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Prints the JSON schema whose name is argv[1], made of the tables of fields; runs while jankwatch is built. */

#include <stdio.h>

#include <json-glib/json-glib.h>

#include "store/jank-session-private.h"

typedef struct
{
  const JankTable *table;
  const char      *title, *id, *words;
} Schema;

static const Schema schemas[] = {
  { &jank_report_table, "jankwatch report, version 1", JANK_REPORT_SCHEMA,
    "One stall of a main loop. Times are integers in nanoseconds, shares are numbers from 0 to 1. Fields without data "
    "are left out. Readers ignore names that they do not know and refuse another major version." },
  { &jank_session_summary_table, "jankwatch session, version 1", JANK_SESSION_SCHEMA,
    "What one `jankwatch run` saw. Each observed process keeps a file of its own (with `pid`, `began` and `app`); "
    "`jankwatch run --json` writes their sum (with `command`, `exit_status` and `processes`). Times are integers in "
    "nanoseconds. Readers ignore names that they do not know and refuse another major version." },
};
static const char *const session_file[] = { "pid", "began", "app", NULL };
static const char *const session_summary[] = { "command", "exit_status", "processes", NULL };

static void add_object (JsonBuilder *builder, const JankTable *table, const Schema *schema, guint flags);
static void add_element (JsonBuilder *builder, const JankField *field, const Schema *schema);

static void
add_text (JsonBuilder *builder, const char *name, const char *text)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, text);
}

static void
add_int (JsonBuilder *builder, const char *name, gint64 n)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, n);
}

/* The words, and what type and name say. */
static void
add_words (JsonBuilder *builder, const JankField *field, const char *words)
{
  g_autoptr (GString) text = g_string_new (words);
  gboolean is_int = field->type == JANK_INT;

  if (is_int && g_str_has_suffix (field->name, "_ns") && strstr (words, "Nanoseconds") == NULL)
    g_string_append (text, " Nanoseconds.");
  else if (is_int && g_str_has_suffix (field->name, "_bytes"))
    g_string_append (text, " Bytes.");
  else if (field->type == JANK_NUMBER && g_str_has_suffix (field->name, "share"))
    g_string_append (text, " Share, 0 to 1.");
  else if (field->type == JANK_TIME)
    g_string_append (text, " RFC 3339, local time with its offset, to the microsecond.");
  else if (field->type == JANK_INDEX || (field->into != NULL && words == field->element))
    g_string_append_printf (text, " Index into `%s`.", field->into);
  add_text (builder, "description", text->str);
}

static void
add_bounds (JsonBuilder *builder, const JankField *field)
{
  gboolean not_empty = (field->flags & JANK_OMIT_EMPTY) != 0;

  if (field->type == JANK_INDEX || (field->type == JANK_INT && !(field->flags & JANK_SIGNED)))
    add_int (builder, "minimum", not_empty ? 1 : 0);
  else if (field->type == JANK_NUMBER)
    add_int (builder, not_empty ? "exclusiveMinimum" : "minimum", 0);
  else if (field->type == JANK_TIME)
    add_text (builder, "format", "date-time");
  if ((field->type == JANK_NUMBER || field->type == JANK_INT) && field->max > 0 && field->max < G_MAXINT64)
    add_int (builder, "maximum", field->max);
  if (field->type == JANK_VALUES)
    add_int (builder, "maxItems", field->max);
  if (field->pattern != NULL)
    add_text (builder, "pattern", field->pattern);
  if (field->nicks == NULL)
    return;
  json_builder_set_member_name (builder, "enum");
  json_builder_begin_array (builder);
  for (gint i = 0; i < field->max; i++)
    if (field->nicks[i] != NULL)
      json_builder_add_string_value (builder, field->nicks[i]);
  json_builder_end_array (builder);
}


static void
add_field (JsonBuilder *builder, const JankField *field, const Schema *schema)
{
  static const char *const types[] = {
    [JANK_STRING] = "string", [JANK_LETTERS] = "string", [JANK_NICK] = "string",
    [JANK_TIME] = "string", [JANK_INT] = "integer", [JANK_INDEX] = "integer", [JANK_NUMBER] = "number",
    [JANK_BOOLEAN] = "boolean", [JANK_ARRAY] = "array", [JANK_VALUES] = "array", [JANK_COLUMN] = "array",
    [JANK_INTS] = "array", [JANK_OBJECT] = "object", [JANK_POINTER] = "object",
  };

  json_builder_begin_object (builder);
  add_text (builder, "type", types[field->type]);
  add_words (builder, field, field->words);
  add_bounds (builder, field);
  if (g_str_equal (types[field->type], "array"))
    add_element (builder, field, schema);
  else if (g_str_equal (types[field->type], "object"))
    add_object (builder, field->table, schema, field->flags);
  json_builder_end_object (builder);
}

static void
add_element (JsonBuilder *builder, const JankField *field, const Schema *schema)
{
  json_builder_set_member_name (builder, "items");
  if (field->type == JANK_COLUMN)
    {
      add_field (builder, &field->table->fields[field->column], schema);
      return;
    }
  json_builder_begin_object (builder);
  add_text (builder, "type", field->type == JANK_INTS ? "integer" : "object");
  add_words (builder, field, field->element);
  if (field->type == JANK_INTS)
    add_int (builder, "minimum", 0);
  else
    add_object (builder, field->table, schema, 0);
  json_builder_end_object (builder);
}

/* An index is only where its array is. */
static gboolean
is_there (const JankField *field, const Schema *schema)
{
  const JankTable *root = schema->table;
  guint i = 0;

  while (i < root->n_fields && field->type == JANK_INDEX && !g_str_equal (root->fields[i].name, field->into))
    i++;
  return i < root->n_fields;
}

static void
add_properties (JsonBuilder *builder, const JankTable *table, const Schema *schema)
{
  for (guint i = 0; i < table->n_fields; i++)
    {
      const JankField *field = &table->fields[i];

      if (field->type == JANK_INLINE)
        add_properties (builder, field->table, schema);
      else if (is_there (field, schema))
        {
          json_builder_set_member_name (builder, field->name);
          add_field (builder, field, schema);
        }
    }
}

/* Whether every object of the table has the field. */
static gboolean
is_required (const JankField *field)
{
  if (field->flags & (JANK_OPTIONAL | JANK_OMIT_EMPTY | JANK_IF_FIRST))
    return FALSE;
  if (field->flags & JANK_REQUIRED)
    return TRUE;
  switch (field->type)
    {
    case JANK_STRING: case JANK_LETTERS:
      return (field->flags & JANK_NOT_NULL) != 0;
    case JANK_INDEX: case JANK_POINTER:
      return FALSE;
    case JANK_INT: /* what goes up to the largest may be above it */
      return field->fallback >= 0 && field->max < G_MAXINT64;
    case JANK_NUMBER:
      return field->fallback >= 0;
    case JANK_NICK:
      return field->nicks[0] != NULL;
    case JANK_BOOLEAN: case JANK_TIME: case JANK_OBJECT: case JANK_INLINE: case JANK_ARRAY: case JANK_COLUMN:
    case JANK_VALUES: case JANK_INTS: default:
      return TRUE;
    }
}

/* flags: of the object's row */
static void
add_required (JsonBuilder *builder, const JankTable *table, guint flags)
{
  gboolean omitted = (flags & (JANK_OMIT_EMPTY | JANK_IF_FIRST)) != 0;

  for (guint i = 0; i < table->n_fields; i++)
    {
      const JankField *field = &table->fields[i];
      gboolean is_first = i == 0 && flags & JANK_IF_FIRST;

      if (field->type == JANK_INLINE && is_required (field))
        add_required (builder, field->table, 0);
      else if (field->type != JANK_INLINE && (is_first || (is_required (field) && !(omitted && flags & JANK_OPTIONAL))))
        json_builder_add_string_value (builder, field->name);
    }
}

static void
add_object (JsonBuilder *builder, const JankTable *table, const Schema *schema, guint flags)
{
  gboolean is_root = table == schema->table;

  json_builder_set_member_name (builder, "properties");
  json_builder_begin_object (builder);
  if (is_root)
    {
      json_builder_set_member_name (builder, "schema");
      json_builder_begin_object (builder);
      add_text (builder, "const", schema->id);
      add_text (builder, "description", "Name and major version of this format.");
      json_builder_end_object (builder);
    }
  add_properties (builder, table, schema);
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "required");
  json_builder_begin_array (builder);
  if (is_root)
    json_builder_add_string_value (builder, "schema");
  add_required (builder, table, flags);
  json_builder_end_array (builder);
}

static void
add_either (JsonBuilder *builder, const char *const *names)
{
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "required");
  json_builder_begin_array (builder);
  for (; *names != NULL; names++)
    json_builder_add_string_value (builder, *names);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

static void
add_schema (JsonBuilder *builder, const Schema *schema)
{
  g_autofree char *urn = g_strconcat ("urn:jankwatch:", schema->id, NULL);

  json_builder_begin_object (builder);
  add_text (builder, "$comment",
            "SPDX-FileCopyrightText: the jankwatch authors; SPDX-License-Identifier: LGPL-2.1-or-later");
  add_text (builder, "$schema", "https://json-schema.org/draft/2020-12/schema");
  add_text (builder, "$id", urn);
  add_text (builder, "title", schema->title);
  add_text (builder, "description", schema->words);
  add_text (builder, "type", "object");
  add_object (builder, schema->table, schema, 0);
  if (schema->table == &jank_session_summary_table)
    {
      json_builder_set_member_name (builder, "oneOf");
      json_builder_begin_array (builder);
      add_either (builder, session_file);
      add_either (builder, session_summary);
      json_builder_end_array (builder);
    }
  json_builder_end_object (builder);
}

int
main (int argc, char **argv)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *text = NULL;

  g_assert (argc == 2);
  for (guint i = 0; i < G_N_ELEMENTS (schemas); i++)
    if (g_str_equal (argv[1], schemas[i].id))
      add_schema (builder, &schemas[i]);
  root = json_builder_get_root (builder);
  text = json_to_string (root, TRUE);
  puts (text);
  return 0;
}
