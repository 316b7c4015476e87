/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A dark pane over any content. Where its background is translucent, the light text has a shadow; the edge has a light
 * and a dark line. What colour tells, height tells too. */

#include "gtk/overlay/jank-overlay-parts-private.h"

#include <math.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"

#define PAD 10.0
#define RADIUS 9.0
#define INNER (JANK_OVERLAY_WIDTH_PX - 2 * PAD)

/* From here on, light text is readable on any content. */
#define NEEDS_NO_SHADOW 0.8

/* For so long a stall has its colour. */
#define STALL_IS_NEW_NS (7 * JANK_NS_PER_S)

#define STALL_MICROHANG_NS (250 * JANK_NS_PER_MS)
#define STALL_HANG_NS      (500 * JANK_NS_PER_MS)

/* How many refresh intervals fill the height of the strip. */
#define TOP_INTERVALS 16.0
#define STRIP_HEIGHT  40.0
#define SWATCH_PX     6.0

typedef enum { ALIGN_START, ALIGN_MIDDLE, ALIGN_END } Align;

typedef struct
{
  cairo_t      *cr;
  PangoContext *context;
  gboolean      is_rtl;
  gboolean      has_shadow;
  double        y; /* upper edge of the part that is drawn */
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

/* The names are short: all of them stand in one line. */
static const struct { GdkRGBA color; const char *name; } bands[] = {
  [JANK_FRAME_BAND_ON_TIME]    = { { 0.36f, 0.80f, 0.56f, 0.7f }, N_("on time") },
  [JANK_FRAME_BAND_LATE]       = { { 1.00f, 0.77f, 0.36f, 1.f }, N_("late") },
  [JANK_FRAME_BAND_VERY_LATE]  = { { 1.00f, 0.47f, 0.40f, 1.f }, N_("very late") },
  [JANK_FRAME_BAND_FROZEN]     = { { 0.95f, 0.42f, 0.85f, 1.f }, N_("frozen") },
  /* Translators: the display's or the compositor's fault. */
  [JANK_FRAME_BAND_COMPOSITOR] = { { 0.45f, 0.70f, 1.00f, 1.f }, N_("display") },
};

/* x: from the start edge; baseline: from the part's. Returns: the width */
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
  baseline += pen->y - (double) pango_layout_get_baseline (layout) / PANGO_SCALE;

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
jank_overlay_face_rounded_rectangle (cairo_t *cr, double height, double inset, double radius)
{
  double right = JANK_OVERLAY_WIDTH_PX - inset;
  double bottom = height - inset;

  cairo_new_sub_path (cr);
  cairo_arc (cr, right - radius, inset + radius, radius, -G_PI_2, 0);
  cairo_arc (cr, right - radius, bottom - radius, radius, 0, G_PI_2);
  cairo_arc (cr, inset + radius, bottom - radius, radius, G_PI_2, G_PI);
  cairo_arc (cr, inset + radius, inset + radius, radius, G_PI, 3 * G_PI_2);
  cairo_close_path (cr);
}

static void
jank_overlay_face_draw_background (cairo_t *cr, double height, double opacity)
{
  jank_overlay_face_rounded_rectangle (cr, height, 0, RADIUS);
  cairo_set_source_rgba (cr, 0.075, 0.078, 0.09, opacity);
  cairo_fill (cr);
  cairo_set_line_width (cr, 1);
  jank_overlay_face_rounded_rectangle (cr, height, 0.5, RADIUS - 0.5);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.55);
  cairo_stroke (cr);
  jank_overlay_face_rounded_rectangle (cr, height, 1.5, RADIUS - 1.5);
  cairo_set_source_rgba (cr, 1, 1, 1, 0.13);
  cairo_stroke (cr);
}

