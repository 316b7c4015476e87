/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/jank-field-private.h"

#include <string.h>

#include "base/jank-text-clean-private.h"

void
jank_field_set_int (const JankField *self, gpointer place, gint64 n)
{
  if (self->size == sizeof (gint64))
    *(gint64 *) place = n;
  else if (self->size == sizeof (gint))
    *(gint *) place = (gint) n;
  else
    *(guint8 *) place = (guint8) n;
}

gint64
jank_field_get_int (const JankField *self, gconstpointer place)
{
  if (self->size == sizeof (gint64))
    return *(const gint64 *) place;
  return self->size == sizeof (gint) ? *(const gint *) place : *(const guint8 *) place;
}

static void
jank_table_init (const JankTable *self, gpointer object)
{
  for (guint i = 0; i < self->n_fields; i++)
    {
      const JankField *field = &self->fields[i];
      gpointer place = (char *) object + field->offset;

      if (field->type == JANK_OBJECT || field->type == JANK_INLINE)
        jank_table_init (field->table, place);
      else if (field->type == JANK_ARRAY || (field->type == JANK_COLUMN && field->column == 0))
        *(GPtrArray **) place = g_ptr_array_new_with_free_func (field->table->free);
      else if (field->type == JANK_VALUES || field->type == JANK_INTS)
        *(GArray **) place = g_array_new (FALSE, FALSE,
                                          field->table != NULL ? (guint) field->table->size : sizeof (guint));
      else if (field->type == JANK_NUMBER)
        *(double *) place = field->fallback;
      else if (field->type == JANK_INT || field->type == JANK_INDEX || field->type == JANK_BOOLEAN)
        jank_field_set_int (field, place, field->fallback);
    }
}

void
jank_table_clear (const JankTable *self, gpointer object)
{
  for (guint i = 0; i < self->n_fields; i++)
    {
      const JankField *field = &self->fields[i];
      gpointer *place = (gpointer *) (void *) ((char *) object + field->offset);

      if (field->type == JANK_OBJECT || field->type == JANK_INLINE)
        jank_table_clear (field->table, place);
      else if (field->type == JANK_STRING)
        g_clear_pointer (place, g_free);
      else if (field->type == JANK_POINTER)
        g_clear_pointer (place, field->table->free);
      else if (field->type == JANK_ARRAY || (field->type == JANK_COLUMN && field->column == 0))
        g_clear_pointer ((GPtrArray **) place, g_ptr_array_unref);
      else if (field->type == JANK_VALUES || field->type == JANK_INTS)
        g_clear_pointer ((GArray **) place, g_array_unref);
    }
}

gpointer
jank_table_new (const JankTable *self)
{
  gpointer object = g_malloc0 (self->size);

  jank_table_init (self, object);
  return object;
}

void
jank_table_free (const JankTable *self, gpointer object)
{
  if (object == NULL)
    return;
  jank_table_clear (self, object);
  g_free (object);
}

char *
jank_field_get_text (const JankField *self, gpointer place)
{
  return self->type == JANK_LETTERS ? place : *(char **) place;
}

void
jank_field_set_text (const JankField *self, gpointer place, const char *text)
{
  if (text == NULL && self->flags & JANK_NOT_NULL)
    text = "";
  if (self->type == JANK_LETTERS)
    g_strlcpy (place, text != NULL ? text : "", self->size);
  else
    jank_set_text (place, text);
}

void
jank_table_each_text (const JankTable *self, gpointer object, JankTextFunc visit, gpointer data)
{
  for (guint i = 0; i < self->n_fields; i++)
    {
      const JankField *field = &self->fields[i];
      gpointer *place = (gpointer *) (void *) ((char *) object + field->offset);
      const GArray *values = field->type == JANK_VALUES ? *place : NULL;

      if (field->type == JANK_STRING || field->type == JANK_LETTERS)
        visit (field, place, object, data);
      else if (field->type == JANK_OBJECT || field->type == JANK_INLINE)
        jank_table_each_text (field->table, place, visit, data);
      else if (field->type == JANK_POINTER && *place != NULL)
        jank_table_each_text (field->table, *place, visit, data);
      else if (field->type == JANK_ARRAY || (field->type == JANK_COLUMN && field->column == 0))
        for (guint k = 0; k < ((GPtrArray *) *place)->len; k++)
          jank_table_each_text (field->table, ((GPtrArray *) *place)->pdata[k], visit, data);
      for (guint k = 0; values != NULL && k < values->len; k++)
        jank_table_each_text (field->table, values->data + k * field->table->size, visit, data);
    }
}

static void
jank_field_copy (const JankField *self, gpointer *to, const gpointer *from)
{
  if (self->type == JANK_STRING)
    jank_set_text ((char **) to, *from);
  else if (self->type == JANK_OBJECT || self->type == JANK_INLINE)
    jank_table_copy (self->table, to, from);
  else if (self->type == JANK_POINTER && *from != NULL)
    jank_table_copy (self->table, *to = jank_table_new (self->table), *from);
  else if (self->type == JANK_VALUES || self->type == JANK_INTS)
    g_array_append_vals (*to, ((const GArray *) *from)->data, ((const GArray *) *from)->len);
  else if (self->type == JANK_ARRAY)
    for (guint i = 0; i < ((const GPtrArray *) *from)->len; i++)
      {
        g_ptr_array_add (*to, jank_table_new (self->table));
        jank_table_copy (self->table, ((GPtrArray *) *to)->pdata[i], ((const GPtrArray *) *from)->pdata[i]);
      }
  else if (self->type != JANK_POINTER)
    memcpy (to, from, self->size);
}

void
jank_table_copy (const JankTable *self, gpointer to, gconstpointer from)
{
  for (guint i = 0; i < self->n_fields; i++)
    {
      const JankField *field = &self->fields[i];

      g_assert (field->type != JANK_COLUMN);
      jank_field_copy (field, (gpointer *) (void *) ((char *) to + field->offset),
                       (const gpointer *) (const void *) ((const char *) from + field->offset));
    }
}

static void
jank_field_clean_cb (const JankField *field, gpointer place, gconstpointer owner, gpointer data)
{
  char *text = jank_field_get_text (field, place);

  if (text == NULL)
    return;
  jank_text_clean_in_place (text);
  if (field->type == JANK_STRING && strnlen (text, JANK_TEXT_MAX_BYTES + 1) > JANK_TEXT_MAX_BYTES)
    {
      *(char **) place = jank_text_cut (text, JANK_TEXT_MAX_BYTES);
      g_free (text);
    }
}

void
jank_table_clean (const JankTable *self, gpointer object)
{
  jank_table_each_text (self, object, jank_field_clean_cb, NULL);
}
