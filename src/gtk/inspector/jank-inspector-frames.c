/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "gtk/charts/jank-frame-chart-private.h"
#include "gtk/inspector/jank-inspector-briefs-private.h"
#include "text/jank-text-report-private.h"

#define ZOOM_STEP 1.5

struct _JankInspectorFrames
{
  GtkBox            parent_instance;

  JankFrameChart   *chart;
  GtkFlowBox       *legend;
  GtkLabel         *summary, *readout;
  JankInspectorLog *log; /* (owned) (nullable) */
};

G_DEFINE_FINAL_TYPE (JankInspectorFrames, jank_inspector_frames, GTK_TYPE_BOX)

static guint stall_wanted_signal;

static char *
jank_inspector_frames_summarize (const JankFrameHistory *history, gint64 from_ns, gint64 to_ns)
{
  guint n = jank_frame_history_get_n (history), n_frames = 0, n_late = 0;

  for (guint i = jank_frame_history_find (history, from_ns); i < n; i++)
    {
      const JankFrameEntry *entry = jank_frame_history_get (history, i);

      if (entry->begin_ns >= to_ns)
        break;
      n_frames++;
      n_late += entry->band != JANK_FRAME_BAND_ON_TIME;
    }
  return g_strdup_printf (_("%u frames shown, %u of them late, in %.1f s"), n_frames, n_late,
                          (double) (to_ns - from_ns) / JANK_NS_PER_S);
}

/* Returns: (transfer full) (nullable): nothing was done */
static char *
jank_inspector_frames_sum_up_input (void)
{
  g_auto (JankReportInputs) inputs = { 0 };
  JankInputFigures figures;

  if (!jank_input_board_sum_up (jank_inspector_feed_get ()->input, &figures) || figures.answered.n == 0)
    return NULL;
  jank_report_inputs_set (&inputs, &figures);
  return jank_text_inputs (&inputs);
}

void
jank_inspector_frames_look (JankInspectorFrames *self)
{
  gint64 from_ns, to_ns;
  g_autofree char *text = NULL, *inputs = jank_inspector_frames_sum_up_input (), *both = NULL;

  jank_frame_chart_get_range (self->chart, &from_ns, &to_ns);
  text = jank_inspector_frames_summarize (jank_inspector_feed_get ()->history, from_ns, to_ns);
  both = inputs != NULL ? g_strconcat (text, "\n", inputs, NULL) : NULL;
  gtk_label_set_text (self->summary, both != NULL ? both : text);
}

static void
jank_inspector_frames_show_hint (JankInspectorFrames *self)
{
  gtk_label_set_text (self->readout,
                      _("Point at a frame or use the arrow keys to see its numbers. Click to show the stack of a "
                        "stall."));
  gtk_widget_add_css_class (GTK_WIDGET (self->readout), "dim-label");
}

static void
jank_inspector_frames_readout_cb (JankInspectorFrames *self)
{
  g_autofree char *text = NULL;

  g_object_get (self->chart, "readout", &text, NULL);
  if (text[0] == '\0')
    {
      jank_inspector_frames_show_hint (self);
      return;
    }
  gtk_label_set_text (self->readout, text);
  gtk_widget_remove_css_class (GTK_WIDGET (self->readout), "dim-label");
}

static char *
jank_inspector_frames_describe_brief (gint64 began_ns, gint64 ended_ns)
{
  gint64 busy_ns = 0;
  g_autofree char *where = jank_inspector_briefs_find (began_ns, ended_ns, &busy_ns);

  if (where == NULL)
    return g_strdup (_("This frame has no stack: the main loop was not busy for long enough."));
  return g_strdup_printf (_("No stall, but the loop was busy for %.0f ms, most of it in %s."),
                          (double) busy_ns / JANK_NS_PER_MS, where);
}

