/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Emission hooks on ClutterStage's signals mark where the phases of a frame begin. A view of the stage is a monitor,
 * and has a clock of its own, whose GSource is scheduled for as long as another frame is wanted: that is looked at when
 * the turn of a frame or of its presentation has ended. Types, signals and properties are found by name; what is
 * missing leaves the frames uncounted. The compositor's thread only. */

/* Private layout: mutter's ClutterFrameInfo. */

#include "gtk/jank-gtk-plugin-private.h"

#include <string.h>

#include <glib-object.h>

#include "base/jank-clock-private.h"
#include "base/jank-each-private.h"

#define STARTUP_NS JANK_NS_PER_S

/* A frame is shown this long before it is told, at most. */
#define MAX_TOLD_US G_USEC_PER_SEC
#define MIN_HZ      1
#define MAX_HZ      1000

/* Which of its 64-bit words is the time of presentation, in microseconds of CLOCK_MONOTONIC, and which begins with the
 * rate in Hz, as a float. */
static const struct { guint time, rate; } layouts[] = {
  { 1, 2 }, /* mutter 43 */
  { 2, 4 }, /* mutter 48 */
  { 2, 3 }, /* mutter 50 */
};

typedef struct
{
  GObject        *view;     /* (unowned): the clock is removed before view goes */
  JankFrameMeter *meter;    /* (nullable): NULL when there are too many clocks */
  GSource        *source;   /* (owned) (nullable): dispatches the frames */
  gboolean        runs_on;  /* another frame was wanted at the end of the turn */
  int             phase;    /* JankFramePhase, -1: between two frames */
  gint64          first_ns, last_end_ns, phase_began_ns, cpu_began_ns;
  gint64          refresh_ns;   /* 0: unknown */
  gint64          presented_ns; /* of the last frame; 0: not yet */
  JankFrameEvent  event;        /* being filled while phase >= 0 */
} JankClutterClock;

static const JankGtkHost *host; /* NULL: stopped */
static GPtrArray *clocks;       /* (owned) of (owned) JankClutterClock */
static _Atomic gboolean has_presentation; /* any thread */
static JankFrameClocks frames;
static JankInputBoard no_input;

static void
jank_clutter_frames_free_clock (gpointer data)
{
  JankClutterClock *clock = data;

  if (clock->meter != NULL)
    jank_frame_clocks_close (&frames, clock->meter);
  g_clear_pointer (&clock->source, g_source_unref);
  g_free (clock);
}

static void
jank_clutter_frames_view_gone_cb (gpointer data, GObject *view)
{
  g_ptr_array_remove_fast (clocks, data);
}

static JankClutterClock *
jank_clutter_frames_add (GObject *view)
{
  JankClutterClock *clock = g_new0 (JankClutterClock, 1);
  GParamSpec *name = g_object_class_find_property (G_OBJECT_GET_CLASS (view), "name");
  g_autofree char *monitor = NULL;

  if (name != NULL && G_IS_PARAM_SPEC_STRING (name) && (name->flags & G_PARAM_READABLE))
    g_object_get (view, "name", &monitor, NULL);
  clock->view = view;
  clock->phase = -1;
  clock->meter = jank_frame_clocks_open (&frames, monitor != NULL ? monitor : G_OBJECT_TYPE_NAME (view));
  g_object_weak_ref (view, jank_clutter_frames_view_gone_cb, clock);
  g_ptr_array_add (clocks, clock);
  return clock;
}

/* Of a signal of the stage's. Returns: (nullable) */
static JankClutterClock *
jank_clutter_frames_find (guint n_values, const GValue *values)
{
  GObject *view = n_values > 1 && G_VALUE_HOLDS_OBJECT (&values[1]) ? g_value_get_object (&values[1]) : NULL;

  JANK_EACH (JankClutterClock, clock, clocks)
    if (clock->view == view)
      return clock;
  return view != NULL ? jank_clutter_frames_add (view) : NULL;
}

static void
jank_clutter_frames_turned_cb (gint64 ended_ns)
{
  JANK_EACH (JankClutterClock, clock, clocks)
    clock->runs_on = clock->source != NULL && g_source_get_ready_time (clock->source) >= 0;
}

static void
jank_clutter_frames_look_at_end (void)
{
  if (host->call_at_end != NULL)
    host->call_at_end (host->data, jank_clutter_frames_turned_cb);
}

/* A frame that another source draws, as for a screenshot, tells nothing of the clock. */
static void
jank_clutter_frames_set_source (JankClutterClock *clock)
{
  GSource *source = g_main_current_source ();
  const char *name;

  if (source == NULL || source == clock->source)
    return;
  name = g_source_get_name (source);
  if (name == NULL || strstr (name, "frame clock") == NULL)
    return;
  g_clear_pointer (&clock->source, g_source_unref);
  clock->source = g_source_ref (source);
}

