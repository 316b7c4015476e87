/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "gtk/overlay/jank-overlay-face-private.h"

/* The last frame times as bars, newest at the right edge in every text direction. */
void jank_overlay_strip_draw (cairo_t *cr, const JankOverlayFace *face, double x, double y,
                              double width, double height);
