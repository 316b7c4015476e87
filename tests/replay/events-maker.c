/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "events-maker.h"

#include "rules/jank-rule-private.h"

#define FRAME_NS   INT64_C (16666667)
#define STACK_NS   (5 * MS)

JankEvents *
events_new (gint64 length_ms)
{
  JankEvents *events = jank_events_new ();

  events->began_ns = START;
  events->ended_ns = START + length_ms * MS;
  g_ptr_array_add (events->names, g_strdup ("heavy"));
  g_ptr_array_add (events->names, g_strdup ("light"));
  g_ptr_array_add (events->names, g_strdup ("other"));
  return events;
}

void
events_add_busy (JankEvents *events, gint64 began_ms, gint64 ended_ms, guint culprit)
{
  JankEventPeriod period = { START + began_ms * MS, START + ended_ms * MS, FALSE, culprit };

  g_array_append_val (events->periods, period);
  for (gint64 at_ns = period.began_ns + STACK_NS; at_ns < period.ended_ns; at_ns += STACK_NS)
    {
      JankEventSample sample = { at_ns, culprit, culprit, culprit };

      g_array_append_val (events->samples, sample);
    }
}

void
events_show (JankEvents *events, gint64 from_ms, gint64 to_ms, guint function)
{
  for (guint i = 0; i < events->samples->len; i++)
    {
      JankEventSample *sample = &g_array_index (events->samples, JankEventSample, i);

      if (sample->at_ns >= START + from_ms * MS && sample->at_ns < START + to_ms * MS)
        sample->stack = sample->top = sample->culprit = function;
    }
}

/* When a frame that is due at due_ns can begin. */
static gint64
after_work (const JankEvents *events, gint64 due_ns)
{
  for (guint i = 0; i < events->periods->len; i++)
    {
      const JankEventPeriod *period = &g_array_index (events->periods, JankEventPeriod, i);

      if (due_ns >= period->began_ns && due_ns < period->ended_ns)
        return period->ended_ns;
    }
  return due_ns;
}

void
events_add_frames (JankEvents *events, gint64 from_ms, gint64 to_ms)
{
  gboolean follows = FALSE;

  for (gint64 at_ns = START + from_ms * MS; at_ns < START + to_ms * MS; at_ns += FRAME_NS)
    {
      JankEventFrame frame = { after_work (events, at_ns), FRAME_NS, follows };

      at_ns = frame.began_ns;
      follows = TRUE;
      g_array_append_val (events->frames, frame);
    }
}

JankReplay *
events_replay (JankEvents *events, const char *preset)
{
  JankRule rule;

  jank_events_settle (events);
  jank_rule_init_preset (&rule, (guint) jank_preset_find (preset));
  return jank_replay (&rule, events, 100 * MS);
}
