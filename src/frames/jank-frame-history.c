/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A frame's work is known when it ends; whether it was late, when the next one of its window begins. So the last event
 * of each window is kept. GTK's thread only. */

#include "frames/jank-frame-history-private.h"

#include "base/jank-clock-private.h"

#define N_WINDOWS 16
#define EXCLUDED  (JANK_FRAME_OVERLAY_ONLY | JANK_FRAME_INSPECTOR)

typedef struct
{
  gconstpointer  window;
  JankFrameEvent event;
  guint64        number; /* of its entry */
} Last;

struct _JankFrameHistory
{
  JankFrameEntry *entries; /* (owned) */
  guint           size;
  guint64         n_added;
  Last            last[N_WINDOWS];
  guint           next_last;
};

JankFrameHistory *
jank_frame_history_new (guint size)
{
  JankFrameHistory *self = g_new0 (JankFrameHistory, 1);

  self->size = size;
  self->entries = g_new (JankFrameEntry, size);
  return self;
}

void
jank_frame_history_free (JankFrameHistory *self)
{
  g_free (self->entries);
  g_free (self);
}

void
jank_frame_history_grow (JankFrameHistory *self, guint size)
{
  JankFrameEntry *entries;
  guint n = jank_frame_history_get_n (self);

  if (size <= self->size)
    return;
  entries = g_new (JankFrameEntry, size);
  for (guint64 k = self->n_added - n; k < self->n_added; k++)
    entries[k % size] = self->entries[k % self->size];
  g_free (self->entries);
  self->entries = entries;
  self->size = size;
}

static Last *
jank_frame_history_find_last (JankFrameHistory *self, gconstpointer window)
{
  for (guint i = 0; i < N_WINDOWS; i++)
    if (self->last[i].window == window)
      return &self->last[i];
  return NULL;
}

/* Judges the interval that ends with this frame. */
static void
jank_frame_history_judge (JankFrameHistory *self, const Last *last, const JankFrameEvent *event)
{
  JankFrameEntry *entry = &self->entries[last->number % self->size];
  JankFrameVerdict verdict;

  if (last->number + self->size < self->n_added || !(event->flags & JANK_FRAME_ANIMATING) ||
      !jank_frame_judge (&last->event, event, 0, &verdict))
    return;
  entry->interval_ns = verdict.interval_ns;
  entry->part_ns[JANK_PART_OTHER] += MAX (event->gap_busy_ns, 0);
  if ((event->flags | last->event.flags) & JANK_FRAME_STARTUP)
    return;
  entry->band = jank_frame_band (&verdict);
  entry->busiest = verdict.busiest;
  entry->busiest_us = (gint32) MIN (verdict.busiest_ns / JANK_NS_PER_US, G_MAXINT32);
  entry->over_us = (gint32) MIN (verdict.over_ns / JANK_NS_PER_US, G_MAXINT32);
}

void
jank_frame_history_add (JankFrameHistory *self, const JankFrameEvent *event, gconstpointer window)
{
  Last *last = jank_frame_history_find_last (self, window);
  JankFrameEntry *entry = &self->entries[self->n_added % self->size];
  gint64 known_ns;

  if (event->flags & EXCLUDED)
    return;
  if (last != NULL)
    jank_frame_history_judge (self, last, event);

  known_ns = event->phase_ns[JANK_FRAME_UPDATE] + event->phase_ns[JANK_FRAME_LAYOUT] +
      event->phase_ns[JANK_FRAME_PAINT];
  *entry = (JankFrameEntry) {
    .begin_ns = event->begin_ns,
    .part_ns = {
      [JANK_PART_UPDATE] = event->phase_ns[JANK_FRAME_UPDATE],
      [JANK_PART_LAYOUT] = event->phase_ns[JANK_FRAME_LAYOUT],
      [JANK_PART_PAINT] = event->phase_ns[JANK_FRAME_PAINT],
      [JANK_PART_OTHER] = MAX (event->end_ns - event->begin_ns - known_ns, 0),
    },
    .refresh_us = (gint32) (jank_frame_refresh (event) / JANK_NS_PER_US),
    .band = JANK_FRAME_BAND_ON_TIME,
  };
  if (last == NULL)
    last = &self->last[self->next_last++ % N_WINDOWS];
  last->window = window;
  last->event = *event;
  last->number = self->n_added++;
}

guint
jank_frame_history_get_n (const JankFrameHistory *self)
{
  return (guint) MIN (self->n_added, self->size);
}

guint64
jank_frame_history_get_n_added (const JankFrameHistory *self)
{
  return self->n_added;
}

const JankFrameEntry *
jank_frame_history_get (const JankFrameHistory *self, guint i)
{
  guint n = jank_frame_history_get_n (self);

  g_assert (i < n);
  return &self->entries[(self->n_added - n + i) % self->size];
}

guint
jank_frame_history_find (const JankFrameHistory *self, gint64 at_ns)
{
  guint low = 0, high = jank_frame_history_get_n (self);

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (jank_frame_history_get (self, middle)->begin_ns < at_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

gint64
jank_frame_entry_work_ns (const JankFrameEntry *entry)
{
  gint64 sum_ns = 0;

  for (guint i = 0; i < JANK_N_PARTS; i++)
    sum_ns += entry->part_ns[i];
  return sum_ns;
}
