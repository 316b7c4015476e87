/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rectangles and a few texts. Frames narrower than a pixel share a column, which shows the one with the most work,
 * and is late if any of them is. */

#include "gtk/charts/jank-frame-chart-private.h"

#include <math.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "gtk/charts/jank-palette-private.h"

/* How many refresh intervals fill the height. */
#define N_REFRESH 3.5

typedef struct
{
  GtkWidget           *widget;
  JankCanvas          *canvas;
  const JankChartView *view;
  GdkRGBA              text;
  gboolean             dark;
  double               width, base_y, height; /* of the bars */
  double               px_per_ns;             /* along time */
  double               top_ns;                /* work that fills the height */
  gboolean             mirrored;              /* time runs from right to left */
} Draw;

typedef struct
{
  double         x0, x1;
  JankFrameEntry entry;
  gboolean       is_set;
} Column;

gint64
jank_frame_chart_end_ns (const JankFrameEntry *entry)
{
  return entry->begin_ns + MAX (entry->interval_ns, jank_frame_entry_work_ns (entry));
}

static void
jank_frame_chart_draw_add_rect (const Draw *draw, double x0, double x1, double y, double height, const GdkRGBA *color)
{
  jank_canvas_add_rect (draw->canvas, color, draw->mirrored ? draw->width - x1 : x0, y, x1 - x0, height);
}

/* x: of its middle; of its left edge where align is 0. */
static void
jank_frame_chart_draw_add_text (const Draw *draw, const char *text, double x, double y, double align, double alpha)
{
  PangoLayout *layout = jank_palette_make_layout (draw->widget, text, 0.8);
  GdkRGBA color = jank_palette_with_alpha (&draw->text, alpha);
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  x = CLAMP ((draw->mirrored ? draw->width - x : x) - align * width, 2, MAX (draw->width - width - 2, 2));
  jank_canvas_add_text (draw->canvas, &color, layout, x, y);
  g_object_unref (layout);
}

static double
jank_frame_chart_draw_x_of (const Draw *draw, gint64 at_ns)
{
  return (double) (at_ns - draw->view->from_ns) * draw->px_per_ns;
}

static void
jank_frame_chart_draw_add_parts (const Draw *draw, const JankFrameEntry *entry, double x0, double x1)
{
  double y = draw->base_y;

  for (guint part = 0; part < JANK_N_PARTS; part++)
    {
      double height = MIN ((double) entry->part_ns[part] / draw->top_ns * draw->height, y - JANK_CHART_TOP_PX);
      GdkRGBA color = jank_palette_get (JANK_COLOR_PART + part, draw->dark);

      if (height < 0.2)
        continue;
      y -= height;
      jank_frame_chart_draw_add_rect (draw, x0, x1, y, height, &color);
    }
  /* The bar goes on above. */
  if ((double) jank_frame_entry_work_ns (entry) > draw->top_ns && entry->band != JANK_FRAME_BAND_ON_TIME)
    {
      GdkRGBA color = jank_palette_get (JANK_COLOR_BAND + entry->band, draw->dark);

      jank_frame_chart_draw_add_rect (draw, x0, x1, JANK_CHART_TOP_PX, 4, &color);
    }
}

static void
jank_frame_chart_draw_flush_column (const Draw *draw, Column *column)
{
  double inset = column->x1 - column->x0 >= 4 ? 1 : 0;
  double x0 = MAX (column->x0, 0), x1 = MIN (MAX (column->x1 - inset, column->x0 + 1), draw->width);
  const JankFrameEntry *entry = &column->entry;

  if (!column->is_set || x1 <= x0)
    return;
  column->is_set = FALSE;
  if (entry->band != JANK_FRAME_BAND_ON_TIME)
    {
      GdkRGBA color = jank_palette_get (JANK_COLOR_BAND + entry->band, draw->dark);
      GdkRGBA ground = jank_palette_with_alpha (&color, 0.16);

      jank_frame_chart_draw_add_rect (draw, x0, x1, JANK_CHART_TOP_PX, draw->height, &ground);
      jank_frame_chart_draw_add_rect (draw, x0, MAX (x1, x0 + 2), draw->base_y + 2, 5, &color);
    }
  jank_frame_chart_draw_add_parts (draw, entry, x0, x1);
}

