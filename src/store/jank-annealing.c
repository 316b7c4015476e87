/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "store/jank-annealing-private.h"

#define MAX_STEP G_GINT64_CONSTANT (1000000000)

gint64
jank_annealing_fibonacci (guint n)
{
  gint64 a = 0, b = 1;

  for (guint i = 1; i < n && b < MAX_STEP; i++)
    {
      gint64 next = a + b;

      a = b;
      b = next;
    }
  return MIN (b, MAX_STEP);
}

void
jank_annealing_note (JankAnnealing *self)
{
  if (self->n_since < G_MAXUINT)
    self->n_since++;
}

gboolean
jank_annealing_is_due (const JankAnnealing *self, gint64 now_ns)
{
  gint64 step;

  if (self->n_written == 0)
    return TRUE;
  step = jank_annealing_fibonacci (self->n_written);
  return self->n_since >= step || now_ns - self->last_ns >= step * JANK_ANNEALING_INTERVAL_NS;
}

void
jank_annealing_wrote (JankAnnealing *self, gint64 now_ns)
{
  self->n_written++;
  self->n_since = 0;
  self->last_ns = now_ns;
}