/* Returns: where the next text may begin */
static double
jank_overlay_face_draw_fps (const Pen *pen, const JankFrameNumbers *numbers, double size_px, double baseline)
{
  const Style big = { size_px, TRUE, white }, small = { 11, FALSE, dim };
  g_autofree char *fps = numbers->fps_now >= 0 ? g_strdup_printf ("%.0f", numbers->fps_now) : g_strdup ("–");
  double x = PAD;

  x += jank_overlay_face_draw_text (pen, fps, &big, x, baseline, ALIGN_START, 90) + 5;
  /* Translators: frames per second, behind the number. */
  return x + jank_overlay_face_draw_text (pen, _("FPS"), &small, x, baseline, ALIGN_START, 60) + 6;
}

static void
jank_overlay_face_draw_rate (const Pen *pen, const JankOverlayFace *self)
{
  const JankFrameNumbers *numbers = &self->numbers;
  const Style small = { 11, FALSE, dim };
  g_autofree char *refresh = NULL;

  jank_overlay_face_draw_fps (pen, numbers, 25, 29);
  if (numbers->refresh_ns <= 0)
    return;
  /* Translators: the refresh rate of the display; the second one where it is not known but assumed. */
  refresh = g_strdup_printf (numbers->refresh_assumed ? _("assuming %.0f Hz") : _("of %.0f Hz"),
                             (double) JANK_NS_PER_S / (double) numbers->refresh_ns);
  jank_overlay_face_draw_text (pen, refresh, &small, JANK_OVERLAY_WIDTH_PX - PAD, 29, ALIGN_END, 110);
}

/* column: 0, 1 or 2 */
static void
jank_overlay_face_draw_number (const Pen *pen, const char *title, const char *value, const GdkRGBA *color, Align column)
{
  const Style small = { 9.5, FALSE, dim };
  const Style strong = { 12.5, TRUE, *color };
  double x = PAD + INNER / 2 * column;

  jank_overlay_face_draw_text (pen, title, &small, x, 10, column, 78);
  jank_overlay_face_draw_text (pen, value, &strong, x, 24.5, column, 78);
}

static void
jank_overlay_face_draw_numbers (const Pen *pen, const JankOverlayFace *self)
{
  const JankFrameNumbers *numbers = &self->numbers;
  g_autofree char *low = numbers->fps_low >= 0 ? g_strdup_printf ("%.0f", numbers->fps_low) : g_strdup ("–");
  g_autofree char *dropped = g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) numbers->counts.dropped);
  /* Translators: milliseconds of hitches per second. */
  g_autofree char *hitch = g_strdup_printf (_("%.1f ms/s"), numbers->hitch_ms_per_s);
  const GdkRGBA *color = &good;

  if (numbers->hitch_band != JANK_HITCH_GOOD)
    color = numbers->hitch_band == JANK_HITCH_WARNING ? &warning : &bad;
  /* Translators: the frame rate of the slowest hundredth of the frames. */
  /* xgettext:no-c-format */
  jank_overlay_face_draw_number (pen, _("1% low"), low, &white, ALIGN_START);
  jank_overlay_face_draw_number (pen, _("Dropped"), dropped, &white, ALIGN_MIDDLE);
  if (numbers->counts.active_ns > 0)
    jank_overlay_face_draw_number (pen, _("Hitches"), hitch, color, ALIGN_END);
  else
    jank_overlay_face_draw_number (pen, _("Hitches"), "–", &white, ALIGN_END);
}

static void
jank_overlay_face_draw_time (const Pen *pen, const char *title, gint64 time_ns, Align column)
{
  g_autofree char *text = g_strdup_printf (_("%.1f ms"), (double) time_ns / JANK_NS_PER_MS);

  jank_overlay_face_draw_number (pen, title, time_ns > 0 ? text : "–", &white, column);
}

static void
jank_overlay_face_draw_times (const Pen *pen, const JankOverlayFace *self)
{
  /* Translators: of the times between frames: the median, the time that 99 of 100 do not exceed, the longest. */
  jank_overlay_face_draw_time (pen, _("Frame median"), self->numbers.p50_ns, ALIGN_START);
  jank_overlay_face_draw_time (pen, _("p99"), self->numbers.p99_ns, ALIGN_MIDDLE);
  jank_overlay_face_draw_time (pen, _("Longest"), self->numbers.longest_ns, ALIGN_END);
}