/* What a client draws is asked for when it has drawn, and nobody tells when that was: such a frame is on time, or not
 * judged. */
static gboolean
jank_clutter_frames_was_running (const JankClutterClock *clock, gint64 now_ns)
{
  gint64 refresh_ns = clock->refresh_ns != 0 ? clock->refresh_ns : JANK_FRAME_ASSUMED_REFRESH_NS;

  return clock->last_end_ns != 0 && (clock->runs_on || 2 * (now_ns - clock->event.begin_ns) <= 3 * refresh_ns);
}

static JankFrameFlags
jank_clutter_frames_find_flags (const JankClutterClock *clock, gint64 now_ns)
{
  JankFrameFlags flags = JANK_FRAME_UNDRAWN;

  if (jank_clutter_frames_was_running (clock, now_ns))
    flags |= JANK_FRAME_ANIMATING;
  if (clock->refresh_ns == 0)
    flags |= JANK_FRAME_REFRESH_ASSUMED;
  if (clock->presented_ns == 0)
    flags |= JANK_FRAME_UNPACED;
  if (now_ns - clock->first_ns < STARTUP_NS)
    flags |= JANK_FRAME_STARTUP;
  return flags;
}

/* Of a frame that may be late: the log of turns is searched. */
static void
jank_clutter_frames_read_gap (JankClutterClock *clock, gint64 last_begin_ns)
{
  JankFrameEvent *event = &clock->event;
  gint64 refresh_ns = jank_frame_refresh (event);
  gint64 deadline_ns = MAX (jank_frame_deadline_ns (last_begin_ns, refresh_ns), clock->last_end_ns);

  if (!(event->flags & JANK_FRAME_ANIMATING) || host->get_busy_ns == NULL ||
      4 * (event->begin_ns - last_begin_ns) <= 5 * refresh_ns)
    return;
  event->gap_busy_ns = host->get_busy_ns (host->data, clock->last_end_ns, event->begin_ns);
  event->gap_over_ns = host->get_busy_ns (host->data, deadline_ns, event->begin_ns);
}

static gboolean
jank_clutter_frames_began_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  JankClutterClock *clock = jank_clutter_frames_find (n_values, values);
  gint64 now_ns = jank_clock_now_ns (), last_begin_ns;

  if (clock == NULL)
    return TRUE;
  last_begin_ns = clock->event.begin_ns;
  if (clock->first_ns == 0)
    clock->first_ns = now_ns;
  jank_clutter_frames_set_source (clock);
  clock->event = (JankFrameEvent) {
    .begin_ns = now_ns,
    .refresh_ns = clock->refresh_ns,
    .predecessor_presented_ns = clock->presented_ns,
    .flags = jank_clutter_frames_find_flags (clock, now_ns),
  };
  jank_clutter_frames_read_gap (clock, last_begin_ns);
  if (host->on_begin != NULL)
    host->on_begin (host->data, now_ns);
  clock->presented_ns = 0;
  clock->phase = JANK_FRAME_LAYOUT;
  clock->phase_began_ns = now_ns;
  clock->cpu_began_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
  return TRUE;
}

static gboolean
jank_clutter_frames_phase_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  JankClutterClock *clock = jank_clutter_frames_find (n_values, values);
  gint64 now_ns = jank_clock_now_ns ();

  if (clock == NULL || clock->phase < 0)
    return TRUE;
  clock->event.phase_ns[clock->phase] += now_ns - clock->phase_began_ns;
  clock->phase = GPOINTER_TO_INT (data);
  clock->phase_began_ns = now_ns;
  if (clock->phase == JANK_FRAME_PAINT)
    clock->event.flags &= ~JANK_FRAME_UNDRAWN;
  return TRUE;
}

static gboolean
jank_clutter_frames_ended_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  JankClutterClock *clock = jank_clutter_frames_find (n_values, values);

  if (clock == NULL || clock->phase < 0)
    return TRUE;
  clock->event.end_ns = jank_clock_now_ns ();
  clock->event.phase_ns[clock->phase] += clock->event.end_ns - clock->phase_began_ns;
  clock->event.cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - clock->cpu_began_ns;
  clock->phase = -1;
  clock->last_end_ns = clock->event.end_ns;
  if (clock->meter != NULL)
    jank_frame_meter_add (clock->meter, &clock->event);
  if (host->on_frame != NULL)
    host->on_frame (host->data, &clock->event,
                    clock->meter != NULL ? jank_frame_meter_get_verdict (clock->meter) : NULL);
  jank_clutter_frames_look_at_end ();
  return TRUE;
}

