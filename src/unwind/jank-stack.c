/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "unwind/jank-stack-private.h"

#include <string.h>

JankStack *
jank_stack_new (const JankFrame *frames, guint n_frames, gboolean complete)
{
  JankStack *self = g_malloc (sizeof *self + n_frames * sizeof *frames);

  self->n_refs = 1;
  self->n_frames = n_frames;
  self->complete = complete;
  memcpy (self->frames, frames, n_frames * sizeof *frames);
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
  if (--self->n_refs == 0)
    g_free (self);
}

gboolean
jank_stack_equal (const JankStack *a, const JankStack *b)
{
  if (a == b)
    return TRUE;
  if (a->n_frames != b->n_frames || a->complete != b->complete)
    return FALSE;
  for (guint i = 0; i < a->n_frames; i++)
    if (a->frames[i].pc != b->frames[i].pc || a->frames[i].module != b->frames[i].module)
      return FALSE;
  return TRUE;
}