static void
jank_frame_chart_draw_add_frame (const Draw *draw, Column *column, const JankFrameEntry *entry)
{
  double x0 = jank_frame_chart_draw_x_of (draw, entry->begin_ns);
  double x1 = jank_frame_chart_draw_x_of (draw, jank_frame_chart_end_ns (entry));

  if (x1 - x0 >= 1)
    {
      jank_frame_chart_draw_flush_column (draw, column);
      *column = (Column) { x0, x1, *entry, TRUE };
      jank_frame_chart_draw_flush_column (draw, column);
      return;
    }
  x0 = floor (x0);
  if (column->is_set && column->x0 == x0)
    {
      JankFrameBand band = MAX (column->entry.band, entry->band);

      if (jank_frame_entry_work_ns (entry) > jank_frame_entry_work_ns (&column->entry))
        column->entry = *entry;
      column->entry.band = band;
      return;
    }
  jank_frame_chart_draw_flush_column (draw, column);
  *column = (Column) { x0, x0 + 1, *entry, TRUE };
}

static void
jank_frame_chart_draw_frames (const Draw *draw)
{
  const JankFrameHistory *history = draw->view->history;
  guint n = jank_frame_history_get_n (history), first = jank_frame_history_find (history, draw->view->from_ns);
  Column column = { 0 };

  /* The first whose bar may reach into view: frames of several windows overlap, so look a few back. */
  for (guint i = first > 8 ? first - 8 : 0; i < n; i++)
    {
      const JankFrameEntry *entry = jank_frame_history_get (history, i);

      if (entry->begin_ns >= draw->view->to_ns)
        break;
      if (jank_frame_chart_end_ns (entry) > draw->view->from_ns)
        jank_frame_chart_draw_add_frame (draw, &column, entry);
    }
  jank_frame_chart_draw_flush_column (draw, &column);
}

static gint64
jank_frame_chart_draw_find_refresh_ns (const JankChartView *view)
{
  guint n = view->history != NULL ? jank_frame_history_get_n (view->history) : 0;
  guint end = n > 0 ? jank_frame_history_find (view->history, view->to_ns) : 0;

  return end > 0 ? jank_frame_history_get (view->history, end - 1)->refresh_us * JANK_NS_PER_US
                 : JANK_FRAME_ASSUMED_REFRESH_NS;
}

static void
jank_frame_chart_draw_refresh_lines (const Draw *draw, gint64 refresh_ns)
{
  for (guint k = 1; k <= 3; k++)
    {
      double y = draw->base_y - (double) (k * refresh_ns) / draw->top_ns * draw->height;
      g_autofree char *text = g_strdup_printf (_("%.1f ms"), (double) (k * refresh_ns) / JANK_NS_PER_MS);
      GdkRGBA color = jank_palette_with_alpha (&draw->text, k == 1 ? 0.55 : 0.15);

      jank_frame_chart_draw_add_rect (draw, 0, draw->width, floor (y), 1, &color);
      jank_frame_chart_draw_add_text (draw, text, 4, y - 15, draw->mirrored ? 1 : 0, k == 1 ? 0.8 : 0.5);
    }
}

/* A round step of time, with room for its labels. */
static gint64
jank_frame_chart_draw_find_step_ns (const Draw *draw)
{
  static const int steps_ms[] = { 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 120000 };

  for (guint i = 0; i < G_N_ELEMENTS (steps_ms); i++)
    if (steps_ms[i] * JANK_NS_PER_MS * draw->px_per_ns >= 70)
      return steps_ms[i] * JANK_NS_PER_MS;
  return 300 * JANK_NS_PER_S;
}

/* Returns: (transfer full) */
static char *
jank_frame_chart_draw_describe_time (gint64 ago_ns, gint64 step_ns)
{
  double s = (double) ago_ns / JANK_NS_PER_S;

  return step_ns < JANK_NS_PER_S ? g_strdup_printf (_("−%.1f s"), s) : g_strdup_printf (_("−%.0f s"), s);
}

static void
jank_frame_chart_draw_times (const Draw *draw)
{
  gint64 step_ns = jank_frame_chart_draw_find_step_ns (draw), to_ns = draw->view->to_ns;
  GdkRGBA color = jank_palette_with_alpha (&draw->text, 0.1);
  GdkRGBA base = jank_palette_with_alpha (&draw->text, 0.3);
  gint64 first_ns = (draw->view->zero_ns - to_ns) / step_ns * step_ns;

  if (first_ns < draw->view->zero_ns - to_ns)
    first_ns += step_ns;
  for (gint64 ago_ns = first_ns; draw->view->zero_ns - ago_ns > draw->view->from_ns; ago_ns += step_ns)
    {
      double x = jank_frame_chart_draw_x_of (draw, draw->view->zero_ns - ago_ns);
      g_autofree char *time = jank_frame_chart_draw_describe_time (ago_ns, step_ns);
      const char *zero = _("now");

      jank_frame_chart_draw_add_rect (draw, floor (x), floor (x) + 1, JANK_CHART_TOP_PX, draw->height, &color);
      jank_frame_chart_draw_add_text (draw, ago_ns != 0 ? time : zero, x, draw->base_y + 9, 0.5, 0.7);
    }
  jank_frame_chart_draw_add_rect (draw, 0, draw->width, draw->base_y, 1, &base);
}

