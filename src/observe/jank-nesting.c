/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "observe/jank-nesting-private.h"

void
jank_nesting_move (JankNesting *self, int depth, int64_t began_ns, int64_t ended_ns)
{
  int from = self->depth, to = depth < JANK_NESTING_MAX ? depth : JANK_NESTING_MAX - 1;

  self->depth = depth;
  for (int i = from + 1; i <= to; i++)
    atomic_store_explicit (&self->since_ns[i], began_ns, memory_order_relaxed);
  if (to < from)
    atomic_store_explicit (&self->left_ns, ended_ns, memory_order_relaxed);
  for (int i = to + 1; i <= from && i < JANK_NESTING_MAX; i++)
    atomic_store_explicit (&self->since_ns[i], 0, memory_order_relaxed);
  atomic_store_explicit (&self->told, depth, memory_order_relaxed);
}
