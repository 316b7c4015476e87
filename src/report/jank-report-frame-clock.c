/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/jank-report-frame-clock-private.h"

#include "base/jank-order-private.h"
#include "json/jank-json-private.h"
#include "report/jank-report-private.h"

static void
jank_report_frame_clock_add_window (JankReportFrameClock *self, const char *name, const JankFrameNumbers *numbers)
{
  JankReportWindow *window;

  if (self->windows->len == JANK_REPORT_MAX_WINDOWS)
    return;
  window = jank_report_window_new ();
  window->name = g_strdup (name);
  window->numbers = *numbers;
  g_ptr_array_add (self->windows, window);
}

static void
jank_report_frame_clock_add_late_frames (JankReportFrameClock *self, const JankFrameSnapshot *merged)
{
  for (unsigned i = 0; i < merged->n_late; i++)
    {
      const JankFrameVerdict *verdict = &merged->late[i].verdict;
      JankReportLateFrame late = {
        .began_ns = verdict->began_ns,
        .ended_ns = verdict->ended_ns,
        .interval_ns = verdict->judged_ns,
        .n_dropped = (guint64) MAX (verdict->n_dropped, 0),
        .over_ns = verdict->over_ns,
        .busiest = verdict->busiest,
        .busiest_ns = verdict->busiest_ns,
        .who = verdict->who,
        .stack = merged->late[i].stack >= 0 && merged->late[i].stack <= G_MAXINT ? (gint) merged->late[i].stack
                                                                                 : JANK_REPORT_NO_INDEX,
      };

      g_array_append_val (self->late_frames, late);
      if (verdict->phase_ns >= JANK_NS_PER_MS)
        g_array_append_val (self->parts, ((JankReportFramePart) {
          .frame_ns = late.ended_ns, .phase = verdict->phase, .count = 1, .total_ns = verdict->phase_ns }));
    }
}

JankReportFrameClock *
jank_report_frame_clock_from (const JankFrameSummary *summary, const JankFrameSnapshot *merged,
                             gboolean has_presentation)
{
  JankReportFrameClock *self;

  if (summary->total.frames == 0)
    return NULL;
  self = jank_report_frame_clock_new ();
  self->numbers = summary->total;
  self->has_presentation = has_presentation;
  for (unsigned i = 0; i < summary->n_windows; i++)
    if (summary->windows[i].numbers.frames > 0)
      jank_report_frame_clock_add_window (self, summary->windows[i].name, &summary->windows[i].numbers);
  if (merged != NULL)
    jank_report_frame_clock_add_late_frames (self, merged);
  return self;
}

