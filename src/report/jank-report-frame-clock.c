/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/jank-report-frame-clock-private.h"

#include "report/jank-report-private.h"

static void
jank_report_frame_clock_add_late_frames (JankReportFrameClock *self, const JankFrameSnapshot *merged)
{
  for (unsigned i = 0; i < merged->n_late; i++)
    {
      const JankFrameVerdict *verdict = &merged->late[i];
      JankReportLateFrame late = { .verdict = *verdict, .stack = JANK_REPORT_NO_INDEX };

      g_array_append_val (self->late_frames, late);
      if (verdict->phase_ns >= JANK_NS_PER_MS)
        g_array_append_val (self->parts, ((JankReportFramePart) {
          .frame_ns = verdict->ended_ns, .phase = verdict->phase, .count = 1, .total_ns = verdict->phase_ns }));
    }
}

JankReportFrameClock *
jank_report_frame_clock_from (const JankFrameSummary *summary, const JankFrameSnapshot *merged,
                             gboolean has_presentation)
{
  JankReportFrameClock *self;

  if (summary->total.counts.frames == 0)
    return NULL;
  self = jank_report_frame_clock_new ();
  self->numbers = summary->total;
  self->has_presentation = has_presentation;
  for (unsigned i = 0; i < summary->n_windows; i++)
    if (summary->windows[i].numbers.counts.frames > 0)
      g_array_append_val (self->windows, summary->windows[i]);
  if (merged != NULL)
    jank_report_frame_clock_add_late_frames (self, merged);
  return self;
}

void
jank_report_frame_clock_append (JankReportFrameClock *self, const JankReportFrameClock *other)
{
  guint n_windows = MIN (other->windows->len, JANK_REPORT_MAX_WINDOWS - self->windows->len);

  if (n_windows > 0)
    g_array_append_vals (self->windows, other->windows->data, n_windows);
  if (other->late_frames->len > 0)
    g_array_append_vals (self->late_frames, other->late_frames->data, other->late_frames->len);
  if (other->parts->len > 0)
    g_array_append_vals (self->parts, other->parts->data, other->parts->len);
}

JankReportFrameClock *
jank_report_frame_clock_copy (const JankReportFrameClock *self)
{
  JankReportFrameClock *copy = jank_report_frame_clock_new ();

  copy->numbers = self->numbers;
  copy->has_presentation = self->has_presentation;
  jank_report_frame_clock_append (copy, self);
  return copy;
}

void
jank_report_frame_parts_keep (GArray *parts, gint64 since_ns)
{
  guint n = 0;

  for (guint i = 0; i < parts->len; i++)
    if (g_array_index (parts, JankReportFramePart, i).frame_ns >= since_ns)
      g_array_index (parts, JankReportFramePart, n++) = g_array_index (parts, JankReportFramePart, i);
  g_array_set_size (parts, n);
}
