/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shows by how much the counters grew since the last look, a second or so ago, without work for the inspector. GTK's
 * thread only. */

#include "gtk/inspector/jank-inspector-parts-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "text/jank-text-private.h"
#include "gtk/inspector/jank-inspector-private.h"
#include "gtk/clock/jank-frame-hook-private.h"
#include "gtk/clock/jank-inspector-time-private.h"

#define LOOK_NS (900 * JANK_NS_PER_MS)

struct _JankInspectorNow
{
  GtkBox                   parent_instance;

  JankInspectorTile       *fps, *hitches, *loop, *busy, *stalls, *cost;
  JankInspectorMinute     *minute;
  JankInspectorSources    *sources;
  const JankInspectorHost *watched; /* (nullable): times its sources for us */
  JankInspectorLoop        former;
  gint64                   former_own_ns;
};

G_DEFINE_FINAL_TYPE (JankInspectorNow, jank_inspector_now, GTK_TYPE_BOX)

static guint tab_wanted_signal;

/* Too large for the stack. */
static JankFrameSummary summary;
static JankFrameSnapshot merged, scratch;

static char *
jank_inspector_now_refresh_text (const JankFrameNumbers *numbers)
{
  double hz = numbers->refresh_ns > 0 ? (double) JANK_NS_PER_S / (double) numbers->refresh_ns : 0;

  if (hz <= 0)
    return g_strdup (_("no frame so far"));
  if (numbers->refresh_assumed)
    return g_strdup_printf (_("display assumed at %.0f Hz"), hz);
  return g_strdup_printf (_("display at %.0f Hz"), hz);
}

static void
jank_inspector_now_show_frames (JankInspectorNow *self, gint64 now_ns)
{
  static const char *const tones[] = { "success", "warning", "error" };
  static const char *const bands[] = { NC_("hitches", "good"), NC_("hitches", "to be looked at"),
                                      NC_("hitches", "critical") };
  const JankFrameNumbers *total = &summary.total;

  if (!jank_frame_clocks_summarize (jank_frame_hook_get_frames (), now_ns, &merged, &scratch, &summary))
    return;
  jank_inspector_tile_set (self->fps,
                           total->fps_now > 0 ? g_strdup_printf ("%.1f", total->fps_now) : g_strdup (_("idle")),
                           jank_inspector_now_refresh_text (total), "");
  if (total->active_ns == 0)
    jank_inspector_tile_set (self->hitches, g_strdup ("–"), g_strdup (_("nothing was animated")), "");
  else
    jank_inspector_tile_set (self->hitches, g_strdup_printf (_("%.1f ms/s"), total->hitch_ms_per_s),
                             g_strdup (g_dpgettext2 (GETTEXT_PACKAGE, "hitches", bands[total->hitch_band])),
                             tones[total->hitch_band]);
}

static const char *
jank_inspector_now_loop_text (const JankInspectorHost *host, double busy)
{
  if (host->get_paused (host->data))
    return _("not watched");
  if (busy >= 0.9)
    return _("saturated");
  return busy >= 0.01 ? _("working") : _("waiting");
}

/* Returns: the share of the time that the loop was busy with the program's work */
static double
jank_inspector_now_show_loop (JankInspectorNow *self, const JankInspectorHost *host,
                              const JankInspectorLoop *loop, gint64 own_ns)
{
  double elapsed_s = (double) (loop->now_ns - self->former.now_ns) / JANK_NS_PER_S;
  double turns = (double) (loop->n_turns - self->former.n_turns) / elapsed_s;
  double busy_ns = (double) MAX (loop->busy_ns - self->former.busy_ns - own_ns, 0);
  double busy = busy_ns / (elapsed_s * JANK_NS_PER_S);
  g_autofree char *busy_text = jank_text_duration ((gint64) (busy_ns / elapsed_s));

  jank_inspector_tile_set (self->loop, g_strdup (jank_inspector_now_loop_text (host, busy)),
                           g_strdup_printf (_("%.0f iterations per s"), turns), "");
  jank_inspector_tile_set (self->busy, g_strdup_printf (_("%.1f %%"), 100 * busy),
                           g_strdup_printf (_("%s per s"), busy_text), busy >= 0.9 ? "warning" : "");
  return busy;
}

static void
jank_inspector_now_show_turns (JankInspectorNow *self, const JankTimeFigures *turns)
{
  g_autofree char *total = jank_text_duration (turns->total_ns), *longest = jank_text_duration (turns->longest_ns);
  g_autofree char *p50 = jank_text_duration (turns->p50_ns), *p95 = jank_text_duration (turns->p95_ns);
  g_autofree char *p99 = jank_text_duration (turns->p99_ns);
  g_autofree char *text = NULL;

  if (turns->n > 0)
    text = g_strdup_printf (_("%lu turns so far, busy for %s: half of them up to %s, 95 %% up to %s, 99 %% up to %s, "
                              "the longest %s"),
                            (gulong) turns->n, total, p50, p95, p99, longest);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->loop),
                               text != NULL ? text : _("Each turn is timed with the setting “turns”"));
}

