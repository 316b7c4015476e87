/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "unwind/jank-stack-private.h"

#include <string.h>

#include "unwind/jank-scripts-private.h"

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

JankStack *
jank_stack_set_calls (JankStack *self, const JankCall *calls, guint n_calls)
{
  JankStack *result = jank_stack_new (calls, MIN (n_calls, JANK_STACK_MAX_CALLS),
                                      self->complete && n_calls <= JANK_STACK_MAX_CALLS);

  /* Who else has it goes on with the notes. */
  if (self->n_refs == 1)
    result->notes = g_steal_pointer (&self->notes);
  jank_stack_unref (self);
  return result;
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

const JankScript *
jank_call_get_script (JankCodeMap *map, const JankCall *call)
{
  return jank_scripts_get (jank_code_map_get_scripts (map), call);
}

const char *
jank_call_get_path (JankCodeMap *map, const JankCall *call)
{
  const JankScript *script = jank_call_get_script (map, call);
  const JankModule *module = jank_code_map_get (map, call->module);

  return script != NULL ? script->file : module != NULL ? module->path : NULL;
}
