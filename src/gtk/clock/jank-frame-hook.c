/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Emission hooks on GdkFrameClock's signals run before every handler, for every clock, so no window has to be
 * tracked. They mark where a phase begins. A handler per clock, connected after all others, marks where the last
 * phase ends; when it is destroyed, the clock is gone.
 *
 * We take the times ourselves: the clock's frame time is smoothed, and jumps. */

#include "gtk/clock/jank-frame-hook-private.h"

#include "base/jank-clock-private.h"
#include "gtk/clock/jank-inspector-time-private.h"
#include "gtk/jank-toplevels-private.h"

#define MAX_LOOKUPS 8

static const struct { const char *signal; JankFramePhase phase; } hooked[] = {
  { "flush-events", JANK_FRAME_FLUSH_EVENTS }, { "before-paint", JANK_FRAME_BEFORE_PAINT },
  { "update", JANK_FRAME_UPDATE }, { "layout", JANK_FRAME_LAYOUT }, { "paint", JANK_FRAME_PAINT },
  { "after-paint", JANK_FRAME_AFTER_PAINT },
};

static const JankGtkHost *host; /* NULL: stopped */
static JankFrameFunc frame_func;
static void (*paint_func) (GtkWindow *window);
static gulong hook_ids[G_N_ELEMENTS (hooked)];
static GPtrArray *clocks;       /* (owned) of (owned) JankGtkClock */
static JankGtkClock *last_found;
static gboolean is_ours;        /* the request under way is our own */
static JankFrameClocks frames;

JankGtkClock *
jank_frame_hook_find (GdkFrameClock *gdk)
{
  if (last_found != NULL && last_found->gdk == gdk)
    return last_found;
  for (guint i = 0; clocks != NULL && i < clocks->len; i++)
    {
      JankGtkClock *clock = clocks->pdata[i];

      if (clock->gdk == gdk)
        return last_found = clock;
    }
  return NULL;
}

/* For the program, not for us. */
static gboolean
jank_frame_hook_is_coming (const JankGtkClock *clock)
{
  return clock->phase < 0 && (clock->wanted_ns != 0 || clock->runs_on) &&
         (clock->is_wanted_by_program || !clock->is_wanted_by_us) && !clock->is_away && !clock->is_inspector;
}

/* A window that was not drawn yet is the start-up's. */
static gboolean
jank_frame_hook_is_wanted (const JankGtkClock *clock)
{
  return clock->first_ns != 0 && jank_frame_hook_is_coming (clock);
}

static void
jank_frame_hook_note_wanted (const JankGtkClock *clock)
{
  if (host != NULL && host->frame_wanted_ns != NULL && jank_frame_hook_is_wanted (clock) &&
      atomic_load_explicit (host->frame_wanted_ns, memory_order_relaxed) == 0)
    atomic_store_explicit (host->frame_wanted_ns, jank_clock_now_ns (), memory_order_relaxed);
}

gboolean
jank_frame_hook_is_held (void)
{
  for (guint i = 0; clocks != NULL && i < clocks->len; i++)
    {
      JankGtkClock *clock = clocks->pdata[i];

      if (jank_frame_hook_is_wanted (clock) && !jank_gtk_clock_display_holds (clock))
        return FALSE;
    }
  return TRUE;
}

gboolean
jank_frame_hook_sees_requests (GdkFrameClock *gdk)
{
  JankGtkClock *clock = jank_frame_hook_find (gdk);

  return clock != NULL && clock->sees_requests;
}

JankInputWait
jank_frame_hook_find_wait (const void **gdk, gint64 since_ns)
{
  JankGtkClock *own = jank_frame_hook_find ((GdkFrameClock *) *gdk);

  if (own != NULL && jank_frame_hook_is_coming (own))
    return JANK_INPUT_FRAME;
  if (own != NULL && (own->phase >= 0 || jank_gtk_clock_display_holds (own)))
    return JANK_INPUT_HELD;
  for (guint i = 0; clocks != NULL && i < clocks->len; i++)
    {
      const JankGtkClock *clock = clocks->pdata[i];

      if (jank_frame_hook_is_coming (clock) && clock->wanted_ns >= since_ns)
        {
          *gdk = clock->gdk;
          return JANK_INPUT_FRAME;
        }
    }
  return JANK_INPUT_NO_FRAME;
}

static void
jank_frame_hook_requested_cb (GdkFrameClock *gdk, GdkFrameClockPhase phase)
{
  JankGtkClock *clock = jank_frame_hook_find (gdk);

  if (clock == NULL)
    return;
  jank_gtk_clock_request (clock, phase, is_ours, jank_gtk_clock_is_at_rest (clock) &&
                          jank_gtk_clock_display_holds (clock));
  jank_frame_hook_note_wanted (clock);
}

static void
jank_frame_hook_updating_cb (GdkFrameClock *gdk, int change)
{
  JankGtkClock *clock = jank_frame_hook_find (gdk);

  if (clock == NULL)
    return;
  jank_gtk_clock_updating (clock, change);
  jank_frame_hook_note_wanted (clock);
}

