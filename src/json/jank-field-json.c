/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/jank-field-json-private.h"

#include <math.h>
#include <string.h>

#include "base/jank-text-clean-private.h"
#include "json/jank-json-private.h"

static JsonObject *jank_field_json_write_object (const JankTable *table, gconstpointer object);
static JsonNode *jank_field_json_write_value (const JankField *field, gconstpointer object);

static gboolean
jank_field_json_is_empty (const JankField *field, gconstpointer object)
{
  gconstpointer place = (const char *) object + field->offset;

  switch (field->type)
    {
    case JANK_STRING: case JANK_POINTER:
      return *(const gpointer *) place == NULL;
    case JANK_ARRAY: case JANK_COLUMN:
      return (*(GPtrArray *const *) place)->len == 0;
    case JANK_VALUES: case JANK_INTS:
      return *(GArray *const *) place == NULL || (*(GArray *const *) place)->len == 0;
    case JANK_LETTERS:
      return *(const char *) place == '\0' && !(field->flags & JANK_NOT_NULL);
    case JANK_NUMBER:
      return *(const double *) place == field->fallback;
    case JANK_OBJECT: case JANK_INLINE:
      for (guint i = 0; i < (field->flags & JANK_IF_FIRST ? 1 : field->table->n_fields); i++)
        if (!jank_field_json_is_empty (&field->table->fields[i], place))
          return FALSE;
      return TRUE;
    case JANK_INT: case JANK_INDEX: case JANK_BOOLEAN: case JANK_NICK: case JANK_TIME: default:
      return jank_field_get_int (field, place) == field->fallback;
    }
}

/* (nullable): text is */
static JsonNode *
jank_field_json_write_text (const JankField *field, const char *text)
{
  g_autofree char *clean = NULL;

  if (text == NULL || (*text == '\0' && field->flags & JANK_OMIT_EMPTY))
    return NULL;
  clean = jank_text_clean (text);
  return json_node_init_string (json_node_alloc (), clean);
}

static JsonNode *
jank_field_json_write_number (const JankField *field, double number)
{
  double max = field->max > 0 ? (double) field->max : G_MAXDOUBLE;

  if ((number < 0.0 && field->fallback < 0) || (number <= 0.0 && field->flags & JANK_OMIT_EMPTY))
    return NULL;
  return json_node_init_double (json_node_alloc (), isfinite (number) ? CLAMP (number, 0.0, max) : 0.0);
}

static JsonNode *
jank_field_json_write_int (const JankField *field, gint64 n)
{
  if ((n < 0 && !(field->flags & JANK_SIGNED)) || (n == 0 && field->flags & JANK_OMIT_EMPTY))
    return NULL;
  return json_node_init_int (json_node_alloc (), n);
}

static JsonNode *
jank_field_json_write_array (const JankField *field, gconstpointer place)
{
  const GPtrArray *pointers = *(GPtrArray *const *) place;
  const GArray *values = *(GArray *const *) place;
  gboolean of_pointers = field->type == JANK_ARRAY || field->type == JANK_COLUMN;
  guint n = of_pointers ? pointers->len : values->len;
  g_autoptr (JsonArray) array = json_array_sized_new (n);

  for (guint i = 0; i < n; i++)
    if (field->type == JANK_INTS)
      json_array_add_int_element (array, g_array_index (values, gint, i));
    else if (field->type == JANK_COLUMN)
      json_array_add_element (array,
                              jank_field_json_write_value (&field->table->fields[field->column], pointers->pdata[i]));
    else
      json_array_add_object_element (array, jank_field_json_write_object (field->table, of_pointers ? pointers->pdata[i]
                                                                          : values->data + i * field->table->size));
  return json_node_init_array (json_node_alloc (), array);
}

/* Returns: (transfer full) (nullable): left out */
static JsonNode *
jank_field_json_write_value (const JankField *field, gconstpointer object)
{
  gconstpointer place = (const char *) object + field->offset;
  g_autofree char *time = NULL;

  if (field->flags & (JANK_OMIT_EMPTY | JANK_IF_FIRST) && jank_field_json_is_empty (field, object))
    return NULL;
  switch (field->type)
    {
    case JANK_STRING:
      return jank_field_json_write_text (field, *(const char *const *) place);
    case JANK_LETTERS:
      return !jank_field_json_is_empty (field, object) ? jank_field_json_write_text (field, place) : NULL;
    case JANK_INT: case JANK_INDEX:
      return jank_field_json_write_int (field, jank_field_get_int (field, place));
    case JANK_NUMBER:
      return jank_field_json_write_number (field, *(const double *) place);
    case JANK_BOOLEAN:
      return json_node_init_boolean (json_node_alloc (), jank_field_get_int (field, place) != 0);
    case JANK_NICK:
      g_assert (jank_field_get_int (field, place) >= 0 && jank_field_get_int (field, place) < field->max);
      return jank_field_json_write_text (field, field->nicks[jank_field_get_int (field, place)]);
    case JANK_TIME:
      time = jank_json_time_to_text (*(const gint64 *) place);
      return jank_field_json_write_text (field, time);
    case JANK_POINTER:
      place = *(const gpointer *) place;
      if (place == NULL)
        return NULL;
      G_GNUC_FALLTHROUGH;
    case JANK_OBJECT:
      return jank_table_to_node (field->table, place);
    case JANK_ARRAY: case JANK_COLUMN: case JANK_VALUES: case JANK_INTS:
      return jank_field_json_write_array (field, place);
    case JANK_INLINE: default:
      g_assert_not_reached ();
    }
}

