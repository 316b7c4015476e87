/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Time while the program was stopped is left empty. */

#include "gtk/charts/jank-sample-strip-private.h"

#include <glib/gi18n-lib.h>

#include "text/jank-text-report-private.h"
#include "gtk/charts/jank-palette-private.h"

#define BAR_PX   14
#define TEXT_SCALE 0.8

struct _JankSampleStrip
{
  JankDrawing parent_instance;

  JankReport *report; /* (owned) (nullable) */
  GArray     *spans;  /* (owned) (nullable): of JankReportSpan, its samples' */
};

G_DEFINE_FINAL_TYPE (JankSampleStrip, jank_sample_strip, JANK_TYPE_DRAWING)

static GdkRGBA
jank_sample_strip_color_of (JankThreadState state, const GdkRGBA *text, gboolean dark)
{
  switch (state)
    {
    case JANK_STATE_COMPUTING:  return jank_palette_get (JANK_COLOR_COMPUTING, dark);
    case JANK_STATE_BLOCKED:
    case JANK_STATE_PAGE_FAULT: return jank_palette_get (JANK_COLOR_BLOCKED, dark);
    case JANK_STATE_PREEMPTED:  return jank_palette_get (JANK_COLOR_PREEMPTED, dark);
    default:                    return jank_palette_with_alpha (text, 0.15);
    }
}

static void
jank_sample_strip_add_text (GtkWidget *widget, JankCanvas *canvas, const char *text, double align, const GdkRGBA *color)
{
  PangoLayout *layout = jank_palette_make_layout (widget, text, TEXT_SCALE);
  int width;

  if (gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL)
    align = 1 - align;
  pango_layout_get_pixel_size (layout, &width, NULL);
  jank_canvas_add_text (canvas, color, layout, align * (gtk_widget_get_width (widget) - width), BAR_PX + 1);
  g_object_unref (layout);
}

static void
jank_sample_strip_snapshot (GtkWidget *widget, GtkSnapshot *canvas)
{
  JankSampleStrip *self = JANK_SAMPLE_STRIP (widget);
  double width = gtk_widget_get_width (widget), px_per_ns;
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  g_autofree char *length = NULL;
  GdkRGBA text, dim;

  if (self->report == NULL)
    return;
  jank_widget_get_color (widget, &text);
  dim = jank_palette_with_alpha (&text, 0.08);
  jank_canvas_add_rect (canvas, &dim, 0, 0, width, BAR_PX);
  px_per_ns = width / (double) MAX (jank_report_get_length_ns (self->report), 1);
  for (guint i = 0; i < self->report->samples->len; i++)
    {
      const JankReportSample *sample = g_ptr_array_index (self->report->samples, i);
      GdkRGBA color = jank_sample_strip_color_of (sample->state, &text, jank_palette_is_dark (&text));
      const JankReportSpan *span = &g_array_index (self->spans, JankReportSpan, i);
      double x0 = (double) span->from_ns * px_per_ns, x1 = (double) span->to_ns * px_per_ns;
      double wide = MAX (x1 - x0 - (x1 - x0 > 4 ? 1 : 0), 1);

      jank_canvas_add_rect (canvas, &color, mirrored ? width - x0 - wide : x0, 0, wide, BAR_PX);
    }
  dim = jank_palette_with_alpha (&text, 0.7);
  length = jank_text_duration (jank_report_get_length_ns (self->report));
  jank_sample_strip_add_text (widget, canvas, "0", 0, &dim);
  jank_sample_strip_add_text (widget, canvas, length, 1, &dim);
}

static const JankReportSample *
jank_sample_strip_find_sample (JankSampleStrip *self, double x)
{
  double width = MAX (gtk_widget_get_width (GTK_WIDGET (self)), 1);
  gint64 at_ns;

  if (self->report == NULL)
    return NULL;
  if (gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL)
    x = width - x;
  at_ns = (gint64) (x / width * (double) jank_report_get_length_ns (self->report));
  for (guint i = 0; i < self->report->samples->len; i++)
    {
      const JankReportSpan *span = &g_array_index (self->spans, JankReportSpan, i);

      if (at_ns >= span->from_ns && at_ns <= span->to_ns)
        return g_ptr_array_index (self->report->samples, i);
    }
  return NULL;
}

static gboolean
jank_sample_strip_tooltip_cb (JankSampleStrip *self, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip)
{
  const JankReportSample *sample = by_keyboard ? NULL : jank_sample_strip_find_sample (self, x);
  g_autofree char *at = NULL, *doing = NULL, *text = NULL;

  if (sample == NULL)
    return FALSE;
  at = jank_text_duration (sample->at_ns);
  doing = jank_text_state_doing (self->report, sample->state, sample->wait);
  text = g_strdup_printf (_("At %s: %s"), at, doing);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static void
jank_sample_strip_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                           int *minimum_baseline, int *natural_baseline)
{
  g_autoptr (PangoLayout) layout = jank_palette_make_layout (widget, "0", TEXT_SCALE);
  int height;

  pango_layout_get_pixel_size (layout, NULL, &height);
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 100 : BAR_PX + 1 + height;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 400 : *minimum;
}

static void
jank_sample_strip_finalize (GObject *object)
{
  JankSampleStrip *self = JANK_SAMPLE_STRIP (object);

  g_clear_pointer (&self->report, jank_report_unref);
  g_clear_pointer (&self->spans, g_array_unref);
  G_OBJECT_CLASS (jank_sample_strip_parent_class)->finalize (object);
}

static void
jank_sample_strip_class_init (JankSampleStripClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = jank_sample_strip_finalize;
  GTK_WIDGET_CLASS (klass)->snapshot = jank_sample_strip_snapshot;
  GTK_WIDGET_CLASS (klass)->measure = jank_sample_strip_measure;
}

static void
jank_sample_strip_init (JankSampleStrip *self)
{
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (jank_sample_strip_tooltip_cb), NULL);
  jank_widget_describe (GTK_WIDGET (self), _("Samples over time"), NULL);
}

void
jank_sample_strip_set_report (JankSampleStrip *self, JankReport *report)
{
  g_autofree char *doing = NULL;

  if (report != NULL)
    {
      jank_report_ref (report);
      doing = jank_text_doing (report);
      jank_widget_describe (GTK_WIDGET (self), NULL, jank_text_or_empty (doing));
    }
  g_clear_pointer (&self->report, jank_report_unref);
  g_clear_pointer (&self->spans, g_array_unref);
  self->report = report;
  self->spans = report != NULL ? jank_report_get_sample_spans (report) : NULL;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