static const JankGtkClockRequestFuncs request_funcs = { jank_frame_hook_requested_cb, jank_frame_hook_updating_cb };

static void
jank_frame_hook_set_own_time (JankGtkClock *clock, gboolean is_own_time)
{
  if (clock->is_own_time == is_own_time)
    return;
  clock->is_own_time = is_own_time;
  if (is_own_time)
    jank_spans_begin (&jank_inspector_time_get ()->spans);
  else
    jank_spans_end (&jank_inspector_time_get ()->spans);
}

static void
jank_frame_hook_flush_ended_cb (GdkFrameClock *gdk, gpointer data)
{
  ((JankGtkClock *) data)->flush_ended_ns = jank_clock_now_ns ();
  jank_frame_hook_set_own_time (data, FALSE);
}

static void
jank_frame_hook_tell_host (JankGtkClock *clock)
{
  const JankFrameVerdict *verdict = clock->stats != NULL ? jank_frame_meter_get_verdict (clock->stats) : NULL;

  if (host->on_frame != NULL && !(clock->event.flags & (JANK_FRAME_OVERLAY_ONLY | JANK_FRAME_INSPECTOR)))
    host->on_frame (host->data, &clock->event, verdict);
}

static void
jank_frame_hook_after_paint_ended_cb (GdkFrameClock *gdk, gpointer data)
{
  JankGtkClock *clock = data;

  jank_frame_hook_set_own_time (clock, FALSE);
  if (host == NULL ||
      !jank_gtk_clock_end (clock, jank_clock_now_ns (), jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID)))
    return;

  if (clock->stats != NULL)
    jank_frame_meter_add (clock->stats, &clock->event);
  jank_frame_hook_tell_host (clock);
  jank_frame_hook_note_wanted (clock);
  frame_func (clock);
}

static void
jank_frame_hook_clock_gone_cb (gpointer data, GClosure *closure)
{
  JankGtkClock *clock = data;

  jank_frame_hook_set_own_time (clock, FALSE);
  jank_gtk_clock_display_detach (clock);
  if (clock->stats != NULL)
    jank_frame_clocks_close (&frames, clock->stats);
  if (last_found == clock)
    last_found = NULL;
  g_ptr_array_remove_fast (clocks, clock);
}

static void
jank_frame_hook_watch_requests (JankGtkClock *clock)
{
  clock->n_tries++;
  clock->sees_requests = jank_gtk_clock_requests_watch (clock->gdk, &request_funcs);
}

static JankGtkClock *
jank_frame_hook_add_clock (GdkFrameClock *gdk)
{
  JankGtkClock *clock = g_new0 (JankGtkClock, 1);

  clock->gdk = gdk;
  clock->phase = -1;
  clock->stats = jank_frame_clocks_open (&frames, "");
  jank_frame_hook_watch_requests (clock);
  clock->handlers[0] = g_signal_connect_data (gdk, "after-paint",
                                              G_CALLBACK (jank_frame_hook_after_paint_ended_cb), clock,
                                              jank_frame_hook_clock_gone_cb, G_CONNECT_AFTER);
  clock->handlers[1] = g_signal_connect_after (gdk, "flush-events", G_CALLBACK (jank_frame_hook_flush_ended_cb), clock);
  g_ptr_array_add (clocks, clock);
  return clock;
}

static void
jank_frame_hook_look_up_window (JankGtkClock *clock)
{
  GtkWindow *window = jank_toplevels_find (clock->gdk);
  const char *title;

  clock->n_lookups++;
  if (window == NULL)
    return;
  jank_gtk_clock_display_attach (clock, window);
  clock->is_inspector = jank_toplevels_is_inspector (window);
  title = gtk_window_get_title (window);
  if (clock->stats != NULL)
    jank_frame_clocks_rename (&frames, clock->stats, title != NULL ? title : G_OBJECT_TYPE_NAME (window));
}

/* g_value_get_object() without its checks, which take 100 instructions five times a frame. */
static GdkFrameClock *
jank_frame_hook_get_clock (const GValue *values)
{
  return values[0].data[0].v_pointer;
}

static JankGtkClock *
jank_frame_hook_find_or_add (const GValue *values)
{
  GdkFrameClock *gdk = jank_frame_hook_get_clock (values);
  JankGtkClock *clock = jank_frame_hook_find (gdk);

  if (G_UNLIKELY (clock == NULL))
    clock = jank_frame_hook_add_clock (gdk);
  if (G_UNLIKELY (clock->window == NULL && clock->n_lookups < MAX_LOOKUPS))
    jank_frame_hook_look_up_window (clock);
  if (G_UNLIKELY (!clock->sees_requests && clock->n_tries < MAX_LOOKUPS))
    jank_frame_hook_watch_requests (clock);
  return clock;
}

static gboolean
jank_frame_hook_flush_began_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  JankGtkClock *clock = jank_frame_hook_find_or_add (values);

  jank_gtk_clock_flush_began (clock, jank_clock_now_ns ());
  jank_frame_hook_set_own_time (clock, clock->is_inspector);
  return TRUE;
}

