/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "unwind/jank-stack-private.h"

#include <string.h>

JankStack *
jank_stack_new (const JankCall *calls, guint n_calls, gboolean complete)
{
  JankStack *self = g_malloc (sizeof *self + n_calls * sizeof *calls);

  self->n_refs = 1;
  self->n_calls = n_calls;
  self->complete = complete;
  self->notes = NULL;
  memcpy (self->calls, calls, n_calls * sizeof *calls);
  return self;
}

JankStack *
jank_stack_ref (JankStack *self)
{
  self->n_refs++;
  return self;
}

void
jank_stack_unref (JankStack *self)
{
  JankNote *note;

  if (--self->n_refs > 0)
    return;
  while ((note = self->notes) != NULL)
    {
      self->notes = note->next;
      g_free (note);
    }
  g_free (self);
}

void
jank_stack_add_note (JankStack *self, guint64 function, const char *text)
{
  gsize n_bytes = strlen (text) + 1;
  JankNote *note = g_malloc (sizeof *note + n_bytes);

  note->next = self->notes;
  note->function = function;
  memcpy (note->text, text, n_bytes);
  self->notes = note;
}

gboolean
jank_stack_equal (const JankStack *a, const JankStack *b)
{
  if (a == b)
    return TRUE;
  if (a->n_calls != b->n_calls || a->complete != b->complete)
    return FALSE;
  for (guint i = 0; i < a->n_calls; i++)
    if (a->calls[i].pc != b->calls[i].pc || a->calls[i].module != b->calls[i].module)
      return FALSE;
  return TRUE;
}
