/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How busy the loop was is known of the seconds in which this was shown; frames are known from before. */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "gtk/charts/jank-palette-private.h"

#define N_SECONDS 60
#define HEIGHT_PX 72
#define LINE_PX   2
#define MARK_PX   4
#define TOP_PX    (MARK_PX + 3)
#define UNKNOWN   (-1.0)

/* The least that fills the height. */
#define MIN_TOP_FPS 30.0

struct _JankInspectorMinute
{
  JankDrawing parent_instance;

  gint64      second;             /* the newest complete one; 0: none so far */
  double      fps[N_SECONDS];     /* oldest first */
  double      busy[N_SECONDS];    /* shares of the height; UNKNOWN */
  gboolean    stalled[N_SECONDS];
  double      top_fps;            /* at the upper edge */
};

G_DEFINE_FINAL_TYPE (JankInspectorMinute, jank_inspector_minute, JANK_TYPE_DRAWING)

typedef struct
{
  JankCanvas *canvas;
  double      step, height; /* of a second, of the lines */
  gboolean    is_rtl;
  double      width;
} Draw;

static void
jank_inspector_minute_add_rect (const Draw *draw, const GdkRGBA *color, double x, double y, double width, double height)
{
  jank_canvas_add_rect (draw->canvas, color, draw->is_rtl ? draw->width - x - width : x, y, width, height);
}

/* Steps: a second has one value. */
static void
jank_inspector_minute_draw_line (const Draw *draw, const GdkRGBA *color, const double *values, double top)
{
  double former = UNKNOWN;

  for (guint i = 0; i < N_SECONDS; i++)
    {
      double y = TOP_PX + (draw->height - LINE_PX) * (1 - CLAMP (values[i] / top, 0, 1));

      if (values[i] < 0)
        {
          former = UNKNOWN;
          continue;
        }
      jank_inspector_minute_add_rect (draw, color, i * draw->step, y, draw->step, LINE_PX);
      if (former >= 0)
        jank_inspector_minute_add_rect (draw, color, i * draw->step, MIN (y, former), LINE_PX,
                                        ABS (y - former) + LINE_PX);
      former = y;
    }
}

static void
jank_inspector_minute_draw (JankDrawing *drawing, JankCanvas *canvas)
{
  JankInspectorMinute *self = JANK_INSPECTOR_MINUTE (drawing);
  GtkWidget *widget = GTK_WIDGET (self);
  Draw draw = { .canvas = canvas, .width = gtk_widget_get_width (widget) };
  GdkRGBA text, faint, color;
  gboolean is_dark;

  draw.step = draw.width / N_SECONDS;
  draw.height = gtk_widget_get_height (widget) - TOP_PX;
  draw.is_rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  jank_widget_get_color (widget, &text);
  is_dark = jank_palette_is_dark (&text);
  faint = jank_palette_with_alpha (&text, 0.06);
  jank_inspector_minute_add_rect (&draw, &faint, 0, TOP_PX, draw.width, draw.height);
  color = jank_palette_find ("computing", is_dark);
  jank_inspector_minute_draw_line (&draw, &color, self->busy, 1);
  color = jank_palette_find ("update", is_dark);
  jank_inspector_minute_draw_line (&draw, &color, self->fps, self->top_fps);
  color = jank_palette_find ("frozen", is_dark);
  for (guint i = 0; i < N_SECONDS; i++)
    if (self->stalled[i])
      jank_inspector_minute_add_rect (&draw, &color, i * draw.step, 0, draw.step, MARK_PX);
}

static void
jank_inspector_minute_measure (JankDrawing *drawing, GtkOrientation orientation, int *minimum, int *natural)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? N_SECONDS : HEIGHT_PX;
}

static void
jank_inspector_minute_class_init (JankInspectorMinuteClass *klass)
{
  JANK_DRAWING_CLASS (klass)->draw = jank_inspector_minute_draw;
  JANK_DRAWING_CLASS (klass)->measure = jank_inspector_minute_measure;
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_IMG);
}

static void
jank_inspector_minute_init (JankInspectorMinute *self)
{
  for (guint i = 0; i < N_SECONDS; i++)
    self->busy[i] = self->fps[i] = UNKNOWN;
}

/* Returns: in how many seconds */
static guint
jank_inspector_minute_mark_stalls (JankInspectorMinute *self, JankInspectorLog *log)
{
  guint n_spans = 0, n_stalled = 0;
  const JankInspectorSpan *spans = log != NULL ? jank_inspector_log_get_spans (log, &n_spans) : NULL;
  gint64 oldest = self->second - N_SECONDS + 1;

  memset (self->stalled, 0, sizeof self->stalled);
  for (guint i = 0; i < n_spans; i++)
    for (gint64 second = MAX (spans[i].began_ns / JANK_NS_PER_S, oldest);
         second <= MIN (spans[i].ended_ns / JANK_NS_PER_S, self->second); second++)
      self->stalled[second - oldest] = TRUE;
  for (guint i = 0; i < N_SECONDS; i++)
    n_stalled += (guint) self->stalled[i];
  return n_stalled;
}

void
jank_inspector_minute_update (JankInspectorMinute *self, gint64 now_ns, double busy,
                              const JankFrameHistory *history, JankInspectorLog *log)
{
  gint64 second = now_ns / JANK_NS_PER_S - 1, oldest_ns = (second - N_SECONDS + 1) * JANK_NS_PER_S;
  gint64 first_ns = jank_frame_history_get_n (history) > 0 ? jank_frame_history_get (history, 0)->begin_ns : G_MAXINT64;
  guint n_stalled;
  g_autofree char *text = NULL;

  if (second == self->second)
    return;
  for (guint i = 0; i < N_SECONDS; i++)
    self->busy[i] = i + second - self->second < N_SECONDS ? self->busy[i + second - self->second] : UNKNOWN;
  self->busy[N_SECONDS - 1] = busy;
  self->second = second;
  self->top_fps = MIN_TOP_FPS;
  for (guint i = 0; i < N_SECONDS; i++)
    {
      gint64 from_ns = oldest_ns + i * JANK_NS_PER_S, to_ns = from_ns + JANK_NS_PER_S;

      self->fps[i] = to_ns <= first_ns ? UNKNOWN : jank_frame_history_find (history, to_ns) -
                                                   jank_frame_history_find (history, from_ns);
      self->top_fps = MAX (self->top_fps, self->fps[i]);
    }
  n_stalled = jank_inspector_minute_mark_stalls (self, log);
  text = g_strdup_printf (ngettext ("a stall in %u second", "stalls in %u seconds", n_stalled), n_stalled);
  jank_widget_describe (GTK_WIDGET (self), _("Last minute"), text);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
