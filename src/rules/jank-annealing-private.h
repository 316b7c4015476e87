/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* When something that lasts is looked at again: after 1, 1, 2, 3, 5, 8 … units while the same stack is the heaviest,
 * and from the beginning when another one is. After WeChat Matrix, whose check interval grows so. Pure. */

#pragma once

#include <glib.h>

/* All zero: nothing was found yet. */
typedef struct
{
  guint64 heaviest;    /* when it was looked at last, 0: unknown */
  gint64  next_ns[2];  /* the next two lengths; 0 before the first */
} JankAnnealing;

/* It was found, and heaviest is its heaviest stack. Returns: how long until the next look */
static inline gint64
jank_annealing_next (JankAnnealing *self, guint64 heaviest, gint64 unit_ns)
{
  gint64 next_ns;

  if (self->next_ns[0] == 0 || heaviest != self->heaviest)
    self->next_ns[0] = self->next_ns[1] = unit_ns;
  self->heaviest = heaviest;
  next_ns = self->next_ns[0];
  self->next_ns[0] = self->next_ns[1];
  self->next_ns[1] += next_ns;
  return next_ns;
}
