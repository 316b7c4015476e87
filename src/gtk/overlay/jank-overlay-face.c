/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A dark pane over any content. Where its background is translucent, the light text has a shadow; the edge has a light
 * and a dark line. What colour tells, height tells too. */

#include "config.h"

#include "gtk/overlay/jank-overlay-face-private.h"

#include <math.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"

#define PAD 10.0
#define RADIUS 9.0

/* From here on, light text is readable on any content. */
#define NEEDS_NO_SHADOW 0.8

/* How long a stall is shown before it fades. */
#define STALL_SHOWN_NS (5 * JANK_NS_PER_S)
#define STALL_FADES_NS (2 * JANK_NS_PER_S)

#define STALL_MICROHANG_NS (250 * JANK_NS_PER_MS)
#define STALL_HANG_NS      (500 * JANK_NS_PER_MS)

/* How many refresh intervals fill the height of the strip. */
#define TOP_INTERVALS 16.0

typedef enum { ALIGN_START, ALIGN_MIDDLE, ALIGN_END } Align;

typedef struct
{
  cairo_t      *cr;
  PangoContext *context;
  gboolean      is_rtl;
  gboolean      has_shadow;
} Pen;

typedef struct
{
  double  size_px;
  gboolean is_bold;
  GdkRGBA color;
} Style;

static const GdkRGBA white = { 1.f, 1.f, 1.f, 1.f };
static const GdkRGBA dim = { 1.f, 1.f, 1.f, 0.72f };
static const GdkRGBA good = { 0.43f, 0.91f, 0.60f, 1.f };
static const GdkRGBA warning = { 1.f, 0.77f, 0.36f, 1.f };
static const GdkRGBA bad = { 1.f, 0.50f, 0.44f, 1.f };

static const GdkRGBA band_colors[] = {
  [JANK_FRAME_BAND_ON_TIME]    = { 0.36f, 0.80f, 0.56f, 0.7f },
  [JANK_FRAME_BAND_LATE]       = { 1.00f, 0.77f, 0.36f, 1.f },
  [JANK_FRAME_BAND_VERY_LATE]  = { 1.00f, 0.47f, 0.40f, 1.f },
  [JANK_FRAME_BAND_FROZEN]     = { 0.95f, 0.42f, 0.85f, 1.f },
  [JANK_FRAME_BAND_COMPOSITOR] = { 0.45f, 0.70f, 1.00f, 1.f },
};

/* x: from the start edge. Returns: the width */
static double
jank_overlay_face_draw_text (const Pen *pen, const char *text, const Style *style, double x, double baseline,
                             Align align, double max_width)
{
  PangoLayout *layout = pango_layout_new (pen->context);
  PangoFontDescription *font = pango_font_description_copy (pango_context_get_font_description (pen->context));
  PangoAttrList *attributes = pango_attr_list_new ();
  PangoRectangle extents;
  double width, left;

  pango_font_description_set_absolute_size (font, style->size_px * PANGO_SCALE);
  pango_font_description_set_weight (font, style->is_bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description (layout, font);
  pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum=1"));
  pango_layout_set_attributes (layout, attributes);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  pango_layout_set_width (layout, (int) (max_width * PANGO_SCALE));
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_extents (layout, NULL, &extents);

  width = (double) extents.width / PANGO_SCALE;
  left = pen->is_rtl ? JANK_OVERLAY_WIDTH_PX - x - width : x;
  if (align != ALIGN_START)
    left += (pen->is_rtl ? 1 : -1) * width / (align == ALIGN_MIDDLE ? 2 : 1);
  left -= (double) extents.x / PANGO_SCALE;
  baseline -= (double) pango_layout_get_baseline (layout) / PANGO_SCALE;

  if (pen->has_shadow)
    {
      cairo_set_source_rgba (pen->cr, 0, 0, 0, 0.55 * style->color.alpha);
      cairo_move_to (pen->cr, left, baseline + 1);
      pango_cairo_show_layout (pen->cr, layout);
    }
  gdk_cairo_set_source_rgba (pen->cr, &style->color);
  cairo_move_to (pen->cr, left, baseline);
  pango_cairo_show_layout (pen->cr, layout);

  pango_attr_list_unref (attributes);
  pango_font_description_free (font);
  g_object_unref (layout);
  return width;
}

static void
jank_overlay_face_rounded_rectangle (cairo_t *cr, double inset, double radius)
{
  double right = JANK_OVERLAY_WIDTH_PX - inset;
  double bottom = JANK_OVERLAY_HEIGHT_PX - inset;

  cairo_new_sub_path (cr);
  cairo_arc (cr, right - radius, inset + radius, radius, -G_PI_2, 0);
  cairo_arc (cr, right - radius, bottom - radius, radius, 0, G_PI_2);
  cairo_arc (cr, inset + radius, bottom - radius, radius, G_PI_2, G_PI);
  cairo_arc (cr, inset + radius, inset + radius, radius, G_PI, 3 * G_PI_2);
  cairo_close_path (cr);
}

static void
jank_overlay_face_draw_background (cairo_t *cr, double opacity)
{
  jank_overlay_face_rounded_rectangle (cr, 0, RADIUS);
  cairo_set_source_rgba (cr, 0.075, 0.078, 0.09, opacity);
  cairo_fill (cr);
  cairo_set_line_width (cr, 1);
  jank_overlay_face_rounded_rectangle (cr, 0.5, RADIUS - 0.5);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.55);
  cairo_stroke (cr);
  jank_overlay_face_rounded_rectangle (cr, 1.5, RADIUS - 1.5);
  cairo_set_source_rgba (cr, 1, 1, 1, 0.13);
  cairo_stroke (cr);
}