/* What we and the inspector did since the last frame began delayed this one: nobody's fault. */
static gint64
jank_frame_hook_get_own_ns (const JankGtkClock *clock, gint64 from_ns)
{
  return clock->is_inspector || clock->last_end_ns == 0
         ? 0 : jank_spans_get (&jank_inspector_time_get ()->spans, from_ns, clock->event.begin_ns);
}

/* The program's own, from from_ns until this frame. */
static gint64
jank_frame_hook_get_busy_ns (const JankGtkClock *clock, gint64 from_ns)
{
  gint64 busy_ns = host->get_busy_ns (host->data, from_ns, clock->event.begin_ns) -
                   jank_frame_hook_get_own_ns (clock, from_ns);

  return MAX (busy_ns, 0);
}

static gboolean
jank_frame_hook_before_paint_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  JankGtkClock *clock = jank_frame_hook_find_or_add (values);
  JankGtkClockReading reading = { .now_ns = jank_clock_now_ns () };

  reading.cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
  jank_gtk_clock_display_read (clock, &reading);
  jank_gtk_clock_begin (clock, &reading);
  if (jank_gtk_clock_may_be_late (clock) && host->get_busy_ns != NULL)
    {
      clock->event.gap_busy_ns = jank_frame_hook_get_busy_ns (clock, clock->last_end_ns);
      clock->event.gap_over_ns = jank_frame_hook_get_busy_ns (clock, jank_gtk_clock_get_deadline_ns (clock));
    }
  clock->event.gap_idle_ns = jank_frame_hook_get_own_ns (clock, clock->last_begin_ns);
  if (!clock->is_inspector && host->frame_wanted_ns != NULL)
    atomic_store_explicit (host->frame_wanted_ns, 0, memory_order_relaxed);
  if (!clock->is_inspector && host->on_begin != NULL)
    host->on_begin (host->data, clock->event.begin_ns);
  jank_frame_hook_set_own_time (clock, clock->is_inspector);
  return TRUE;
}

static gboolean
jank_frame_hook_phase_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  JankGtkClock *clock = jank_frame_hook_find (jank_frame_hook_get_clock (values));

  if (G_UNLIKELY (clock == NULL))
    return TRUE;
  jank_gtk_clock_phase (clock, GPOINTER_TO_INT (data), jank_clock_now_ns ());
  if (paint_func != NULL && clock->window != NULL && GPOINTER_TO_INT (data) == JANK_FRAME_PAINT)
    paint_func (clock->window);
  return TRUE;
}

static void
jank_frame_hook_add_window (GtkWindow *window)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (window));

  if (surface == NULL || jank_frame_hook_find (gdk_surface_get_frame_clock (surface)) != NULL)
    return;
  jank_frame_hook_look_up_window (jank_frame_hook_add_clock (gdk_surface_get_frame_clock (surface)));
}

void
jank_frame_hook_start (const JankGtkHost *new_host, JankFrameFunc func)
{
  host = new_host;
  frame_func = func;
  clocks = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < G_N_ELEMENTS (hooked); i++)
    {
      GSignalEmissionHook hook = jank_frame_hook_phase_cb;

      if (hooked[i].phase == JANK_FRAME_FLUSH_EVENTS)
        hook = jank_frame_hook_flush_began_cb;
      else if (hooked[i].phase == JANK_FRAME_BEFORE_PAINT)
        hook = jank_frame_hook_before_paint_cb;
      hook_ids[i] = jank_gtk_add_hook (GDK_TYPE_FRAME_CLOCK, hooked[i].signal, hook, GINT_TO_POINTER (hooked[i].phase));
    }
  jank_toplevels_foreach (jank_frame_hook_add_window);
}

void
jank_frame_hook_stop (void)
{
  host = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (hooked); i++)
    g_signal_remove_emission_hook (g_signal_lookup (hooked[i].signal, GDK_TYPE_FRAME_CLOCK), hook_ids[i]);
  while (clocks->len > 0)
    {
      JankGtkClock *clock = clocks->pdata[0];
      GdkFrameClock *gdk = clock->gdk;

      g_signal_handler_disconnect (gdk, clock->handlers[1]);
      g_signal_handler_disconnect (gdk, clock->handlers[0]); /* frees the clock */
    }
  g_clear_pointer (&clocks, g_ptr_array_unref);
}

void
jank_frame_hook_queue_draw (GtkWidget *widget, const GdkRectangle *area)
{
  is_ours = TRUE;
#if GTK_MAJOR_VERSION < 4
  if (area != NULL)
    gtk_widget_queue_draw_area (widget, area->x, area->y, area->width, area->height);
  else
#endif
    gtk_widget_queue_draw (widget);
  is_ours = FALSE;
}

void
jank_frame_hook_set_paint_func (void (*func) (GtkWindow *window))
{
  paint_func = func;
}

JankFrameClocks *
jank_frame_hook_get_frames (void)
{
  return &frames;
}
