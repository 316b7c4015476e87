/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the watched program writes of a run; the reader is the command's alone. Any thread. */

#include "rules/jank-events-private.h"

char *
jank_events_period_to_line (const JankEventPeriod *period)
{
  return g_strdup_printf ("busy %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %s %u\n", period->began_ns, period->ended_ns,
                          period->startup ? "startup" : "loop", period->culprit);
}

char *
jank_events_sample_to_line (const JankEventSample *sample)
{
  return g_strdup_printf ("sample %" G_GINT64_FORMAT " %u %u %u\n", sample->at_ns, sample->stack, sample->top,
                          sample->culprit);
}

char *
jank_events_frame_to_line (const JankEventFrame *frame)
{
  return g_strdup_printf ("frame %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %d\n", frame->began_ns, frame->refresh_ns,
                          frame->follows ? 1 : 0);
}

char *
jank_events_name_to_line (guint name, const char *text)
{
  g_autofree char *one_line = g_strdelimit (g_strdup (text), "\r\n", ' ');

  return g_strdup_printf ("name %u %s\n", name, one_line);
}