static void
jank_field_json_write_fields (const JankTable *table, gconstpointer object, JsonObject *json)
{
  for (guint i = 0; i < table->n_fields; i++)
    {
      const JankField *field = &table->fields[i];
      JsonNode *node;

      if (field->type == JANK_INLINE)
        {
          if (!(field->flags & JANK_OMIT_EMPTY) || !jank_field_json_is_empty (field, object))
            jank_field_json_write_fields (field->table, (const char *) object + field->offset, json);
        }
      else if ((node = jank_field_json_write_value (field, object)) != NULL)
        json_object_set_member (json, field->name, node);
    }
}

/* Returns: (transfer full) */
static JsonObject *
jank_field_json_write_object (const JankTable *table, gconstpointer object)
{
  JsonObject *json = json_object_new ();

  jank_field_json_write_fields (table, object, json);
  return json;
}

JsonNode *
jank_table_to_node (const JankTable *self, gconstpointer object)
{
  g_autoptr (JsonObject) json = jank_field_json_write_object (self, object);

  return json_node_init_object (json_node_alloc (), json);
}

typedef struct
{
  JsonObject *root;
  JsonObject *nothing; /* (owned): in the place of an element that is not an object */
  gboolean    failed;
  guint       element; /* that failed */
} Reader;

static gboolean jank_field_json_read_object (Reader *self, const JankTable *table, gpointer object, JsonObject *json);