static void
jank_overlay_face_draw_rate (const Pen *pen, const JankFrameNumbers *numbers)
{
  const Style big = { 25, TRUE, white }, small = { 11, FALSE, dim };
  g_autofree char *fps = NULL, *refresh = NULL;
  double width;

  if (numbers->fps_now >= 0)
    fps = g_strdup_printf ("%.0f", numbers->fps_now);
  width = jank_overlay_face_draw_text (pen, fps != NULL ? fps : "–", &big, PAD, 29, ALIGN_START, 90);
  /* Translators: frames per second, behind the number. */
  jank_overlay_face_draw_text (pen, _("FPS"), &small, PAD + width + 5, 29, ALIGN_START, 60);

  if (numbers->refresh_ns <= 0)
    return;
  /* Translators: the refresh rate of the display; the second one where it is not known but assumed. */
  refresh = g_strdup_printf (numbers->refresh_assumed ? _("assuming %.0f Hz") : _("of %.0f Hz"),
                             (double) JANK_NS_PER_S / (double) numbers->refresh_ns);
  jank_overlay_face_draw_text (pen, refresh, &small, JANK_OVERLAY_WIDTH_PX - PAD, 29, ALIGN_END, 110);
}

static void
jank_overlay_face_draw_number (const Pen *pen, const char *title, const char *value, const GdkRGBA *color,
                               double x, Align align)
{
  const Style small = { 9.5, FALSE, dim };
  const Style strong = { 12.5, TRUE, *color };

  jank_overlay_face_draw_text (pen, title, &small, x, 88, align, 90);
  jank_overlay_face_draw_text (pen, value, &strong, x, 102.5, align, 90);
}

static void
jank_overlay_face_draw_numbers (const Pen *pen, const JankFrameNumbers *numbers)
{
  g_autofree char *low = numbers->fps_low >= 0 ? g_strdup_printf ("%.0f", numbers->fps_low) : g_strdup ("–");
  g_autofree char *dropped = g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) numbers->dropped);
  /* Translators: milliseconds of hitches per second. */
  g_autofree char *hitch = g_strdup_printf (_("%.1f ms/s"), numbers->hitch_ms_per_s);
  const GdkRGBA *color = &good;

  if (numbers->hitch_band != JANK_HITCH_GOOD)
    color = numbers->hitch_band == JANK_HITCH_WARNING ? &warning : &bad;
  /* Translators: the frame rate of the slowest hundredth of the frames. */
  /* xgettext:no-c-format */
  jank_overlay_face_draw_number (pen, _("1% low"), low, &white, PAD, ALIGN_START);
  jank_overlay_face_draw_number (pen, _("Dropped"), dropped, &white, JANK_OVERLAY_WIDTH_PX / 2.0, ALIGN_MIDDLE);
  if (numbers->active_ns > 0)
    jank_overlay_face_draw_number (pen, _("Hitches"), hitch, color, JANK_OVERLAY_WIDTH_PX - PAD, ALIGN_END);
  else
    jank_overlay_face_draw_number (pen, _("Hitches"), "–", &white, JANK_OVERLAY_WIDTH_PX - PAD, ALIGN_END);
}

static float
jank_overlay_face_stall_alpha (const JankOverlayFace *self)
{
  if (!self->has_stall || self->stall_age_ns >= STALL_SHOWN_NS + STALL_FADES_NS)
    return 0.f;
  return 1.f - (float) MAX (self->stall_age_ns - STALL_SHOWN_NS, 0) / (float) STALL_FADES_NS;
}

static char *
jank_overlay_face_describe_length (gint64 length_ns)
{
  if (length_ns < JANK_NS_PER_S)
    return g_strdup_printf (_("%.0f ms"), (double) length_ns / JANK_NS_PER_MS);
  return g_strdup_printf (_("%.1f s"), (double) length_ns / JANK_NS_PER_S);
}