static char *
jank_overlay_face_describe_length (gint64 length_ns)
{
  if (length_ns < JANK_NS_PER_S)
    return g_strdup_printf (_("%.0f ms"), (double) length_ns / JANK_NS_PER_MS);
  return g_strdup_printf (_("%.1f s"), (double) length_ns / JANK_NS_PER_S);
}

/* Length, culprit, and at the end of the line when it ended: a clock's time stays true while nothing is drawn. */
static void
jank_overlay_face_draw_stall_from (const Pen *pen, const JankOverlayFace *self, double x, double baseline)
{
  gint64 length_ns = self->stall.duration_ns;
  const GdkRGBA *color = length_ns >= STALL_HANG_NS ? &bad : length_ns >= STALL_MICROHANG_NS ? &warning : &white;
  gboolean is_new = self->stall_age_ns < STALL_IS_NEW_NS;
  const Style strong = { 11.5, TRUE, is_new ? *color : dim }, normal = { 11.5, FALSE, is_new ? white : dim };
  const Style small = { 10, FALSE, dim };
  double end = JANK_OVERLAY_WIDTH_PX - PAD;
  g_autofree char *length = jank_overlay_face_describe_length (length_ns);

  if (!self->has_stall)
    {
      jank_overlay_face_draw_text (pen, _("No stall yet"), &small, x, baseline, ALIGN_START, end - x);
      return;
    }
  end -= jank_overlay_face_draw_text (pen, self->stall.ended_at, &small, end, baseline, ALIGN_END, 80) + 6;
  x += jank_overlay_face_draw_text (pen, length, &strong, x, baseline, ALIGN_START, 70) + 6;
  /* Translators: behind the length of a stall whose cause is not known. */
  jank_overlay_face_draw_text (pen, self->stall.culprit[0] != '\0' ? self->stall.culprit : _("stall"), &normal,
                               x, baseline, ALIGN_START, MAX (end - x, 0));
}

static void
jank_overlay_face_draw_stall (const Pen *pen, const JankOverlayFace *self)
{
  jank_overlay_face_draw_stall_from (pen, self, PAD, 13.5);
}

static void
jank_overlay_face_draw_line (const Pen *pen, const JankOverlayFace *self)
{
  jank_overlay_face_draw_stall_from (pen, self, jank_overlay_face_draw_fps (pen, &self->numbers, 14, 18), 18);
}

static void
jank_overlay_face_draw_input (const Pen *pen, const JankOverlayFace *self)
{
  const Style small = { 10, FALSE, dim };
  g_autofree char *p98 = self->input_p98_ns > 0 ? jank_overlay_face_describe_length (self->input_p98_ns) : NULL;
  /* Translators: the time that 98 of 100 clicks and keys did not exceed. */
  g_autofree char *text = g_strdup_printf (_("Clicks and keys: p98 %s"), p98 != NULL ? p98 : "–");

  jank_overlay_face_draw_text (pen, text, &small, PAD, 11, ALIGN_START, INNER);
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
  jank_overlay_face_draw_text (pen, text, &small, PAD, 9, ALIGN_START, INNER);
}

static double
jank_overlay_face_bar_height (gint64 time_ns, gint64 refresh_ns)
{
  double n_intervals = (double) time_ns / (double) refresh_ns;

  return CLAMP (STRIP_HEIGHT * log2 (1 + n_intervals) / log2 (1 + TOP_INTERVALS), 1, STRIP_HEIGHT);
}

