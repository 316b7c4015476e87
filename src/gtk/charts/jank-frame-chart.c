/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The widget: time shown, cursor, keys and pointer. While frames come in, a timer redraws up to fifteen times a second;
 * in an idle program the chart stands still. */

#include "gtk/charts/jank-frame-chart-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "text/jank-text-report-private.h"

#define REDRAW_MS   66
#define SPAN_MIN_NS (JANK_NS_PER_S / 4)
#define SPAN_MAX_NS (600 * JANK_NS_PER_S)
#define SPAN_NS     (10 * JANK_NS_PER_S)
#define NO_FRAME    G_MAXUINT64

struct _JankFrameChart
{
  JankDrawing             parent_instance;

  const JankFrameHistory *history; /* (nullable) */
  GArray                 *stalls;  /* (owned) JankChartSpan */
  gboolean                follows;
  gint64                  span_ns;
  gint64                  end_ns;  /* of what is shown */
  guint64                 cursor;  /* number of the frame, of all ever added; NO_FRAME: none */
  guint64                 drawn;   /* frames ever added when last drawn */
  guint                   timer;
  double                  drag_end_ns;
};

G_DEFINE_FINAL_TYPE (JankFrameChart, jank_frame_chart, JANK_TYPE_DRAWING)

enum { PROP_FOLLOWS = 1, PROP_SPAN_MS, N_PROPS };
static GParamSpec *properties[N_PROPS];
static guint activated_signal;

static guint64
jank_frame_chart_first_number (JankFrameChart *self)
{
  return jank_frame_history_get_n_added (self->history) - jank_frame_history_get_n (self->history);
}

static gint
jank_frame_chart_cursor_index (JankFrameChart *self)
{
  if (self->history == NULL || self->cursor == NO_FRAME || self->cursor < jank_frame_chart_first_number (self) ||
      self->cursor >= jank_frame_history_get_n_added (self->history))
    return -1;
  return (gint) (self->cursor - jank_frame_chart_first_number (self));
}

static JankChartView
jank_frame_chart_get_view (JankFrameChart *self)
{
  return (JankChartView) {
    .history = self->history,
    .stalls = (const JankChartSpan *) (gpointer) self->stalls->data,
    .n_stalls = self->stalls->len,
    .from_ns = self->end_ns - self->span_ns,
    .to_ns = self->end_ns,
    .zero_ns = self->follows ? self->end_ns : jank_clock_now_ns (),
    .cursor = jank_frame_chart_cursor_index (self),
    .has_focus = gtk_widget_has_focus (GTK_WIDGET (self)),
  };
}

static char *
jank_frame_chart_describe_work (const JankFrameEntry *entry)
{
  return g_strdup_printf (_("work %.1f ms: update %.1f, layout %.1f, paint %.1f, other %.1f"),
                          (double) jank_frame_entry_work_ns (entry) / JANK_NS_PER_MS,
                          (double) entry->part_ns[JANK_PART_UPDATE] / JANK_NS_PER_MS,
                          (double) entry->part_ns[JANK_PART_LAYOUT] / JANK_NS_PER_MS,
                          (double) entry->part_ns[JANK_PART_PAINT] / JANK_NS_PER_MS,
                          (double) entry->part_ns[JANK_PART_OTHER] / JANK_NS_PER_MS);
}

static char *
jank_frame_chart_describe_interval (const JankFrameEntry *entry)
{
  g_autofree char *work = jank_frame_chart_describe_work (entry);
  double interval_ms = (double) entry->interval_ns / JANK_NS_PER_MS;
  double refresh_ms = entry->refresh_us / 1000.0;

  if (entry->interval_ns == 0)
    return g_strdup_printf (_("The last frame before a rest; %s"), work);
  switch (entry->band)
    {
    case JANK_FRAME_BAND_ON_TIME:
      return g_strdup_printf (_("On time, %.1f ms; %s"), interval_ms, work);
    case JANK_FRAME_BAND_COMPOSITOR:
      return g_strdup_printf (_("Late by the display, %.1f ms instead of %.1f ms; %s"), interval_ms, refresh_ms, work);
    default:
      return g_strdup_printf (_("Late, %.1f ms instead of %.1f ms; %s"), interval_ms, refresh_ms, work);
    }
}

