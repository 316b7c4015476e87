/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A stall's samples on a line of time: computing, blocked, waiting for a CPU. */

#pragma once

#include "gtk/charts/jank-drawing-private.h"
#include "report/jank-report-private.h"

#define JANK_TYPE_SAMPLE_STRIP (jank_sample_strip_get_type ())
G_DECLARE_FINAL_TYPE (JankSampleStrip, jank_sample_strip, JANK, SAMPLE_STRIP, JankDrawing)

/* report (nullable): a reference is kept */
void jank_sample_strip_set_report (JankSampleStrip *self, JankReport *report);
