/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Heights are logarithmic, so that one dropped frame is visible beside a second without frames. */

#include "config.h"

#include "gtk/overlay/jank-overlay-strip-private.h"

#include <math.h>

/* How many refresh intervals fill the height. */
#define TOP_INTERVALS 16.0

static const GdkRGBA band_colors[] = {
  [JANK_FRAME_BAND_ON_TIME]    = { 0.36f, 0.80f, 0.56f, 0.7f },
  [JANK_FRAME_BAND_LATE]       = { 1.00f, 0.77f, 0.36f, 1.f },
  [JANK_FRAME_BAND_VERY_LATE]  = { 1.00f, 0.47f, 0.40f, 1.f },
  [JANK_FRAME_BAND_FROZEN]     = { 0.95f, 0.42f, 0.85f, 1.f },
  [JANK_FRAME_BAND_COMPOSITOR] = { 0.45f, 0.70f, 1.00f, 1.f },
};

static double
jank_overlay_strip_bar_height (gint64 time_ns, gint64 refresh_ns, double height)
{
  double n_intervals = (double) time_ns / (double) refresh_ns;

  return CLAMP (height * log2 (1 + n_intervals) / log2 (1 + TOP_INTERVALS), 1, height);
}

static void
jank_overlay_strip_draw_line (cairo_t *cr, double x, double y, double width)
{
  const double dashes[] = { 3, 3 };

  cairo_save (cr);
  cairo_set_line_width (cr, 1);
  cairo_set_dash (cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_set_source_rgba (cr, 1, 1, 1, 0.55);
  cairo_move_to (cr, x, floor (y) + 0.5);
  cairo_line_to (cr, x + width, floor (y) + 0.5);
  cairo_stroke (cr);
  cairo_restore (cr);
}

void
jank_overlay_strip_draw (cairo_t *cr, const JankOverlayFace *face, double x, double y, double width, double height)
{
  gint64 refresh_ns = face->numbers.refresh_ns > 0 ? face->numbers.refresh_ns : JANK_FRAME_ASSUMED_REFRESH_NS;
  double bar_width = width / JANK_FRAME_N_BARS;

  cairo_rectangle (cr, x, y, width, height);
  cairo_set_source_rgba (cr, 1, 1, 1, 0.06);
  cairo_fill (cr);

  for (guint band = 0; band < G_N_ELEMENTS (band_colors); band++)
    {
      for (guint i = 0; i < face->n_bars; i++)
        if (face->bars[i].band == band)
          {
            double h = jank_overlay_strip_bar_height (face->bars[i].interval_ns, refresh_ns, height);

            cairo_rectangle (cr, x + width - (face->n_bars - i) * bar_width, y + height - h, bar_width, h);
          }
      gdk_cairo_set_source_rgba (cr, &band_colors[band]);
      cairo_fill (cr);
    }
  jank_overlay_strip_draw_line (cr, x,
                                y + height - jank_overlay_strip_bar_height (refresh_ns, refresh_ns, height), width);
}
