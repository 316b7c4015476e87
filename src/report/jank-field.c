/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "report/jank-field-private.h"

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

void
jank_table_init (const JankTable *self, gpointer object)
{
  for (guint i = 0; i < self->n_fields; i++)
    {
      const JankField *field = &self->fields[i];
      gpointer place = (char *) object + field->offset;

      if (field->type == JANK_OBJECT || field->type == JANK_INLINE)
        jank_table_init (field->table, place);
      else if (field->type == JANK_ARRAY || (field->type == JANK_COLUMN && field->column == 0))
        *(GPtrArray **) place = jank_table_new_array (field->table);
      else if (field->type == JANK_VALUES || field->type == JANK_INTS)
        *(GArray **) place = g_array_new (FALSE, FALSE, field->table != NULL ? (guint) field->table->size : sizeof (guint));
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
      else if (field->type == JANK_WORD || field->type == JANK_TEXT)
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

GPtrArray *
jank_table_new_array (const JankTable *self)
{
  return g_ptr_array_new_with_free_func (self->free);
}

static void
redact_text (const JankField *field, char **place, gconstpointer object)
{
  char *text = *place;

  if (text == NULL)
    return;
  *place = field->redact != NULL ? field->redact (text, object) : NULL;
  g_free (text);
}

void
jank_table_redact (const JankTable *self, gpointer object)
{
  for (guint i = 0; i < self->n_fields; i++)
    {
      const JankField *field = &self->fields[i];
      gpointer *place = (gpointer *) (void *) ((char *) object + field->offset);

      if (field->type == JANK_TEXT || (field->type == JANK_WORD && field->redact != NULL))
        redact_text (field, (char **) place, object);
      else if (field->type == JANK_OBJECT || field->type == JANK_INLINE)
        jank_table_redact (field->table, place);
      else if (field->type == JANK_POINTER && *place != NULL)
        jank_table_redact (field->table, *place);
      else if (field->type == JANK_ARRAY)
        for (guint k = 0; k < ((GPtrArray *) *place)->len; k++)
          jank_table_redact (field->table, g_ptr_array_index ((GPtrArray *) *place, k));
    }
}
