/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames of a stored session: figures in a sentence, and the inspector's chart. Files keep only the late ones, the last
 * JANK_FRAME_N_LATE of a process and those before each report. */

#pragma once

#include "gtk/charts/jank-frame-chart-private.h"
#include "report/jank-report-private.h"
#include "store/jank-session-private.h"

#define JANK_TYPE_VIEW_FRAMES (jank_view_frames_get_type ())
G_DECLARE_FINAL_TYPE (JankViewFrames, jank_view_frames, JANK, VIEW_FRAMES, GtkBox)

/* file (nullable): of the report's process. Invisible where no frame is known. */
void jank_view_frames_set    (JankViewFrames *self, const JankReport *report, const JankSessionSummary *file);
