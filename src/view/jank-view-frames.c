/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/jank-view-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-order-private.h"
#include "text/jank-text-report-private.h"

/* A file may say anything; so sums fit. */
#define MAX_NS     (G_MAXINT64 / 8)
#define BOUND(ns)  CLAMP (ns, 0, MAX_NS)
#define MARGIN_NS  (JANK_NS_PER_S / 2)

struct _JankViewFrames
{
  GtkBox            parent_instance;

  JankFrameChart   *chart;
  GtkWidget        *text, *box, *readout;
  JankFrameHistory *history; /* (owned) (nullable): of the chart */
};

G_DEFINE_FINAL_TYPE (JankViewFrames, jank_view_frames, GTK_TYPE_BOX)

static JankFramePart
get_part (JankFramePhase phase)
{
  switch (phase)
    {
    case JANK_FRAME_UPDATE: return JANK_PART_UPDATE;
    case JANK_FRAME_LAYOUT: return JANK_PART_LAYOUT;
    case JANK_FRAME_PAINT:  return JANK_PART_PAINT;
    default:                return JANK_PART_OTHER;
    }
}

static JankFrameEntry
make_entry (const JankReportLateFrame *late, gint64 refresh_ns)
{
  const JankFrameVerdict verdict = { .interval_ns = late->interval_ns, .n_dropped = late->n_dropped, .who = late->who };
  JankFrameEntry entry = {
    .begin_ns = BOUND (late->began_ns),
    .interval_ns = BOUND (late->interval_ns),
    .refresh_us = (gint32) (CLAMP (refresh_ns, JANK_NS_PER_MS, JANK_NS_PER_S) / JANK_NS_PER_US),
    .band = jank_frame_band (&verdict),
    .brief = TRUE,
    .busiest = late->busiest,
    .busiest_us = (gint32) CLAMP (late->busiest_ns / JANK_NS_PER_US, 0, G_MAXINT32),
    .over_us = (gint32) CLAMP (late->over_ns / JANK_NS_PER_US, 0, G_MAXINT32),
  };

  if (late->who == JANK_FRAME_LATE_PROGRAM)
    entry.part_ns[get_part (late->busiest)] = entry.interval_ns;
  return entry;
}

static void
add_entries (GArray *entries, const JankReportFrameClock *clock)
{
  gint64 refresh_ns = clock != NULL && clock->numbers.refresh_ns > 0
                      ? clock->numbers.refresh_ns : JANK_FRAME_ASSUMED_REFRESH_NS;

  for (guint i = 0; clock != NULL && i < clock->late_frames->len; i++)
    {
      JankFrameEntry entry = make_entry (&g_array_index (clock->late_frames, JankReportLateFrame, i), refresh_ns);

      g_array_append_val (entries, entry);
    }
}

JANK_ORDER_RISING (compare_entry_cb, JankFrameEntry, ->begin_ns)

/* The report and the session know the same frame. Returns: (transfer full) */
static JankFrameHistory *
make_history (const JankReport *report, const JankSessionSummary *file)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (JankFrameEntry));
  JankFrameHistory *history = jank_frame_history_new (2 * JANK_FRAME_N_LATE);
  gint64 last_ns = -1;

  add_entries (entries, report->frame_clock);
  add_entries (entries, file != NULL ? file->frame_clock : NULL);
  g_array_sort (entries, compare_entry_cb);
  for (guint i = 0; i < entries->len; i++)
    {
      const JankFrameEntry *entry = &g_array_index (entries, JankFrameEntry, i);

      if (entry->begin_ns != last_ns)
        jank_frame_history_add_entry (history, entry);
      last_ns = entry->begin_ns;
    }
  return history;
}

JANK_ORDER_RISING (compare_span_cb, JankChartSpan, ->began_ns)

static void
add_span (GArray *spans, gint64 began_ns, gint64 duration_ns)
{
  JankChartSpan span = { BOUND (began_ns), BOUND (began_ns) + BOUND (duration_ns) };

  g_array_append_val (spans, span);
}