static void
jank_report_frame_clock_append (JankReportFrameClock *self, const JankReportFrameClock *other)
{
  for (guint i = 0; i < other->windows->len; i++)
    {
      const JankReportWindow *window = g_ptr_array_index (other->windows, i);

      jank_report_frame_clock_add_window (self, window->name, &window->numbers);
    }
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

/* The average of a and b, weighted by time. */
static double
jank_report_frame_clock_weigh (double a, gint64 a_ns, double b, gint64 b_ns)
{
  double whole = (double) a_ns + (double) b_ns;

  return whole > 0.0 ? (a * (double) a_ns + b * (double) b_ns) / whole : 0.0;
}

/* The buckets count the judged frames. */
static double
jank_report_frame_clock_find_fps (const JankFrameNumbers *numbers)
{
  double n_judged = 0.0;

  for (int level = 0; level < JANK_FRAME_N_LEVELS; level++)
    n_judged += (double) numbers->buckets[level].frames;
  if (n_judged == 0.0 || numbers->active_ns < JANK_NS_PER_S)
    return JANK_FRAME_NO_FPS;
  return n_judged * (double) JANK_NS_PER_S / (double) numbers->active_ns;
}

static void
jank_report_frame_clock_merge_counts (JankFrameNumbers *self, const JankFrameNumbers *other)
{
  jank_json_sum (&self->frames, other->frames);
  jank_json_sum (&self->startup_frames, other->startup_frames);
  jank_json_sum (&self->late, other->late);
  jank_json_sum (&self->late_program, other->late_program);
  jank_json_sum (&self->late_compositor, other->late_compositor);
  jank_json_sum (&self->dropped, other->dropped);
  jank_json_sum (&self->dropped_program, other->dropped_program);
  jank_json_sum (&self->slow, other->slow);
  jank_json_sum (&self->frozen, other->frozen);
  jank_json_sum (&self->jank, other->jank);
  jank_json_sum (&self->big_jank, other->big_jank);
  jank_json_sum (&self->throttled, other->throttled);
  jank_json_sum (&self->unseen, other->unseen);
  jank_json_sum (&self->animated, other->animated);
  jank_json_sum (&self->active_ns, other->active_ns);
  self->longest_ns = MAX (self->longest_ns, other->longest_ns);
  for (int level = 0; level < JANK_FRAME_N_LEVELS; level++)
    {
      jank_json_sum (&self->buckets[level].frames, other->buckets[level].frames);
      jank_json_sum (&self->buckets[level].dropped, other->buckets[level].dropped);
    }
}

static void
jank_report_frame_clock_merge_numbers (JankFrameNumbers *self, const JankFrameNumbers *other)
{
  gint64 self_ns = self->active_ns, other_ns = other->active_ns;

  if (other->frames > self->frames)
    {
      self->p50_ns = other->p50_ns;
      self->p90_ns = other->p90_ns;
      self->p95_ns = other->p95_ns;
      self->p99_ns = other->p99_ns;
      self->fps_low = other->fps_low;
      self->refresh_ns = other->refresh_ns;
      self->refresh_assumed = other->refresh_assumed;
    }
  self->animation_error_ns = (gint64) jank_report_frame_clock_weigh ((double) self->animation_error_ns,
                                                                     (gint64) self->animated,
                                                                     (double) other->animation_error_ns,
                                                                     (gint64) other->animated);
  jank_report_frame_clock_merge_counts (self, other);
  self->fps = jank_report_frame_clock_find_fps (self);
  self->fps_now = JANK_FRAME_NO_FPS;
  self->stutter = jank_report_frame_clock_weigh (self->stutter, self_ns, other->stutter, other_ns);
  self->hitch_ms_per_s = jank_report_frame_clock_weigh (self->hitch_ms_per_s, self_ns, other->hitch_ms_per_s, other_ns);
  self->hitch_compositor_ms_per_s =
    jank_report_frame_clock_weigh (self->hitch_compositor_ms_per_s, self_ns, other->hitch_compositor_ms_per_s,
                                   other_ns);
  self->hitch_band = jank_hitch_band (self->hitch_ms_per_s);
}

JANK_ORDER_RISING (jank_report_frame_clock_compare_ended_cb, JankReportLateFrame, ->ended_ns)

void
jank_report_frame_parts_keep (GArray *parts, gint64 since_ns)
{
  guint n = 0;

  for (guint i = 0; i < parts->len; i++)
    if (g_array_index (parts, JankReportFramePart, i).frame_ns >= since_ns)
      g_array_index (parts, JankReportFramePart, n++) = g_array_index (parts, JankReportFramePart, i);
  g_array_set_size (parts, n);
}

void
jank_report_frame_clock_merge (JankReportFrameClock *self, const JankReportFrameClock *other)
{
  jank_report_frame_clock_merge_numbers (&self->numbers, &other->numbers);
  self->has_presentation = self->has_presentation || other->has_presentation;
  jank_report_frame_clock_append (self, other);
  g_array_sort (self->late_frames, jank_report_frame_clock_compare_ended_cb);
  if (self->late_frames->len > JANK_FRAME_N_LATE)
    g_array_remove_range (self->late_frames, 0, self->late_frames->len - JANK_FRAME_N_LATE);
  if (self->late_frames->len > 0)
    jank_report_frame_parts_keep (self->parts, g_array_index (self->late_frames, JankReportLateFrame, 0).ended_ns);
}