static void
jank_overlay_face_draw_dashes (cairo_t *cr, double y)
{
  const double dashes[] = { 3, 3 };

  cairo_save (cr);
  cairo_set_line_width (cr, 1);
  cairo_set_dash (cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_set_source_rgba (cr, 1, 1, 1, 0.55);
  cairo_move_to (cr, PAD, floor (y) + 0.5);
  cairo_line_to (cr, PAD + INNER, floor (y) + 0.5);
  cairo_stroke (cr);
  cairo_restore (cr);
}

/* Heights are logarithmic, so that one dropped frame is visible beside a second without frames. */
static void
jank_overlay_face_draw_strip (const Pen *pen, const JankOverlayFace *self)
{
  gint64 refresh_ns = self->numbers.refresh_ns > 0 ? self->numbers.refresh_ns : JANK_FRAME_ASSUMED_REFRESH_NS;
  double bar_width = INNER / JANK_FRAME_N_BARS, bottom = pen->y + STRIP_HEIGHT;
  cairo_t *cr = pen->cr;

  cairo_rectangle (cr, PAD, pen->y, INNER, STRIP_HEIGHT);
  cairo_set_source_rgba (cr, 1, 1, 1, 0.06);
  cairo_fill (cr);

  for (guint band = 0; band < G_N_ELEMENTS (bands); band++)
    {
      for (guint i = 0; i < self->n_bars; i++)
        if (self->bars[i].band == band)
          {
            double height = jank_overlay_face_bar_height (self->bars[i].interval_ns, refresh_ns);

            cairo_rectangle (cr, PAD + INNER - (self->n_bars - i) * bar_width, bottom - height, bar_width, height);
          }
      gdk_cairo_set_source_rgba (cr, &bands[band].color);
      cairo_fill (cr);
    }
  jank_overlay_face_draw_dashes (cr, bottom - jank_overlay_face_bar_height (refresh_ns, refresh_ns));
}

static void
jank_overlay_face_draw_legend (const Pen *pen, const JankOverlayFace *self)
{
  const Style small = { 8.5, FALSE, dim };
  double x = PAD, end = PAD + INNER;

  for (guint band = 0; band < G_N_ELEMENTS (bands) && x + SWATCH_PX < end; band++)
    {
      cairo_rectangle (pen->cr, pen->is_rtl ? JANK_OVERLAY_WIDTH_PX - x - SWATCH_PX : x, pen->y + 2, SWATCH_PX,
                       SWATCH_PX);
      gdk_cairo_set_source_rgba (pen->cr, &bands[band].color);
      cairo_fill (pen->cr);
      x += SWATCH_PX + 3;
      x += jank_overlay_face_draw_text (pen, _(bands[band].name), &small, x, 8, ALIGN_START, MAX (end - x, 0)) + 7;
    }
}

/* From top to bottom; each is there from one preset to another. */
static const struct
{
  guint  from, to;
  double height;
  void (*draw) (const Pen *pen, const JankOverlayFace *self);
} parts[] = {
  { 1, 1, 26, jank_overlay_face_draw_line },
  { 2, 4, 36, jank_overlay_face_draw_rate },
  { 3, 4, STRIP_HEIGHT + 2, jank_overlay_face_draw_strip },
  { 3, 4, 12, jank_overlay_face_draw_legend },
  { 3, 4, 30, jank_overlay_face_draw_numbers },
  { 4, 4, 30, jank_overlay_face_draw_times },
  { 2, 4, 22, jank_overlay_face_draw_stall },
  { 4, 4, 15, jank_overlay_face_draw_input },
  { 4, 4, 14, jank_overlay_face_draw_cost },
};

double
jank_overlay_face_get_height (guint preset)
{
  double height = 0;

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (parts[i].from <= preset && preset <= parts[i].to)
      height += parts[i].height;
  return height;
}

cairo_surface_t *
jank_overlay_face_draw (const JankOverlayFace *self, const JankOverlayLook *look, PangoContext *context)
{
  double height = jank_overlay_face_get_height (look->preset);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32,
                                                         (int) ceil (JANK_OVERLAY_WIDTH_PX * look->scale),
                                                         (int) ceil (height * look->scale));
  cairo_t *cr = cairo_create (surface);
  Pen pen = { cr, context, look->is_rtl, look->opacity < NEEDS_NO_SHADOW, 0 };

  cairo_scale (cr, look->scale, look->scale);
  pango_cairo_update_context (cr, context);
  jank_overlay_face_draw_background (cr, height, look->opacity);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (parts[i].from <= look->preset && look->preset <= parts[i].to)
      {
        parts[i].draw (&pen, self);
        pen.y += parts[i].height;
      }
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}
