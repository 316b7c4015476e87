/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "observe/jank-frame-times-private.h"

void
jank_frame_times_push (JankFrameTimes *self, const JankFrameTime *frame)
{
  uint32_t n_pushed = atomic_load_explicit (&self->n_pushed, memory_order_relaxed);

  if (self->last_ns != 0 && frame->began_ns - self->last_ns < frame->refresh_ns / 2)
    return;
  self->last_ns = frame->began_ns;
  /* Pairs with the release in jank_frame_times_pop(): the slot is free. */
  if (n_pushed - atomic_load_explicit (&self->n_popped, memory_order_acquire) == JANK_FRAME_TIMES_SIZE)
    {
      atomic_fetch_add_explicit (&self->n_dropped, 1, memory_order_relaxed);
      return;
    }
  self->frames[n_pushed % JANK_FRAME_TIMES_SIZE] = *frame;
  atomic_store_explicit (&self->n_pushed, n_pushed + 1, memory_order_release);
}

bool
jank_frame_times_pop (JankFrameTimes *self, JankFrameTime *ret_frame)
{
  uint32_t n_popped = atomic_load_explicit (&self->n_popped, memory_order_relaxed);

  /* Pairs with the release in jank_frame_times_push(): the slot is filled. */
  if (atomic_load_explicit (&self->n_pushed, memory_order_acquire) == n_popped)
    return false;
  *ret_frame = self->frames[n_popped % JANK_FRAME_TIMES_SIZE];
  atomic_store_explicit (&self->n_popped, n_popped + 1, memory_order_release);
  return true;
}