static void
jank_inspector_now_show_cost (JankInspectorNow *self, const JankInspectorHost *host, const JankInspectorLoop *loop)
{
  double elapsed_ns = (double) (loop->now_ns - self->former.now_ns);

  jank_inspector_tile_set (self->stalls, g_strdup_printf ("%u", (guint) loop->n_stalls),
                           loop->n_stalls == 0 ? g_strdup (_("none so far")) : g_strdup (_("see “Stalls”")),
                           loop->n_stalls > 0 ? "warning" : "success");
  if (loop->watcher_cpu_ns < 0)
    jank_inspector_tile_set (self->cost, g_strdup ("–"), g_strdup (_("unknown")), "");
  else
    jank_inspector_tile_set (self->cost,
                             g_strdup_printf (_("%.2f %%"),
                                              100 * (double) (loop->watcher_cpu_ns - self->former.watcher_cpu_ns) /
                                              elapsed_ns),
                             g_strdup_printf (_("of a CPU; %u stacks, %u lost"), (guint) loop->n_samples,
                                              (guint) loop->n_lost_samples),
                             "");
}

void
jank_inspector_now_look (JankInspectorNow *self, JankInspectorLog *log)
{
  const JankInspectorHost *host = jank_inspector_get_host ();
  gint64 total_own_ns = jank_inspector_time_get ()->spans.total_ns, own_ns = total_own_ns - self->former_own_ns;
  JankInspectorLoop loop;

  if (host == NULL || host != self->watched)
    return;
  host->get_loop (host->data, &loop);
  if (loop.now_ns - self->former.now_ns < LOOK_NS)
    return;
  if (self->former.now_ns != 0 && loop.now_ns > self->former.now_ns)
    {
      jank_inspector_now_show_frames (self, loop.now_ns);
      jank_inspector_minute_update (self->minute, loop.now_ns, jank_inspector_now_show_loop (self, host, &loop, own_ns),
                                    jank_inspector_get_history (), log);
      jank_inspector_now_show_turns (self, &loop.turns);
      jank_inspector_now_show_cost (self, host, &loop);
    }
  jank_inspector_sources_update (self->sources, host, MAX (loop.now_ns - self->former.now_ns, 1), own_ns);
  self->former = loop;
  self->former_own_ns = total_own_ns;
}

static void
jank_inspector_now_show_sources (JankInspectorNow *self)
{
  GtkWidget *scrolled = gtk_widget_get_ancestor (GTK_WIDGET (self->sources), GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *position = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));

  gtk_adjustment_set_value (position, gtk_adjustment_get_upper (position));
}

/* The loop's figures are explained on this tab, below them. */
static void
jank_inspector_now_activated_cb (JankInspectorNow *self, GtkFlowBoxChild *child)
{
  static const char *const names[] = { "frames", "frames", NULL, NULL, "stalls", "settings" };
  int i = gtk_flow_box_child_get_index (child);

  if (names[i] != NULL)
    g_signal_emit (self, tab_wanted_signal, 0, names[i]);
  else
    jank_inspector_now_show_sources (self);
}

static void
jank_inspector_now_map (GtkWidget *widget)
{
  JankInspectorNow *self = JANK_INSPECTOR_NOW (widget);

  GTK_WIDGET_CLASS (jank_inspector_now_parent_class)->map (widget);
  self->watched = jank_inspector_get_host ();
  jank_inspector_watch_sources (TRUE);
  self->former = (JankInspectorLoop) { 0 };
  jank_inspector_sources_reset (self->sources);
  jank_inspector_now_look (self, NULL);
}

static void
jank_inspector_now_unmap (GtkWidget *widget)
{
  jank_inspector_watch_sources (FALSE);
  JANK_INSPECTOR_NOW (widget)->watched = NULL;
  GTK_WIDGET_CLASS (jank_inspector_now_parent_class)->unmap (widget);
}

static void
jank_inspector_now_class_init (JankInspectorNowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (JANK_TYPE_INSPECTOR_MINUTE);
  g_type_ensure (JANK_TYPE_INSPECTOR_SOURCES);
  g_type_ensure (JANK_TYPE_INSPECTOR_SWATCH);
  g_type_ensure (JANK_TYPE_INSPECTOR_TILE);
  widget_class->map = jank_inspector_now_map;
  widget_class->unmap = jank_inspector_now_unmap;
  tab_wanted_signal = g_signal_new ("tab-wanted", JANK_TYPE_INSPECTOR_NOW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                    G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_template_from_resource (widget_class, JANK_INSPECTOR_RESOURCES "jank-inspector-now.ui");
  gtk_widget_class_bind_template_child (widget_class, JankInspectorNow, fps);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorNow, hitches);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorNow, loop);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorNow, busy);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorNow, stalls);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorNow, cost);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorNow, minute);
  gtk_widget_class_bind_template_child (widget_class, JankInspectorNow, sources);
  gtk_widget_class_bind_template_callback (widget_class, jank_inspector_now_activated_cb);
}

static void
jank_inspector_now_init (JankInspectorNow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