/* Counters, which stand elsewhere, are no time of this second. */
static void
jank_clutter_frames_read_info (JankClutterClock *clock, const gint64 *words)
{
  gint64 now_us = jank_clock_now_ns () / 1000;

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      gint64 presented_us = words[layouts[i].time];
      float hz;

      memcpy (&hz, &words[layouts[i].rate], sizeof hz);
      if (presented_us < now_us - MAX_TOLD_US || presented_us > now_us + MAX_TOLD_US || !(hz >= MIN_HZ && hz <= MAX_HZ))
        continue;
      clock->refresh_ns = (gint64) (JANK_NS_PER_S / (double) hz);
      clock->presented_ns = presented_us * 1000;
      atomic_store_explicit (&has_presentation, TRUE, memory_order_relaxed);
      return;
    }
}

static gboolean
jank_clutter_frames_presented_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  JankClutterClock *clock = jank_clutter_frames_find (n_values, values);
  const gint64 *info = n_values > 2 && G_VALUE_HOLDS_POINTER (&values[2]) ? g_value_get_pointer (&values[2]) : NULL;

  jank_clutter_frames_look_at_end ();
  if (clock != NULL && info != NULL)
    jank_clutter_frames_read_info (clock, info);
  return TRUE;
}

static struct
{
  const char         *signal;
  GSignalEmissionHook func;
  JankFramePhase      phase;
  guint               id;   /* 0: not hooked */
  gulong              hook;
} hooks[] = {
  { "before-update", jank_clutter_frames_began_cb, JANK_FRAME_BETWEEN, 0, 0 },
  { "before-paint", jank_clutter_frames_phase_cb, JANK_FRAME_PAINT, 0, 0 },
  { "after-paint", jank_clutter_frames_phase_cb, JANK_FRAME_AFTER_PAINT, 0, 0 },
  { "after-update", jank_clutter_frames_ended_cb, JANK_FRAME_BETWEEN, 0, 0 },
  { "presented", jank_clutter_frames_presented_cb, JANK_FRAME_BETWEEN, 0, 0 },
};

static void
jank_clutter_frames_start (const JankGtkHost *new_host)
{
  host = new_host;
  clocks = g_ptr_array_new_with_free_func (jank_clutter_frames_free_clock);
  for (guint i = 0; i < G_N_ELEMENTS (hooks); i++)
    {
      GSignalQuery query;

      hooks[i].id = g_signal_lookup (hooks[i].signal, g_type_from_name ("ClutterStage"));
      g_signal_query (hooks[i].id, &query);
      if (hooks[i].id == 0 || (query.signal_flags & G_SIGNAL_NO_HOOKS))
        hooks[i].id = 0;
      else
        hooks[i].hook = g_signal_add_emission_hook (hooks[i].id, 0, hooks[i].func, GINT_TO_POINTER (hooks[i].phase),
                                                    NULL);
    }
}

static void
jank_clutter_frames_stop (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (hooks); i++)
    if (hooks[i].id != 0)
      g_signal_remove_emission_hook (hooks[i].id, hooks[i].hook);
  JANK_EACH (JankClutterClock, clock, clocks)
    g_object_weak_unref (clock->view, jank_clutter_frames_view_gone_cb, clock);
  g_clear_pointer (&clocks, g_ptr_array_unref);
  host = NULL;
}

/* No frame of its own is awaited. */
static gboolean
jank_clutter_frames_is_held (void)
{
  return TRUE;
}

static JankFrameClocks *
jank_clutter_frames_get_frames (void)
{
  return &frames;
}

static JankInputBoard *
jank_clutter_frames_get_input (void)
{
  return &no_input;
}

static void
jank_clutter_frames_get_tags (JankGtkTags *ret_tags)
{
  *ret_tags = (JankGtkTags) { 0 };
}

static void
jank_clutter_frames_get_toolkit (JankGtkToolkit *ret_toolkit)
{
  *ret_toolkit = (JankGtkToolkit) { .has_presentation =
                                    atomic_load_explicit (&has_presentation, memory_order_relaxed) };
}

JANK_API const JankGtkPlugin *
jank_gtk_plugin_get (void)
{
  static const JankGtkPlugin plugin = {
    .start = jank_clutter_frames_start,
    .stop = jank_clutter_frames_stop,
    .is_held = jank_clutter_frames_is_held,
    .get_frames = jank_clutter_frames_get_frames,
    .get_input = jank_clutter_frames_get_input,
    .get_tags = jank_clutter_frames_get_tags,
    .get_toolkit = jank_clutter_frames_get_toolkit,
  };

  return &plugin;
}
