/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frames/jank-frame-summary-private.h"

#define FPS_MIN_NS    JANK_NS_PER_S
#define IDLE_NS       JANK_NS_PER_S
#define HITCH_GOOD    5.0
#define HITCH_WARNING 10.0

static double
jank_frame_summary_frames_per_second (uint64_t n_frames, int64_t active_ns)
{
  if (active_ns < FPS_MIN_NS || n_frames == 0)
    return JANK_FRAME_NO_FPS;
  return (double) n_frames * (double) JANK_NS_PER_S / (double) active_ns;
}

static double
jank_frame_summary_per_mille (int64_t part_ns, int64_t whole_ns)
{
  return whole_ns > 0 ? 1000.0 * (double) part_ns / (double) whole_ns : 0.0;
}

void
jank_frame_snapshot_age (JankFrameSnapshot *snapshot, int64_t now_ns)
{
  if (now_ns - snapshot->totals.last_ns < IDLE_NS)
    return;
  snapshot->totals.n_window = 0;
  snapshot->totals.window_ns = 0;
}

static void
jank_frame_summary_fill_rates (const JankFrameSnapshot *snapshot, JankFrameNumbers *numbers)
{
  const JankFrameTotals *totals = &snapshot->totals;
  int64_t slowest_ns = jank_histogram_tail_mean (&snapshot->histogram, 0.01), active_ns = totals->counts.active_ns;

  numbers->fps = jank_frame_summary_frames_per_second (totals->n_judged, active_ns);
  numbers->fps_now = jank_frame_summary_frames_per_second (totals->n_window, totals->window_ns);
  numbers->fps_low = numbers->fps > 0 && slowest_ns > 0 ? (double) JANK_NS_PER_S / (double) slowest_ns
                                                        : JANK_FRAME_NO_FPS;
  numbers->hitch_ms_per_s = jank_frame_summary_per_mille (totals->late_program_ns, active_ns);
  numbers->hitch_compositor_ms_per_s = jank_frame_summary_per_mille (totals->late_compositor_ns, active_ns);
  numbers->hitch_band = jank_hitch_band (numbers->hitch_ms_per_s);
  numbers->stutter = jank_frame_summary_per_mille (totals->jank_ns, active_ns) / 1000.0;
}

void
jank_frame_numbers_from (const JankFrameSnapshot *snapshot, JankFrameNumbers *ret_numbers)
{
  const JankFrameTotals *totals = &snapshot->totals;
  const JankHistogram *histogram = &snapshot->histogram;
  int64_t n_animated = (int64_t) totals->counts.animated;

  *ret_numbers = (JankFrameNumbers) {
    .counts = totals->counts,
    .animation_error_ns = n_animated > 0 ? totals->animation_error_ns / n_animated : 0,
    .refresh_ns = totals->refresh_ns,
    .refresh_assumed = totals->refresh_assumed != 0,
    .p50_ns = jank_histogram_percentile (histogram, 0.50),
    .p90_ns = jank_histogram_percentile (histogram, 0.90),
    .p95_ns = jank_histogram_percentile (histogram, 0.95),
    .p99_ns = jank_histogram_percentile (histogram, 0.99),
    .longest_ns = totals->longest_ns,
  };
  jank_frame_summary_fill_rates (snapshot, ret_numbers);
}

JankHitchBand
jank_hitch_band (double ms_per_s)
{
  if (ms_per_s <= HITCH_GOOD)
    return JANK_HITCH_GOOD;
  return ms_per_s <= HITCH_WARNING ? JANK_HITCH_WARNING : JANK_HITCH_CRITICAL;
}

const char *const jank_frame_phase_nicks[] = {
  "flush-events", "before-paint", "update", "layout", "paint", "after-paint", "between",
};

const char *const jank_hitch_band_nicks[] = { "good", "warning", "critical" };
