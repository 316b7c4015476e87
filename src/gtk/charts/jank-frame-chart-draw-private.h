/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The picture of JankFrameChart. */

#pragma once

#include "gtk/charts/jank-frame-chart-private.h"

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
