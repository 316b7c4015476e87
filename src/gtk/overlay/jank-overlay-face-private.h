/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Draws the overlay as one picture: a frame that shows it again draws a rectangle and no text. Any thread that owns
 * the Pango context. */

#pragma once

#include "frames/jank-frame-summary-private.h"
#include "gtk/jank-gtk-names-private.h"
#include "gtk/jank-gtk-plugin-private.h"

/* At scale 1. */
#define JANK_OVERLAY_WIDTH_PX 260

typedef struct
{
  JankFrameNumbers numbers;
  guint            n_bars;
  JankFrameBar     bars[JANK_FRAME_N_BARS];  /* oldest first */
  gboolean         has_stall;
  JankGtkStall     stall;
  gint64           stall_age_ns;             /* how long ago it ended */
  gint64           input_p98_ns;             /* 0: nothing was done that could be timed */
  double           cost_us_per_frame, cost_share;
} JankOverlayFace;

typedef struct
{
  guint        preset;    /* 1: one line, 4: all there is */
  double       scale;     /* the user's times the window's */
  double       opacity;   /* of the background */
  gboolean     is_rtl;
} JankOverlayLook;

/* At scale 1. */
double           jank_overlay_face_get_height (guint preset);

/* context: has GTK's font settings. Returns: (transfer full): an image of width and height times scale, rounded up */
cairo_surface_t *jank_overlay_face_draw       (const JankOverlayFace *self, const JankOverlayLook *look,
                                               PangoContext *context);
