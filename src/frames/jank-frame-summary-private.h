/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* From the sums of a snapshot to the numbers that people read. Pure; any thread.
 *
 * The hitch ratio counts the program's lateness; the compositor's or GPU's has a ratio of its own. */

#pragma once

#include "frames/jank-frame-totals-private.h"

/* For an idle program, or after less than a second of active time. */
#define JANK_FRAME_NO_FPS (-1.0)

/* Apple's: good up to 5 ms/s, critical above 10. */
typedef enum
{
  JANK_HITCH_GOOD,
  JANK_HITCH_WARNING,
  JANK_HITCH_CRITICAL,
} JankHitchBand;

typedef struct
{
  JankFrameCounts counts;
  int64_t  animation_error_ns;      /* mean; 0 without one */
  double   fps;                     /* over all active time, or JANK_FRAME_NO_FPS */
  double   fps_now;                 /* over the last active second, or JANK_FRAME_NO_FPS */
  double   fps_low;                 /* "1 % low": of the slowest hundredth */
  int64_t  refresh_ns;              /* 0 before the first frame */
  bool     refresh_assumed;
  double   stutter;                 /* share of active time, 0..1 */
  double   hitch_ms_per_s, hitch_compositor_ms_per_s;
  JankHitchBand hitch_band;
  int64_t  p50_ns, p90_ns, p95_ns, p99_ns, longest_ns;
} JankFrameNumbers;

/* Before snapshots are merged: a clock without frames in the second before now_ns has no present rate. */
void          jank_frame_snapshot_age  (JankFrameSnapshot *snapshot, int64_t now_ns);

void          jank_frame_numbers_from  (const JankFrameSnapshot *snapshot, JankFrameNumbers *ret_numbers);

JankHitchBand jank_hitch_band          (double ms_per_s);

/* As in reports: "flush-events" … "between"; "good", "warning", "critical". */
extern const char *const jank_frame_phase_nicks[JANK_FRAME_BETWEEN + 1];
extern const char *const jank_hitch_band_nicks[JANK_HITCH_CRITICAL + 1];
