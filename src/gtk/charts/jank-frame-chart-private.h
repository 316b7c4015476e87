/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames over time: a bar per frame, as wide as the time until the next one and as high as its work, split by phase;
 * the refresh interval as a line; late frames marked. Draws one bar per pixel at most. While it follows the newest
 * frames, it redraws only when there are new ones. */

#pragma once

#include "gtk/charts/jank-drawing-private.h"
#include "frames/jank-frame-history-private.h"

#define JANK_TYPE_FRAME_CHART (jank_frame_chart_get_type ())
G_DECLARE_FINAL_TYPE (JankFrameChart, jank_frame_chart, JANK, FRAME_CHART, JankDrawing)

typedef struct
{
  gint64 began_ns, ended_ns;
} JankChartSpan;

/* history (nullable): must stay valid until the next call, or until the widget is gone. */
void     jank_frame_chart_set_history (JankFrameChart *self, const JankFrameHistory *history);
/* Stalls, drawn as bands. spans: copied; oldest first */
void     jank_frame_chart_set_stalls  (JankFrameChart *self, const JankChartSpan *spans, guint n_spans);

/* “follows” (boolean): shows the newest frames; “span-ms” (int, read-only): the time shown; the readout has the
 * numbers of the frame at the cursor. Signal “activated” (gint64 began_ns, gint64 ended_ns). */
void     jank_frame_chart_set_follows (JankFrameChart *self, gboolean follows);
void     jank_frame_chart_zoom        (JankFrameChart *self, double factor);
void     jank_frame_chart_step        (JankFrameChart *self, int n_frames);
/* The time that is shown. */
void     jank_frame_chart_get_range   (JankFrameChart *self, gint64 *ret_from_ns, gint64 *ret_to_ns);

/* The picture. */

#define JANK_CHART_TOP_PX    14 /* band of the stalls */
#define JANK_CHART_BOTTOM_PX 26 /* marks of late frames, and the times */

typedef struct
{
  const JankFrameHistory *history;
  const JankChartSpan    *stalls;
  guint                   n_stalls;
  gint64                  from_ns, to_ns; /* what is shown */
  gint64                  zero_ns;        /* now: times are counted from there */
  gint                    cursor;         /* index in history, -1: none */
  gboolean                has_focus;
} JankChartView;

void   jank_frame_chart_draw   (GtkWidget *widget, JankCanvas *canvas, const JankChartView *view);

/* The frame at x, -1: none. */
gint   jank_frame_chart_pick   (GtkWidget *widget, const JankChartView *view, double x);

gint64 jank_frame_chart_end_ns (const JankFrameEntry *entry);