/* Returns: (transfer full) (element-type JankChartSpan): oldest first */
static GArray *
make_spans (const JankReport *report, const JankSessionSummary *file)
{
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (JankChartSpan));

  add_span (spans, report->stall.began_monotonic_ns, report->stall.duration_ns);
  for (guint i = 0; file != NULL && i < file->stalls->len; i++)
    {
      const JankSessionStall *stall = g_ptr_array_index (file->stalls, i);

      if (stall->began_monotonic_ns != report->stall.began_monotonic_ns)
        add_span (spans, stall->began_monotonic_ns, stall->duration_ns);
    }
  g_array_sort (spans, compare_span_cb);
  return spans;
}

/* Returns: (transfer full) (nullable): what chart shows from now on; NULL: no frame is known, and chart shows none */
static JankFrameHistory *
fill_chart (JankFrameChart *chart, const JankReport *report, const JankSessionSummary *file)
{
  g_autoptr (JankFrameHistory) history = make_history (report, file);
  g_autoptr (GArray) spans = make_spans (report, file);
  guint n = jank_frame_history_get_n (history);
  const JankFrameEntry *last;
  gint64 from_ns, to_ns;

  jank_frame_chart_set_history (chart, NULL);
  if (n == 0)
    return NULL;
  last = jank_frame_history_get (history, n - 1);
  from_ns = MIN (jank_frame_history_get (history, 0)->begin_ns, g_array_index (spans, JankChartSpan, 0).began_ns);
  to_ns = last->begin_ns + last->interval_ns;
  for (guint i = 0; i < spans->len; i++)
    to_ns = MAX (to_ns, g_array_index (spans, JankChartSpan, i).ended_ns);
  jank_frame_chart_set_history (chart, history);
  jank_frame_chart_set_stalls (chart, (const JankChartSpan *) (gconstpointer) spans->data, spans->len);
  jank_frame_chart_show_past (chart, BOUND (report->stall.began_monotonic_ns), from_ns - MARGIN_NS, to_ns + MARGIN_NS);
  return g_steal_pointer (&history);
}

/* Of the frame at the chart's cursor. */
static void
readout_cb (JankViewFrames *self)
{
  g_autofree char *readout = NULL;

  g_object_get (self->chart, "readout", &readout, NULL);
  gtk_label_set_text (GTK_LABEL (self->readout),
                      *readout != '\0' ? readout : _("The last late frames. Those on time are not kept."));
}

static void
jank_view_frames_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), JANK_TYPE_VIEW_FRAMES);
  g_clear_pointer (&JANK_VIEW_FRAMES (object)->history, jank_frame_history_free);
  G_OBJECT_CLASS (jank_view_frames_parent_class)->dispose (object);
}

static void
jank_view_frames_class_init (JankViewFramesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (JANK_TYPE_FRAME_CHART);
  G_OBJECT_CLASS (klass)->dispose = jank_view_frames_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/jankwatch/View/jank-view-frames.ui");
  gtk_widget_class_bind_template_child (widget_class, JankViewFrames, chart);
  gtk_widget_class_bind_template_child (widget_class, JankViewFrames, text);
  gtk_widget_class_bind_template_child (widget_class, JankViewFrames, box);
  gtk_widget_class_bind_template_child (widget_class, JankViewFrames, readout);
  gtk_widget_class_bind_template_callback (widget_class, readout_cb);
}

static void
jank_view_frames_init (JankViewFrames *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
jank_view_frames_set (JankViewFrames *self, const JankReport *report, const JankSessionSummary *file)
{
  const JankReportFrameClock *clock = file != NULL && file->frame_clock != NULL
                                      ? file->frame_clock : report->frame_clock;
  JankFrameHistory *history = fill_chart (self->chart, report, file);
  g_autofree char *text = clock != NULL ? jank_text_frames (clock) : NULL;

  g_clear_pointer (&self->history, jank_frame_history_free);
  self->history = history;
  gtk_label_set_text (GTK_LABEL (self->text), text);
  readout_cb (self);
  gtk_widget_set_visible (self->box, history != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self), text != NULL);
}
