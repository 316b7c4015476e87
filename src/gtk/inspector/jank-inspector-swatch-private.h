/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A square of a chart's colour and what that means, for its legend. Properties “label” and “color-name” (string):
 * "update", "layout", "paint", "other", "late", "very-late", "frozen", "compositor", "own", "library", "computing",
 * "blocked", "preempted". */

#pragma once

#include "gtk/charts/jank-drawing-private.h"

#define JANK_TYPE_INSPECTOR_SWATCH (jank_inspector_swatch_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorSwatch, jank_inspector_swatch, JANK, INSPECTOR_SWATCH, JankDrawing)