static void
jank_inspector_frames_activated_cb (JankInspectorFrames *self, gint64 began_ns, gint64 ended_ns)
{
  JankInspectorStall *stall = jank_inspector_log_find (self->log, began_ns, ended_ns);
  g_autofree char *text = NULL;

  if (stall != NULL)
    {
      g_signal_emit (self, stall_wanted_signal, 0, stall);
      return;
    }
  text = jank_inspector_frames_describe_brief (began_ns, ended_ns);
  gtk_label_set_text (self->readout, text);
}

static void
jank_inspector_frames_zoom_in_cb (JankInspectorFrames *self)
{
  jank_frame_chart_zoom (self->chart, ZOOM_STEP);
}

static void
jank_inspector_frames_zoom_out_cb (JankInspectorFrames *self)
{
  jank_frame_chart_zoom (self->chart, 1 / ZOOM_STEP);
}

static void
jank_inspector_frames_map (GtkWidget *widget)
{
  JankInspectorFrames *self = JANK_INSPECTOR_FRAMES (widget);

  jank_frame_chart_set_history (self->chart, jank_inspector_feed_get ()->history);
  jank_inspector_frames_update_stalls (self);
  GTK_WIDGET_CLASS (jank_inspector_frames_parent_class)->map (widget);
  jank_inspector_frames_look (self);
}

static void
jank_inspector_frames_dispose (GObject *object)
{
  JankInspectorFrames *self = JANK_INSPECTOR_FRAMES (object);

  g_clear_object (&self->log);
  gtk_widget_dispose_template (GTK_WIDGET (self), JANK_TYPE_INSPECTOR_FRAMES);
  G_OBJECT_CLASS (jank_inspector_frames_parent_class)->dispose (object);
}

static void
jank_inspector_frames_class_init (JankInspectorFramesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (JANK_TYPE_FRAME_CHART);
  g_type_ensure (JANK_TYPE_INSPECTOR_SWATCH);
  G_OBJECT_CLASS (klass)->dispose = jank_inspector_frames_dispose;
  widget_class->map = jank_inspector_frames_map;
  stall_wanted_signal = g_signal_new ("stall-wanted", JANK_TYPE_INSPECTOR_FRAMES, G_SIGNAL_RUN_LAST, 0, NULL,
                                      NULL, NULL, G_TYPE_NONE, 1, JANK_TYPE_INSPECTOR_STALL);
  gtk_widget_class_set_template_from_resource (widget_class, JANK_INSPECTOR_RESOURCES "jank-inspector-frames.ui");
  gtk_widget_class_bind_template_child (widget_class, JankInspectorFrames, chart);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorFrames, legend);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorFrames, summary);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorFrames, readout);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_frames_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_frames_readout_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_frames_zoom_in_cb);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_frames_zoom_out_cb);
}

static void
jank_inspector_frames_init (JankInspectorFrames *self)
{
  static const struct { const char *color, *label; } legend[] = {
    { "update", N_("Update") }, { "layout", N_("Layout") }, { "paint", N_("Paint") },
    { "other", N_("Other work") }, { "late", N_("Late") }, { "very-late", N_("Very late") },
    { "frozen", N_("Frozen, or a stall") }, { "compositor", N_("Late by the display") },
  };

  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint i = 0; i < G_N_ELEMENTS (legend); i++)
    gtk_flow_box_insert (self->legend, g_object_new (JANK_TYPE_INSPECTOR_SWATCH, "visible", TRUE, "color-name",
                                                     legend[i].color, "label", _(legend[i].label), NULL), -1);
  jank_inspector_frames_show_hint (self);
}

void
jank_inspector_frames_set_log (JankInspectorFrames *self, JankInspectorLog *log)
{
  g_set_object (&self->log, log);
}

void
jank_inspector_frames_update_stalls (JankInspectorFrames *self)
{
  guint n;
  const JankInspectorSpan *known = jank_inspector_log_get_spans (self->log, &n);
  g_autofree JankChartSpan *spans = g_new (JankChartSpan, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    spans[i] = (JankChartSpan) { known[i].began_ns, known[i].ended_ns };
  jank_frame_chart_set_stalls (self->chart, spans, n);
}
