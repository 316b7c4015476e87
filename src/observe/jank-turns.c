/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "observe/jank-turns-private.h"

static void
jank_turns_push (JankTurns *self, int64_t at_ns, JankTurnState state, int depth)
{
  uint32_t n_pushed = atomic_load_explicit (&self->n_pushed, memory_order_relaxed);

  /* Pairs with the release in jank_turns_pop(): the slot is free. */
  if (n_pushed - atomic_load_explicit (&self->n_popped, memory_order_acquire) == JANK_TURNS_N_STATES)
    {
      atomic_fetch_add_explicit (&self->n_lost, 1, memory_order_relaxed);
      return;
    }
  self->states[n_pushed % JANK_TURNS_N_STATES] = (JankTurnChange) { at_ns, state, depth };
  atomic_store_explicit (&self->n_pushed, n_pushed + 1, memory_order_release);
}

void
jank_turns_begin (JankTurns *self, int64_t now_ns)
{
  if (!self->logs_states)
    return;
  jank_turns_push (self, now_ns, JANK_TURN_AFTER_WAITING, self->depth);
  jank_turns_push (self, now_ns, JANK_TURN_BEFORE_SOURCES, self->depth);
}

void
jank_turns_end (JankTurns *self, int64_t began_ns, int64_t now_ns, int depth)
{
  if (began_ns != 0)
    jank_times_add (&self->times, now_ns - began_ns);
  if (!self->logs_states)
    return;
  for (; self->depth > depth; self->depth--)
    jank_turns_push (self, now_ns, JANK_TURN_EXIT, self->depth);
  while (self->depth < depth)
    jank_turns_push (self, now_ns, JANK_TURN_ENTRY, ++self->depth);
  jank_turns_push (self, now_ns, JANK_TURN_BEFORE_WAITING, depth);
}

bool
jank_turns_pop (JankTurns *self, JankTurnChange *ret_change)
{
  uint32_t n_popped = atomic_load_explicit (&self->n_popped, memory_order_relaxed);

  /* Pairs with the release in jank_turns_push(): the slot is filled. */
  if (atomic_load_explicit (&self->n_pushed, memory_order_acquire) == n_popped)
    return false;
  *ret_change = self->states[n_popped % JANK_TURNS_N_STATES];
  atomic_store_explicit (&self->n_popped, n_popped + 1, memory_order_release);
  return true;
}