static void
jank_overlay_face_draw_stall (const Pen *pen, const JankOverlayFace *self)
{
  const GdkRGBA *color = self->stall_ns >= STALL_MICROHANG_NS ? &warning : &white;
  Style strong = { 11.5, TRUE, self->stall_ns >= STALL_HANG_NS ? bad : *color };
  Style normal = { 11.5, FALSE, white };
  float alpha = jank_overlay_face_stall_alpha (self);
  g_autofree char *text = NULL;
  double width;

  if (alpha > 0.f)
    {
      g_autofree char *length = jank_overlay_face_describe_length (self->stall_ns);

      strong.color.alpha = normal.color.alpha = alpha;
      width = jank_overlay_face_draw_text (pen, length, &strong, PAD, 121.5, ALIGN_START, 70);
      /* Translators: behind the length of a stall whose cause is not known. */
      jank_overlay_face_draw_text (pen, self->culprit[0] != '\0' ? self->culprit : _("stall"), &normal,
                                   PAD + width + 6, 121.5, ALIGN_START,
                                   JANK_OVERLAY_WIDTH_PX - 2 * PAD - 6 - width);
      return;
    }
  normal.color = dim;
  if (self->input_p98_ns > 0)
    {
      g_autofree char *p98 = jank_overlay_face_describe_length (self->input_p98_ns);

      /* Translators: the time that 98 of 100 clicks and keys did not exceed. */
      text = g_strdup_printf (_("Clicks and keys: p98 %s"), p98);
    }
  jank_overlay_face_draw_text (pen, text != NULL ? text : self->has_stall ? _("No recent stall") : _("No stall yet"), &normal,
                               PAD, 121.5, ALIGN_START, 200);
}

static void
jank_overlay_face_draw_cost (const Pen *pen, const JankOverlayFace *self)
{
  const Style small = { 8.5, FALSE, { 1.f, 1.f, 1.f, 0.65f } };
  g_autofree char *text = NULL;

  if (self->cost_us_per_frame <= 0)
    return;
  /* Translators: what the overlay costs the program: time per frame, and share of the time. */
  text = g_strdup_printf (_("overlay %.0f µs per frame, %.1f%%"), self->cost_us_per_frame, 100 * self->cost_share);
  jank_overlay_face_draw_text (pen, text, &small, PAD, 134, ALIGN_START, 200);
}

static void
jank_overlay_face_draw_rule (cairo_t *cr, double y)
{
  cairo_rectangle (cr, PAD, y, JANK_OVERLAY_WIDTH_PX - 2 * PAD, 1);
  cairo_set_source_rgba (cr, 1, 1, 1, 0.1);
  cairo_fill (cr);
}

static double
jank_overlay_face_bar_height (gint64 time_ns, gint64 refresh_ns, double height)
{
  double n_intervals = (double) time_ns / (double) refresh_ns;

  return CLAMP (height * log2 (1 + n_intervals) / log2 (1 + TOP_INTERVALS), 1, height);
}

static void
jank_overlay_face_draw_line (cairo_t *cr, double x, double y, double width)
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

/* Heights are logarithmic, so that one dropped frame is visible beside a second without frames. */
static void
jank_overlay_face_draw_strip (cairo_t *cr, const JankOverlayFace *face, double x, double y, double width, double height)
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
            double h = jank_overlay_face_bar_height (face->bars[i].interval_ns, refresh_ns, height);

            cairo_rectangle (cr, x + width - (face->n_bars - i) * bar_width, y + height - h, bar_width, h);
          }
      gdk_cairo_set_source_rgba (cr, &band_colors[band]);
      cairo_fill (cr);
    }
  jank_overlay_face_draw_line (cr, x,
                                y + height - jank_overlay_face_bar_height (refresh_ns, refresh_ns, height), width);
}

cairo_surface_t *
jank_overlay_face_draw (const JankOverlayFace *self, const JankOverlayLook *look, PangoContext *context)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32,
                                                         (int) ceil (JANK_OVERLAY_WIDTH_PX * look->scale),
                                                         (int) ceil (JANK_OVERLAY_HEIGHT_PX * look->scale));
  cairo_t *cr = cairo_create (surface);
  Pen pen = { cr, context, look->is_rtl, look->opacity < NEEDS_NO_SHADOW };

  cairo_scale (cr, look->scale, look->scale);
  pango_cairo_update_context (cr, context);
  jank_overlay_face_draw_background (cr, look->opacity);
  jank_overlay_face_draw_rate (&pen, &self->numbers);
  jank_overlay_face_draw_strip (cr, self, PAD, 36, JANK_OVERLAY_WIDTH_PX - 2 * PAD, 40);
  jank_overlay_face_draw_numbers (&pen, &self->numbers);
  jank_overlay_face_draw_rule (cr, 108);
  jank_overlay_face_draw_stall (&pen, self);
  jank_overlay_face_draw_cost (&pen, self);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}
