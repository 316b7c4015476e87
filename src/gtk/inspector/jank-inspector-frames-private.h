/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tab “Frames”: the chart, what its colours mean, and the numbers of one frame. Signal “stall-wanted”
 * (JankInspectorStall *): a frame was clicked in which the loop stalled. */

#pragma once

#include "gtk/inspector/jank-inspector-log-private.h"
#include "gtk/jank-gtk-names-private.h"

#define JANK_TYPE_INSPECTOR_FRAMES (jank_inspector_frames_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorFrames, jank_inspector_frames, JANK, INSPECTOR_FRAMES, GtkBox)

void jank_inspector_frames_set_log       (JankInspectorFrames *self, JankInspectorLog *log);
void jank_inspector_frames_update_stalls (JankInspectorFrames *self);
/* Sums up the frames that are shown. */
void jank_inspector_frames_look          (JankInspectorFrames *self);