static void
jank_frame_chart_draw_stalls (const Draw *draw)
{
  GdkRGBA color = jank_palette_get (JANK_COLOR_BAND + JANK_FRAME_BAND_FROZEN, draw->dark);

  for (guint i = 0; i < draw->view->n_stalls; i++)
    {
      double x0 = MAX (jank_frame_chart_draw_x_of (draw, draw->view->stalls[i].began_ns), 0);
      double x1 = MIN (jank_frame_chart_draw_x_of (draw, draw->view->stalls[i].ended_ns), draw->width);

      if (x1 < 0 || x0 > draw->width)
        continue;
      x1 = MIN (MAX (x1, x0 + 4), draw->width);
      jank_frame_chart_draw_add_rect (draw, x0, x1, 3, JANK_CHART_TOP_PX - 6, &color);
    }
}

static void
jank_frame_chart_draw_cursor (const Draw *draw)
{
  const JankFrameEntry *entry;
  GdkRGBA color = jank_palette_with_alpha (&draw->text, draw->view->has_focus ? 0.28 : 0.16);
  double x0, x1;

  if (draw->view->cursor < 0 || draw->view->history == NULL ||
      draw->view->cursor >= (gint) jank_frame_history_get_n (draw->view->history))
    return;
  entry = jank_frame_history_get (draw->view->history, (guint) draw->view->cursor);
  x0 = jank_frame_chart_draw_x_of (draw, entry->begin_ns);
  x1 = MAX (jank_frame_chart_draw_x_of (draw, jank_frame_chart_end_ns (entry)), x0 + 3);
  if (x1 > 0 && x0 < draw->width)
    jank_frame_chart_draw_add_rect (draw, MAX (x0, 0), MIN (x1, draw->width), JANK_CHART_TOP_PX,
                                    draw->height + 8, &color);
}

static Draw
jank_frame_chart_draw_begin_draw (GtkWidget *widget, JankCanvas *canvas, const JankChartView *view)
{
  Draw draw = {
    .widget = widget,
    .canvas = canvas,
    .view = view,
    .width = gtk_widget_get_width (widget),
    .base_y = gtk_widget_get_height (widget) - JANK_CHART_BOTTOM_PX,
    .mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL,
  };

  draw.height = MAX (draw.base_y - JANK_CHART_TOP_PX, 1);
  draw.px_per_ns = draw.width / (double) MAX (view->to_ns - view->from_ns, 1);
  draw.top_ns = N_REFRESH * (double) jank_frame_chart_draw_find_refresh_ns (view);
  return draw;
}

void
jank_frame_chart_draw (GtkWidget *widget, JankCanvas *canvas, const JankChartView *view)
{
  Draw draw = jank_frame_chart_draw_begin_draw (widget, canvas, view);

  jank_widget_get_color (widget, &draw.text);
  draw.dark = jank_palette_is_dark (&draw.text);
  jank_frame_chart_draw_times (&draw);
  jank_frame_chart_draw_stalls (&draw);
  if (view->history != NULL)
    jank_frame_chart_draw_frames (&draw);
  jank_frame_chart_draw_refresh_lines (&draw, jank_frame_chart_draw_find_refresh_ns (view));
  jank_frame_chart_draw_cursor (&draw);
}

gint
jank_frame_chart_pick (GtkWidget *widget, const JankChartView *view, double x)
{
  Draw draw = jank_frame_chart_draw_begin_draw (widget, NULL, view);
  gint64 at_ns;
  guint end, first;

  if (view->history == NULL || jank_frame_history_get_n (view->history) == 0)
    return -1;
  at_ns = view->from_ns + (gint64) ((draw.mirrored ? draw.width - x : x) / draw.px_per_ns);
  end = jank_frame_history_find (view->history, at_ns);
  first = end > 8 ? end - 8 : 0;
  for (guint i = end; i > first; i--)
    if (jank_frame_chart_end_ns (jank_frame_history_get (view->history, i - 1)) +
        (gint64) (2 / draw.px_per_ns) >= at_ns)
      return (gint) i - 1;
  return -1;
}
