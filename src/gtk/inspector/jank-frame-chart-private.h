/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames over time: a bar per frame, as wide as the time until the next one and as high as its work, split by phase;
 * the refresh interval as a line; late frames marked. Draws what is visible, one bar per pixel at most. While it
 * follows, it shows the newest frames and draws anew only when there are some. */

#pragma once

#include <gtk/gtk.h>

#include "gtk/inspector/jank-frame-history-private.h"

#define JANK_TYPE_FRAME_CHART (jank_frame_chart_get_type ())
G_DECLARE_FINAL_TYPE (JankFrameChart, jank_frame_chart, JANK, FRAME_CHART, GtkWidget)

typedef struct
{
  gint64 began_ns, ended_ns;
} JankChartSpan;

/* history (nullable): stays valid until it is set to another, or the widget is gone. */
void     jank_frame_chart_set_history (JankFrameChart *self, const JankFrameHistory *history);
/* Stalls, drawn as bands. spans: copied; oldest first */
void     jank_frame_chart_set_stalls  (JankFrameChart *self, const JankChartSpan *spans, guint n_spans);

/* “follows” (boolean): shows the newest frames; “span-ms” (int): the time shown; “readout” (string, read-only): the
 * numbers of the frame at the cursor. Signal “activated” (gint64 began_ns, gint64 ended_ns). */
void     jank_frame_chart_set_follows (JankFrameChart *self, gboolean follows);
void     jank_frame_chart_zoom        (JankFrameChart *self, double factor);
/* Moves the cursor by so many frames. */
void     jank_frame_chart_step        (JankFrameChart *self, int n_frames);
/* What is shown. */
void     jank_frame_chart_get_range   (JankFrameChart *self, gint64 *ret_from_ns, gint64 *ret_to_ns);
