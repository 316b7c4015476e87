/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How many dispatches the loop turns inside of, and since when: a callback that runs a loop of its own does not
 * return, though the loop turns. And when a person was last shown something, by whoever knows. No lock, no
 * allocation, no system call. */

#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define JANK_NESTING_MAX 8

/* Times are those at which busy periods began: what happens in one cannot be told apart otherwise. */
typedef struct
{
  /* observed thread only, all that writes, too */
  int             depth;    /* of the last turn */

  /* shared, atomic: order nothing */
  _Atomic int     told;     /* the same */
  _Atomic int64_t since_ns[JANK_NESTING_MAX]; /* a loop has turned at this depth or deeper since that period; 0: none
                                                 does */
  _Atomic int64_t left_ns;  /* when one that is no more turned last */
  _Atomic int64_t shown_ns; /* something appeared, or another window became the active one, in that period; 0: not
                               yet */
  _Atomic bool    is_held;  /* a button or a finger is down: a person drags something */
} JankNesting;

/* Observed thread. A turn ends at another depth than the one before; began_ns: when its period did. */
void jank_nesting_move (JankNesting *self, int depth, int64_t began_ns, int64_t ended_ns);

static inline void
jank_nesting_note_shown (JankNesting *self, int64_t began_ns)
{
  atomic_store_explicit (&self->shown_ns, began_ns, memory_order_relaxed);
}

/* Any thread. Returns: 0: no loop turns at that depth or deeper */
static inline int64_t
jank_nesting_get_since (const JankNesting *self, int depth)
{
  return depth > 0 && depth < JANK_NESTING_MAX
         ? atomic_load_explicit (&self->since_ns[depth], memory_order_relaxed) : 0;
}