static char *
jank_frame_chart_describe (const JankFrameEntry *entry)
{
  g_autofree char *interval = jank_frame_chart_describe_interval (entry);
  g_autofree char *over = jank_text_frame_over (entry->over_us * JANK_NS_PER_US, entry->busiest_us * JANK_NS_PER_US,
                                                entry->busiest);

  return over != NULL ? g_strconcat (interval, _("; "), over, NULL) : g_steal_pointer (&interval);
}

static void
jank_frame_chart_set_cursor (JankFrameChart *self, gint i)
{
  guint64 cursor = i >= 0 ? jank_frame_chart_first_number (self) + (guint) i : NO_FRAME;

  if (cursor == self->cursor)
    return;
  self->cursor = cursor;
  jank_drawing_set_readout (JANK_DRAWING (self), i < 0 ? g_strdup ("") : jank_frame_chart_describe (
                              jank_frame_history_get (self->history, (guint) i)));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
jank_frame_chart_move (JankDrawing *drawing, double x, double y)
{
  JankFrameChart *self = JANK_FRAME_CHART (drawing);
  JankChartView view = jank_frame_chart_get_view (self);

  jank_frame_chart_set_cursor (self, jank_frame_chart_pick (GTK_WIDGET (self), &view, x));
}

static void
jank_frame_chart_leave (JankDrawing *drawing)
{
  JankFrameChart *self = JANK_FRAME_CHART (drawing);

  if (!gtk_widget_has_focus (GTK_WIDGET (self)))
    jank_frame_chart_set_cursor (self, -1);
}

static void
jank_frame_chart_activate (JankFrameChart *self)
{
  gint i = jank_frame_chart_cursor_index (self);
  const JankFrameEntry *entry;

  if (i < 0)
    return;
  entry = jank_frame_history_get (self->history, (guint) i);
  g_signal_emit (self, activated_signal, 0, entry->begin_ns, jank_frame_chart_end_ns (entry));
}

static void
jank_frame_chart_click (JankDrawing *drawing, double x, double y)
{
  jank_frame_chart_move (drawing, x, y);
  jank_frame_chart_activate (JANK_FRAME_CHART (drawing));
}

static double
jank_frame_chart_ns_per_px (JankFrameChart *self)
{
  gboolean mirrored = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;

  return (mirrored ? -1 : 1) * (double) self->span_ns / MAX (gtk_widget_get_width (GTK_WIDGET (self)), 1);
}

static void
jank_frame_chart_set_end (JankFrameChart *self, gint64 end_ns)
{
  gint64 limit_ns = jank_clock_now_ns ();

  self->end_ns = MIN (end_ns, limit_ns);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
jank_frame_chart_scroll (JankDrawing *drawing, double dx, double dy, gboolean with_shift)
{
  JankFrameChart *self = JANK_FRAME_CHART (drawing);

  if (dx == 0 && !with_shift)
    {
      jank_frame_chart_zoom (self, dy > 0 ? 1 / 1.25 : 1.25);
      return;
    }
  jank_frame_chart_set_follows (self, FALSE);
  jank_frame_chart_set_end (self,
                            self->end_ns + (gint64) ((dx != 0 ? dx : dy) * 40 * jank_frame_chart_ns_per_px (self)));
}

static gboolean
jank_frame_chart_drag (JankDrawing *drawing, gboolean begins, double dx)
{
  JankFrameChart *self = JANK_FRAME_CHART (drawing);

  if (begins)
    self->drag_end_ns = (double) self->end_ns;
  if (ABS (dx) < 6)
    return FALSE;
  jank_frame_chart_set_follows (self, FALSE);
  jank_frame_chart_set_end (self, (gint64) (self->drag_end_ns - dx * jank_frame_chart_ns_per_px (self)));
  return TRUE;
}

static gboolean
jank_frame_chart_key (JankDrawing *drawing, guint keyval)
{
  JankFrameChart *self = JANK_FRAME_CHART (drawing);
  int forward = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL ? -1 : 1;

  switch (keyval)
    {
    case GDK_KEY_Left:      jank_frame_chart_step (self, -forward); break;
    case GDK_KEY_Right:     jank_frame_chart_step (self, forward); break;
    case GDK_KEY_Home:      jank_frame_chart_step (self, -JANK_FRAME_HISTORY_LONG); break;
    case GDK_KEY_End:       jank_frame_chart_step (self, JANK_FRAME_HISTORY_LONG); break;
    case GDK_KEY_Page_Up:   jank_frame_chart_step (self, -60); break;
    case GDK_KEY_Page_Down: jank_frame_chart_step (self, 60); break;
    case GDK_KEY_plus:
    case GDK_KEY_KP_Add:
    case GDK_KEY_equal:     jank_frame_chart_zoom (self, 1.5); break;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract: jank_frame_chart_zoom (self, 1 / 1.5); break;
    case GDK_KEY_space:     jank_frame_chart_set_follows (self, !self->follows); break;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:  jank_frame_chart_activate (self); break;
    default: return GDK_EVENT_PROPAGATE;
    }
  return GDK_EVENT_STOP;
}

static gboolean
jank_frame_chart_timer_cb (gpointer data)
{
  JankFrameChart *self = data;
  gint64 now_ns = jank_clock_now_ns (), last_ns;
  guint n = self->history != NULL ? jank_frame_history_get_n (self->history) : 0;

  if (!self->follows || n == 0)
    return G_SOURCE_CONTINUE;
  last_ns = jank_frame_history_get (self->history, n - 1)->begin_ns;
  if (self->drawn == jank_frame_history_get_n_added (self->history) && last_ns < now_ns - JANK_NS_PER_S)
    return G_SOURCE_CONTINUE;
  self->drawn = jank_frame_history_get_n_added (self->history);
  jank_frame_chart_set_end (self, now_ns);
  return G_SOURCE_CONTINUE;
}

static void
jank_frame_chart_map (GtkWidget *widget)
{
  JankFrameChart *self = JANK_FRAME_CHART (widget);

  GTK_WIDGET_CLASS (jank_frame_chart_parent_class)->map (widget);
  if (self->follows)
    self->end_ns = jank_clock_now_ns ();
  self->timer = g_timeout_add_full (G_PRIORITY_DEFAULT_IDLE, REDRAW_MS, jank_frame_chart_timer_cb, self, NULL);
  g_source_set_name_by_id (self->timer, "jankwatch: chart");
}

static void
jank_frame_chart_unmap (GtkWidget *widget)
{
  JankFrameChart *self = JANK_FRAME_CHART (widget);

  g_clear_handle_id (&self->timer, g_source_remove);
  GTK_WIDGET_CLASS (jank_frame_chart_parent_class)->unmap (widget);
}

static void
jank_frame_chart_snapshot (GtkWidget *widget, GtkSnapshot *canvas)
{
  JankChartView view = jank_frame_chart_get_view (JANK_FRAME_CHART (widget));

  jank_frame_chart_draw (widget, canvas, &view);
}

static void
jank_frame_chart_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                          int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 200 : 140;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 600 : 140;
}

static void
jank_frame_chart_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  jank_frame_chart_set_follows (JANK_FRAME_CHART (object), g_value_get_boolean (value));
}

