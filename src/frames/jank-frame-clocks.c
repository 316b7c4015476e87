/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "frames/jank-frame-clocks-private.h"

#include <assert.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>

#define MAX_TRIES 200

static JankFrameClock *
clock_of (JankFrameMeter *stats)
{
  return (JankFrameClock *) ((char *) stats - offsetof (JankFrameClock, stats));
}

static void
begin_write (JankFrameClocks *self)
{
  uint32_t seq = atomic_load_explicit (&self->seq, memory_order_relaxed);

  /* Stays before the data: those are stored with release. */
  atomic_store_explicit (&self->seq, seq + 1, memory_order_relaxed);
}

static void
end_write (JankFrameClocks *self)
{
  uint32_t seq = atomic_load_explicit (&self->seq, memory_order_relaxed);

  /* (A), pairs with try_summarize(). */
  atomic_store_explicit (&self->seq, seq + 1, memory_order_release);
}

/* Cut between two characters of UTF-8. */
static void
store_name (JankFrameClock *clock, const char *name)
{
  char bytes[JANK_FRAME_NAME_N_BYTES] = { 0 };
  size_t n = strnlen (name, sizeof bytes);

  if (n == sizeof bytes)
    for (n--; n > 0 && ((unsigned char) name[n] & 0xc0) == 0x80; n--)
      ;
  memcpy (bytes, name, n);
  for (unsigned i = 0; i < JANK_FRAME_NAME_N_WORDS; i++)
    {
      uint64_t word;

      memcpy (&word, bytes + i * sizeof word, sizeof word);
      atomic_store_explicit (&clock->name[i], word, memory_order_release);
    }
}

static void
load_name (JankFrameClock *clock, char *name)
{
  for (unsigned i = 0; i < JANK_FRAME_NAME_N_WORDS; i++)
    {
      uint64_t word = atomic_load_explicit (&clock->name[i], memory_order_acquire);

      memcpy (name + i * sizeof word, &word, sizeof word);
    }
}

/* One that was never used, else the one that has been closed for longest. */
static JankFrameClock *
find_place (JankFrameClocks *self)
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
  JankFrameClock *clock = find_place (self);

  if (clock == NULL)
    {
      atomic_fetch_add_explicit (&self->n_refused, 1, memory_order_relaxed);
      return NULL;
    }
  begin_write (self);
  if (atomic_load_explicit (&clock->state, memory_order_relaxed) == JANK_FRAME_CLOCK_CLOSED)
    {
      jank_frame_meter_absorb (&self->retired, &clock->stats);
      jank_frame_meter_reset (&clock->stats);
    }
  store_name (clock, name);
  atomic_store_explicit (&clock->state, JANK_FRAME_CLOCK_OPEN, memory_order_release);
  end_write (self);
  return &clock->stats;
}

void
jank_frame_clocks_rename (JankFrameClocks *self, JankFrameMeter *stats, const char *name)
{
  begin_write (self);
  store_name (clock_of (stats), name);
  end_write (self);
}

void
jank_frame_clocks_close (JankFrameClocks *self, JankFrameMeter *stats)
{
  JankFrameClock *clock = clock_of (stats);

  assert (atomic_load_explicit (&clock->state, memory_order_relaxed) == JANK_FRAME_CLOCK_OPEN);
  begin_write (self);
  clock->closed_at = self->n_closed++;
  jank_frame_meter_settle (stats);
  atomic_store_explicit (&clock->state, JANK_FRAME_CLOCK_CLOSED, memory_order_release);
  end_write (self);
}

static bool
summarize_clock (JankFrameClock *clock, uint32_t state, int64_t now_ns, JankFrameSnapshot *merged,
                 JankFrameSnapshot *scratch, JankFrameWindow *window)
{
  if (!jank_frame_meter_snapshot (&clock->stats, scratch))
    return false;
  if (state == JANK_FRAME_CLOCK_CLOSED)
    now_ns = INT64_MAX;
  jank_frame_snapshot_age (scratch, now_ns);
  jank_frame_numbers_from (scratch, &window->numbers);
  load_name (clock, window->name);
  window->is_open = state == JANK_FRAME_CLOCK_OPEN;
  jank_frame_snapshot_merge (merged, scratch);
  return true;
}

static bool
try_summarize (JankFrameClocks *self, int64_t now_ns, JankFrameSnapshot *merged, JankFrameSnapshot *scratch,
               JankFrameSummary *summary)
{
  /* (A), pairs with end_write(). */
  uint32_t seq = atomic_load_explicit (&self->seq, memory_order_acquire);

  if ((seq & 1) || !jank_frame_meter_snapshot (&self->retired, merged))
    return false;
  summary->n_windows = 0;
  for (unsigned i = 0; i < JANK_FRAME_MAX_CLOCKS; i++)
    {
      JankFrameClock *clock = &self->clocks[i];
      uint32_t state = atomic_load_explicit (&clock->state, memory_order_acquire);

      if (state == JANK_FRAME_CLOCK_UNUSED)
        continue;
      if (!summarize_clock (clock, state, now_ns, merged, scratch, &summary->windows[summary->n_windows]))
        return false;
      summary->n_windows++;
    }
  summary->n_refused = atomic_load_explicit (&self->n_refused, memory_order_relaxed);
  jank_frame_numbers_from (merged, &summary->total);
  /* Stays after the data: those were loaded with acquire. */
  return atomic_load_explicit (&self->seq, memory_order_relaxed) == seq;
}

bool
jank_frame_clocks_summarize (JankFrameClocks *self, int64_t now_ns, JankFrameSnapshot *merged,
                             JankFrameSnapshot *scratch, JankFrameSummary *summary)
{
  for (unsigned i = 0; i < MAX_TRIES; i++)
    {
      if (try_summarize (self, now_ns, merged, scratch, summary))
        return true;
      sched_yield ();
    }
  return false;
}
