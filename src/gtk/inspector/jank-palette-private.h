/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The colours of charts, for light and dark themes. Pure. */

#pragma once

#include <gtk/gtk.h>

#include "gtk/inspector/jank-frame-history-private.h"

/* Whether text of that colour is for a dark background. */
gboolean jank_palette_is_dark   (const GdkRGBA *text);

GdkRGBA  jank_palette_part      (JankFramePart part, gboolean dark);
GdkRGBA  jank_palette_band      (JankFrameBand band, gboolean dark);
/* The program's own code: a warm colour. */
GdkRGBA  jank_palette_own       (gboolean dark);
/* A library: a cool colour, by its name. */
GdkRGBA  jank_palette_module    (const char *file, gboolean dark);
GdkRGBA  jank_palette_computing (gboolean dark);
GdkRGBA  jank_palette_blocked   (gboolean dark);
GdkRGBA  jank_palette_preempted (gboolean dark);
GdkRGBA  jank_palette_with_alpha (const GdkRGBA *color, double alpha);
