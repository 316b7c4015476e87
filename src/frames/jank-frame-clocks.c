/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frames/jank-frame-clocks-private.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static JankFrameClock *
jank_frame_clocks_clock_of (JankFrameMeter *stats)
{
  return (JankFrameClock *) ((char *) stats - offsetof (JankFrameClock, stats));
}

/* Cut between two characters of UTF-8. */
static void
jank_frame_clocks_store_name (JankFrameClock *clock, const char *name)
{
  char bytes[JANK_FRAME_NAME_N_BYTES] = { 0 };
  size_t n = strnlen (name, sizeof bytes);

  if (n == sizeof bytes)
    for (n--; n > 0 && ((unsigned char) name[n] & 0xc0) == 0x80; n--)
      ;
  memcpy (bytes, name, n);
  jank_seqlock_store (clock->name, bytes, JANK_FRAME_NAME_N_WORDS);
}

/* One that was never used, else the one that has been closed for longest. */
static JankFrameClock *
jank_frame_clocks_find_place (JankFrameClocks *self)
{
  JankFrameClock *place = NULL;

  for (unsigned i = 0; i < JANK_FRAME_MAX_CLOCKS; i++)
    {
      JankFrameClock *clock = &self->clocks[i];

      switch (atomic_load_explicit (&clock->state, memory_order_relaxed))
        {
        case JANK_FRAME_CLOCK_UNUSED:
          return clock;
        case JANK_FRAME_CLOCK_CLOSED:
          if (place == NULL || clock->closed_at < place->closed_at)
            place = clock;
          break;
        default:
          break;
        }
    }
  return place;
}

JankFrameMeter *
jank_frame_clocks_open (JankFrameClocks *self, const char *name)
{
  JankFrameClock *clock = jank_frame_clocks_find_place (self);

  if (clock == NULL)
    {
      atomic_fetch_add_explicit (&self->n_refused, 1, memory_order_relaxed);
      return NULL;
    }
  jank_seqlock_begin (&self->lock);
  if (atomic_load_explicit (&clock->state, memory_order_relaxed) == JANK_FRAME_CLOCK_CLOSED)
    {
      jank_frame_meter_absorb (&self->retired, &clock->stats);
      jank_frame_meter_reset (&clock->stats);
    }
  jank_frame_clocks_store_name (clock, name);
  atomic_store_explicit (&clock->state, JANK_FRAME_CLOCK_OPEN, memory_order_release);
  jank_seqlock_end (&self->lock);
  return &clock->stats;
}

void
jank_frame_clocks_rename (JankFrameClocks *self, JankFrameMeter *stats, const char *name)
{
  jank_seqlock_begin (&self->lock);
  jank_frame_clocks_store_name (jank_frame_clocks_clock_of (stats), name);
  jank_seqlock_end (&self->lock);
}

void
jank_frame_clocks_close (JankFrameClocks *self, JankFrameMeter *stats)
{
  JankFrameClock *clock = jank_frame_clocks_clock_of (stats);

  assert (atomic_load_explicit (&clock->state, memory_order_relaxed) == JANK_FRAME_CLOCK_OPEN);
  jank_seqlock_begin (&self->lock);
  clock->closed_at = self->n_closed++;
  jank_frame_meter_settle (stats);
  atomic_store_explicit (&clock->state, JANK_FRAME_CLOCK_CLOSED, memory_order_release);
  jank_seqlock_end (&self->lock);
}

static bool
jank_frame_clocks_summarize_clock (JankFrameClock *clock, uint32_t state, int64_t now_ns, JankFrameSnapshot *merged,
                                   JankFrameSnapshot *scratch, JankFrameWindow *window)
{
  if (!jank_frame_board_read (&clock->stats.board, scratch))
    return false;
  if (state == JANK_FRAME_CLOCK_CLOSED)
    now_ns = INT64_MAX;
  jank_frame_snapshot_age (scratch, now_ns);
  jank_frame_numbers_from (scratch, &window->numbers);
  jank_seqlock_load (clock->name, window->name, JANK_FRAME_NAME_N_WORDS);
  window->is_open = state == JANK_FRAME_CLOCK_OPEN;
  jank_frame_snapshot_merge (merged, scratch);
  return true;
}

static bool
jank_frame_clocks_try_summarize (JankFrameClocks *self, int64_t now_ns, JankFrameSnapshot *merged,
                                 JankFrameSnapshot *scratch,
                                 JankFrameSummary *summary)
{
  if (!jank_frame_board_read (&self->retired.board, merged))
    return false;
  summary->n_windows = 0;
  for (unsigned i = 0; i < JANK_FRAME_MAX_CLOCKS; i++)
    {
      JankFrameClock *clock = &self->clocks[i];
      uint32_t state = atomic_load_explicit (&clock->state, memory_order_acquire);

      if (state == JANK_FRAME_CLOCK_UNUSED)
        continue;
      if (!jank_frame_clocks_summarize_clock (clock, state, now_ns, merged, scratch,
                                              &summary->windows[summary->n_windows]))
        return false;
      summary->n_windows++;
    }
  summary->n_refused = atomic_load_explicit (&self->n_refused, memory_order_relaxed);
  jank_frame_numbers_from (merged, &summary->total);
  return true;
}

bool
jank_frame_clocks_summarize (JankFrameClocks *self, int64_t now_ns, JankFrameSnapshot *merged,
                             JankFrameSnapshot *scratch, JankFrameSummary *summary)
{
  JankSeqlockReader reader = { 0 };

  while (jank_seqlock_read_begin (&self->lock, &reader))
    if (jank_frame_clocks_try_summarize (self, now_ns, merged, scratch, summary) &&
        jank_seqlock_read_end (&self->lock, &reader))
      return true;
  return false;
}