/* (nullable) */
static JsonArray *
jank_field_json_get_array (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

static guint
jank_field_json_get_length (JsonArray *array, gint64 max)
{
  guint n = array != NULL ? json_array_get_length (array) : 0;

  return max > 0 ? (guint) MIN (n, max) : n;
}

/* node (nullable) */
static GType
jank_field_json_get_type (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;
}

static gint64
jank_field_json_read_int (const JankField *field, JsonNode *node)
{
  gint64 min = field->flags & JANK_SIGNED ? G_MININT : 0;
  gint64 max = field->size == sizeof (gint) ? G_MAXINT : field->max > 0 ? field->max : JANK_JSON_MAX_COUNT;
  gint64 n;

  return jank_json_node_to_int (node, &n) ? CLAMP (n, min, max) : field->fallback;
}

static gint64
jank_field_json_read_index (Reader *self, const JankField *field, JsonNode *node)
{
  guint n_there = jank_field_json_get_length (jank_field_json_get_array (json_object_get_member (self->root,
                                                                                                 field->into)), 0);
  gint64 n;

  return jank_json_node_to_int (node, &n) && n >= 0 && n < n_there ? n : -1;
}

static double
jank_field_json_read_number (const JankField *field, JsonNode *node)
{
  gboolean known = jank_field_json_get_type (node) == G_TYPE_DOUBLE || jank_field_json_get_type (node) == G_TYPE_INT64;
  double number = known ? json_node_get_double (node) : field->fallback;

  if (!isfinite (number) || number < 0.0 || (number == 0.0 && field->flags & JANK_OMIT_EMPTY))
    return field->fallback;
  return field->max > 0 ? MIN (number, (double) field->max) : number;
}

static gint
jank_field_json_read_nick (const JankField *field, JsonNode *node)
{
  const char *nick = jank_json_node_to_text (node);

  for (gint i = 0; nick != NULL && i < field->max; i++)
    if (g_strcmp0 (field->nicks[i], nick) == 0)
      return i;
  return field->fallback;
}

static void
jank_field_json_read_ints (Reader *self, const JankField *field, JsonNode *node, GArray *ints)
{
  JsonArray *array = jank_field_json_get_array (node);
  guint n = jank_field_json_get_length (array, field->max);

  self->failed |= array == NULL && field->into != NULL;
  for (guint i = 0; i < n && !self->failed; i++)
    {
      JsonNode *element = json_array_get_element (array, i);
      gint64 number = -1;

      if (field->into != NULL)
        self->failed = (number = jank_field_json_read_index (self, field, element)) < 0;
      else if (!jank_json_node_to_int (element, &number) || number > G_MAXINT)
        number = -1;
      if (number >= 0)
        g_array_append_val (ints, *(&(gint) { (gint) number }));
    }
}

static void jank_field_json_read_value (Reader *self, const JankField *field, gpointer object, JsonNode *node);

/* Elements are made by column 0; the others add to those. */
static void
jank_field_json_read_column (Reader *self, const JankField *field, JsonNode *node, GPtrArray *elements)
{
  JsonArray *array = jank_field_json_get_array (node);
  guint n = jank_field_json_get_length (array, field->column == 0 ? field->max : elements->len);

  if (field->column > 0 && elements->len == 0)
    return;
  for (guint i = 0; i < n && !self->failed; i++)
    {
      if (field->column == 0)
        g_ptr_array_add (elements, jank_table_new (field->table));
      jank_field_json_read_value (self, &field->table->fields[field->column], elements->pdata[i],
                                  json_array_get_element (array, i));
      if (self->failed)
        self->element = i;
    }
}

static void
jank_field_json_read_array (Reader *self, const JankField *field, JsonNode *node, gpointer place)
{
  JsonArray *array = jank_field_json_get_array (node);
  guint n = jank_field_json_get_length (array, field->max);

  for (guint i = 0; i < n; i++)
    {
      JsonNode *element = json_array_get_element (array, i);
      JsonObject *json = JSON_NODE_HOLDS_OBJECT (element) ? json_node_get_object (element) : self->nothing;
      gpointer object = jank_table_new (field->table);

      if (!jank_field_json_read_object (self, field->table, object, json))
        jank_table_free (field->table, object);
      else if (field->type == JANK_ARRAY)
        g_ptr_array_add (*(GPtrArray **) place, object);
      else
        {
          g_array_append_vals (*(GArray **) place, object, 1);
          g_free (object);
        }
    }
}

static void
jank_field_json_read_pointer (Reader *self, const JankField *field, JsonObject *json, gpointer *place)
{
  gpointer object = json != NULL ? jank_table_new (field->table) : NULL;

  if (object != NULL && !jank_field_json_read_object (self, field->table, object, json))
    g_clear_pointer (&object, field->table->free);
  *place = object;
}

static void
jank_field_json_read_value (Reader *self, const JankField *field, gpointer object, JsonNode *node)
{
  gpointer place = (char *) object + field->offset;
  JsonObject *json = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  const char *text = jank_json_node_to_text (node);

  switch (field->type)
    {
    case JANK_STRING:  *(char **) place = g_strdup (text); break;
    case JANK_LETTERS:
      if (text != NULL && strlen (text) < field->size)
        g_strlcpy (place, text, field->size);
      break;
    case JANK_INT:     jank_field_set_int (field, place, jank_field_json_read_int (field, node)); break;
    case JANK_INDEX:   jank_field_set_int (field, place, jank_field_json_read_index (self, field, node)); break;
    case JANK_NUMBER:  *(double *) place = jank_field_json_read_number (field, node); break;
    case JANK_BOOLEAN:
      jank_field_set_int (field, place,
                          jank_field_json_get_type (node) == G_TYPE_BOOLEAN
                            ? json_node_get_boolean (node) : field->fallback);
      break;
    case JANK_NICK:    jank_field_set_int (field, place, jank_field_json_read_nick (field, node)); break;
    case JANK_TIME:    *(gint64 *) place = jank_json_time_from_text (text); break;
    case JANK_OBJECT:  jank_field_json_read_object (self, field->table, place, json); break;
    case JANK_POINTER: jank_field_json_read_pointer (self, field, json, place); break;
    case JANK_COLUMN:  jank_field_json_read_column (self, field, node, *(GPtrArray **) place); break;
    case JANK_INTS:    jank_field_json_read_ints (self, field, node, *(GArray **) place); break;
    case JANK_ARRAY: case JANK_VALUES: jank_field_json_read_array (self, field, node, place); break;
    case JANK_INLINE: default:
      g_assert_not_reached ();
    }
}

/* json: (nullable): the object is missing */
static gboolean
jank_field_json_read_object (Reader *self, const JankTable *table, gpointer object, JsonObject *json)
{
  for (guint i = 0; i < table->n_fields; i++)
    {
      const JankField *field = &table->fields[i];

      gpointer place = (char *) object + field->offset;

      if (field->type == JANK_INLINE)
        jank_field_json_read_object (self, field->table, place, json);
      else
        jank_field_json_read_value (self, field, object,
                                    json != NULL ? json_object_get_member (json, field->name) : NULL);
      if (field->type == JANK_STRING && field->flags & JANK_NOT_NULL && json != NULL && *(char **) place == NULL)
        *(char **) place = g_strdup ("");
    }
  return table->finish == NULL || table->finish (object);
}

gboolean
jank_table_read (const JankTable *self, gpointer object, JsonObject *root, guint *ret_element)
{
  g_autoptr (JsonObject) nothing = json_object_new ();
  Reader reader = { .root = root, .nothing = nothing };

  jank_field_json_read_object (&reader, self, object, root);
  jank_table_clean (self, object);
  if (reader.failed)
    *ret_element = reader.element;
  return !reader.failed;
}