static void
jank_frame_chart_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  JankFrameChart *self = JANK_FRAME_CHART (object);

  if (id == PROP_FOLLOWS)
    g_value_set_boolean (value, self->follows);
  else
    g_value_set_int (value, (int) (self->span_ns / JANK_NS_PER_MS));
}

static void
jank_frame_chart_finalize (GObject *object)
{
  JankFrameChart *self = JANK_FRAME_CHART (object);

  g_array_unref (self->stalls);
  G_OBJECT_CLASS (jank_frame_chart_parent_class)->finalize (object);
}

static void
jank_frame_chart_class_init (JankFrameChartClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  JankDrawingClass *drawing_class = JANK_DRAWING_CLASS (klass);

  object_class->set_property = jank_frame_chart_set_property;
  object_class->get_property = jank_frame_chart_get_property;
  object_class->finalize = jank_frame_chart_finalize;
  widget_class->map = jank_frame_chart_map;
  widget_class->unmap = jank_frame_chart_unmap;
  GTK_WIDGET_CLASS (klass)->snapshot = jank_frame_chart_snapshot;
  GTK_WIDGET_CLASS (klass)->measure = jank_frame_chart_measure;
  drawing_class->key = jank_frame_chart_key;
  drawing_class->move = jank_frame_chart_move;
  drawing_class->leave = jank_frame_chart_leave;
  drawing_class->click = jank_frame_chart_click;
  drawing_class->scroll = jank_frame_chart_scroll;
  drawing_class->drag = jank_frame_chart_drag;

  properties[PROP_FOLLOWS] = g_param_spec_boolean ("follows", NULL, NULL, TRUE,
                                                   G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY |
                                                   G_PARAM_STATIC_STRINGS);
  properties[PROP_SPAN_MS] = g_param_spec_int ("span-ms", NULL, NULL, 250, 600000, 10000,
                                               G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  activated_signal = g_signal_new ("activated", JANK_TYPE_FRAME_CHART, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 2, G_TYPE_INT64, G_TYPE_INT64);
  gtk_widget_class_set_css_name (widget_class, "jankframechart");
}

static void
jank_frame_chart_init (JankFrameChart *self)
{
  self->stalls = g_array_new (FALSE, FALSE, sizeof (JankChartSpan));
  self->follows = TRUE;
  self->span_ns = SPAN_NS;
  self->end_ns = jank_clock_now_ns ();
  self->cursor = NO_FRAME;
  jank_widget_describe (GTK_WIDGET (self), _("Frames over time"), NULL);
}

void
jank_frame_chart_set_history (JankFrameChart *self, const JankFrameHistory *history)
{
  self->history = history;
  self->cursor = NO_FRAME;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
jank_frame_chart_set_stalls (JankFrameChart *self, const JankChartSpan *spans, guint n_spans)
{
  g_array_set_size (self->stalls, 0);
  g_array_append_vals (self->stalls, spans, n_spans);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
jank_frame_chart_set_follows (JankFrameChart *self, gboolean follows)
{
  if (self->follows == follows)
    return;
  self->follows = follows;
  if (follows)
    jank_frame_chart_set_end (self, jank_clock_now_ns ());
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FOLLOWS]);
}

void
jank_frame_chart_zoom (JankFrameChart *self, double factor)
{
  gint64 span_ns = CLAMP ((gint64) ((double) self->span_ns / factor), SPAN_MIN_NS, SPAN_MAX_NS);

  if (!self->follows)
    jank_frame_chart_set_end (self, self->end_ns + (span_ns - self->span_ns) / 2);
  self->span_ns = span_ns;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SPAN_MS]);
}

void
jank_frame_chart_step (JankFrameChart *self, int n_frames)
{
  guint n = self->history != NULL ? jank_frame_history_get_n (self->history) : 0;
  gint i = jank_frame_chart_cursor_index (self);
  gint64 begin_ns;

  if (n == 0)
    return;
  jank_frame_chart_set_follows (self, FALSE);
  /* The first step puts the cursor on the last frame that is shown. */
  if (i < 0 && ABS (n_frames) < JANK_FRAME_HISTORY_LONG)
    i = (gint) jank_frame_history_find (self->history, self->end_ns) - 1 - n_frames;
  i = CLAMP (i + n_frames, 0, (gint) n - 1);
  jank_frame_chart_set_cursor (self, i);
  begin_ns = jank_frame_history_get (self->history, (guint) i)->begin_ns;
  if (begin_ns < self->end_ns - self->span_ns || begin_ns > self->end_ns)
    jank_frame_chart_set_end (self, begin_ns + self->span_ns / 2);
}

void
jank_frame_chart_get_range (JankFrameChart *self, gint64 *ret_from_ns, gint64 *ret_to_ns)
{
  *ret_from_ns = self->end_ns - self->span_ns;
  *ret_to_ns = self->end_ns;
}
