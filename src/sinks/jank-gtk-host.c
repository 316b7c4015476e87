/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sinks/jank-gtk-host-private.h"

#include <stdatomic.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "base/jank-stderr-private.h"
#include "guest/jank-plugin-private.h"
#include "guest/jank-rest-private.h"
#include "json/jank-json-private.h"
#include "sinks/jank-toolkits-private.h"
#include "report/jank-report-private.h"

/* After a stall: how long to wait for what was done meanwhile to be handled. In poll for so long, the loop has no
 * event; in one turn, the next stall may have begun, which wants to be sampled. */
#define MAX_AWAIT_NS (60 * JANK_NS_PER_MS)
#define IN_POLL_NS   (4 * JANK_NS_PER_MS)
#define IN_TURN_NS   (30 * JANK_NS_PER_MS)

/* A reading of all frame clocks. */
typedef struct
{
  JankFrameSummary  summary;
  JankFrameSnapshot merged, scratch;
} Frames;

struct _JankGtkHostState
{
  /* set at construction */
  JankBeat                    *beat;
  gboolean                     sees_turns;
  JankGtkHost                  host;
  gboolean                     wanted, wants_times;

  /* main thread only */
  JankBusyLog                  log;

  /* watcher thread only */
  Frames                      *frames; /* (owned) (nullable): too large for its stack */
  JankNewestModule             newest;

  /* shared, atomic: written once, with release; read with acquire */
  _Atomic (const JankGtkPlugin *) plugin;

  /* shared, atomic: orders nothing */
  _Atomic guint                loaded; /* a bit for each of jank_toolkits */
  atomic_bool                  is_without_plugin; /* and a display is open */
  _Atomic gint64               first_frame_ns; /* when it ended, 0: none yet */
  _Atomic gint64               last_frame_ns;
  _Atomic double               fps;

  /* any thread, under mutex */
  GMutex                       mutex;
  JankGtkStall                 stall; /* the last; ended_ns is 0: none so far */
};

/* Main thread only: the host that has the plug-in. */
static JankGtkHostState *owner;

static gint64
jank_gtk_host_get_busy_ns (gpointer data, gint64 from_ns, gint64 to_ns)
{
  return jank_busy_log_get (&((JankGtkHostState *) data)->log, from_ns, to_ns);
}

static void
jank_gtk_host_call_at_end (gpointer data, void (*func) (gint64 ended_ns))
{
  ((JankGtkHostState *) data)->beat->ended_func = func;
}

static gboolean
jank_gtk_host_get_last_stall (gpointer data, JankGtkStall *ret_stall)
{
  JankGtkHostState *self = data;

  g_mutex_lock (&self->mutex);
  *ret_stall = self->stall;
  g_mutex_unlock (&self->mutex);
  return ret_stall->ended_ns != 0;
}

static double
jank_gtk_host_get_fps (gpointer data)
{
  return atomic_load_explicit (&((JankGtkHostState *) data)->fps, memory_order_relaxed);
}

static void
jank_gtk_host_on_begin (gpointer data, gint64 began_ns)
{
  atomic_store_explicit (&((JankGtkHostState *) data)->beat->frame_began_ns, began_ns, memory_order_relaxed);
}

static void
jank_gtk_host_on_frame (gpointer data, const JankFrameEvent *event, const JankFrameVerdict *verdict)
{
  JankGtkHostState *self = data;

  self->beat->is_starting = FALSE;
  if (atomic_load_explicit (&self->last_frame_ns, memory_order_relaxed) == 0)
    atomic_store_explicit (&self->first_frame_ns, event->end_ns, memory_order_relaxed);
  atomic_store_explicit (&self->last_frame_ns, event->end_ns, memory_order_relaxed);
  if (self->sees_turns && verdict != NULL && verdict->who == JANK_FRAME_LATE_PROGRAM)
    jank_beat_ask_works (self->beat, event->end_ns);
  if (self->wants_times)
    jank_frame_times_push (&self->beat->frames, &(JankFrameTime) {
      event->begin_ns, event->refresh_ns, (event->flags & JANK_FRAME_ANIMATING) != 0,
      verdict != NULL ? (int) verdict->who : 0,
      verdict != NULL ? verdict->interval_ns : 0, verdict != NULL ? verdict->busy_ns : 0 });
}

static void
jank_gtk_host_on_waits (gpointer data, gint64 since_ns)
{
  JankBeat *beat = ((JankGtkHostState *) data)->beat;

  if (since_ns != 0)
    jank_beat_ask_works (beat, jank_clock_now_ns ());
  atomic_store_explicit (&beat->waits_ns, since_ns, memory_order_release);
}

/* Of several that wait for one frame, the first is the oldest. */
static void
jank_gtk_host_on_slow (gpointer data, gint64 stamp_ns, gint64 answered_ns)
{
  JankBeat *beat = ((JankGtkHostState *) data)->beat;

  if (atomic_load_explicit (&beat->slow_stamp_ns, memory_order_acquire) != 0)
    return;
  atomic_store_explicit (&beat->slow_answered_ns, answered_ns, memory_order_relaxed);
  atomic_store_explicit (&beat->slow_stamp_ns, stamp_ns, memory_order_release);
}

JankGtkHostState *
jank_gtk_host_new (JankSettings *settings, JankBeat *beat, gboolean sees_turns, const JankInspectorHost *inspector)
{
  JankGtkHostState *self = g_new0 (JankGtkHostState, 1);

  self->beat = beat;
  self->sees_turns = sees_turns;
  self->wanted = settings->frames;
  self->wants_times = *settings->frame_log != '\0' || settings->observer == JANK_OBSERVE_FRAMES;
  self->host = (JankGtkHost) {
    .settings = jank_settings_ref (settings),
    .own = &beat->own,
    .frame_wanted_ns = sees_turns ? &beat->frame_wanted_ns : NULL,
    .get_busy_ns = jank_gtk_host_get_busy_ns,
    .call_at_end = sees_turns ? jank_gtk_host_call_at_end : NULL,
    .get_last_stall = jank_gtk_host_get_last_stall,
    .get_fps = settings->observer == JANK_OBSERVE_FRAMES && settings->check_interval_ns > 0
               ? jank_gtk_host_get_fps : NULL,
    .on_begin = self->wants_times ? jank_gtk_host_on_begin : NULL,
    .on_frame = jank_gtk_host_on_frame,
    .on_waits = sees_turns ? jank_gtk_host_on_waits : NULL,
    .on_slow = sees_turns ? jank_gtk_host_on_slow : NULL,
    .say = jank_stderr_say,
    .inspector = inspector,
    .data = self,
  };
  atomic_init (&self->fps, -1.0);
  g_mutex_init (&self->mutex);
  return self;
}

void
jank_gtk_host_set_settings (JankGtkHostState *self, JankSettings *settings, const char *key)
{
  const JankGtkPlugin *plugin = jank_gtk_host_get_plugin (self);

  jank_settings_free (self->host.settings);
  self->host.settings = jank_settings_ref (settings);
  if (plugin == NULL || plugin->set_overlay == NULL)
    return;
  if (g_str_equal (key, "overlay"))
    plugin->set_overlay (settings->overlay);
  else if (g_str_has_prefix (key, "overlay-"))
    plugin->configure ();
}

/* log (nullable): as in jank_beat_set_log() */
static void
jank_gtk_host_keep_log (JankGtkHostState *self, JankBusyLog *log)
{
  if (self->sees_turns)
    jank_beat_set_log (self->beat, log);
}

void
jank_gtk_host_free (JankGtkHostState *self)
{
  const JankGtkPlugin *plugin = jank_gtk_host_get_plugin (self);

  if (plugin != NULL)
    plugin->stop ();
  jank_gtk_host_keep_log (self, NULL);
  if (owner == self)
    owner = NULL;
  g_mutex_clear (&self->mutex);
  jank_settings_free (self->host.settings);
  g_free (self->frames);
  g_free (self);
}

/* Returns: (nullable): NULL without error: jankwatch was built without it */
static const JankGtkPlugin *
jank_gtk_host_open_plugin (guint toolkit, GError **error)
{
  const JankToolkit *of = &jank_toolkits[toolkit];
  g_autoptr (GError) failure = NULL;
  JankGtkPluginGetFunc get = (JankGtkPluginGetFunc) jank_plugin_find (of->plugin, JANK_GTK_PLUGIN_SYMBOL, &failure);

  if (get != NULL)
    return get ();
  if (!of->is_optional || !g_error_matches (failure, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                 _("Could not open “%s”, which watches frames: %s. Stalls are watched all the same"),
                 of->plugin, failure->message);
  return NULL;
}

/* Any thread. */
static void
jank_gtk_host_note_loaded (JankGtkHostState *self, guint loaded)
{
  atomic_store_explicit (&self->loaded, loaded, memory_order_relaxed);
  if (loaded != 0)
    jank_beat_ask (self->beat, JANK_BEAT_ASKS_LOOK, TRUE);
}

gboolean
jank_gtk_host_look (JankGtkHostState *self, GError **error)
{
  guint loaded = atomic_load_explicit (&self->loaded, memory_order_relaxed);

  if (!self->wanted || owner != NULL)
    return TRUE;
  if (loaded == 0)
    jank_gtk_host_note_loaded (self, loaded = jank_toolkits_find ());
  for (guint i = 0; i < JANK_N_TOOLKITS; i++)
    if ((loaded & 1u << i) != 0 && jank_toolkits_has_display (i))
      {
        const JankGtkPlugin *plugin;

        jank_spans_begin (&self->beat->own.spans);
        plugin = jank_gtk_host_open_plugin (i, error);
        atomic_store_explicit (&self->is_without_plugin, plugin == NULL, memory_order_relaxed);
        if (plugin != NULL)
          {
            jank_gtk_host_keep_log (self, &self->log);
            plugin->start (&self->host);
            owner = self;
            atomic_store_explicit (&self->plugin, plugin, memory_order_release);
          }
        jank_spans_end (&self->beat->own.spans);
        return TRUE;
      }
  return FALSE;
}

const JankGtkPlugin *
jank_gtk_host_get_plugin (JankGtkHostState *self)
{
  return atomic_load_explicit (&self->plugin, memory_order_acquire);
}

JankReportFrameClock *
jank_gtk_host_read_frames (JankGtkHostState *self, JankGtkToolkit *ret_toolkit, gboolean *ret_toolkit_known)
{
  const JankGtkPlugin *plugin = self != NULL ? jank_gtk_host_get_plugin (self) : NULL;

  if (ret_toolkit_known != NULL)
    *ret_toolkit_known = plugin != NULL;
  if (plugin == NULL)
    return NULL;
  plugin->get_toolkit (ret_toolkit);
  if (self->frames == NULL)
    self->frames = g_new0 (Frames, 1);
  if (!jank_frame_clocks_summarize (plugin->get_frames (), jank_clock_now_ns (), &self->frames->merged,
                                    &self->frames->scratch, &self->frames->summary))
    return NULL;
  return jank_report_frame_clock_from (&self->frames->summary, &self->frames->merged, ret_toolkit->has_presentation);
}

static gboolean
jank_gtk_host_has_turned (JankGtkHostState *self, gint64 now_ns)
{
  uint64_t word = jank_beat_load (self->beat);
  gint64 age_ns = now_ns - jank_beat_word_ns (word);

  return age_ns >= (jank_beat_word_state (word) == JANK_BEAT_WAITING ? IN_POLL_NS : IN_TURN_NS);
}

/* One event a turn, and the oldest first: when one was handled that happened before ended_ns, it is the one. */
static void
jank_gtk_host_await_input (JankGtkHostState *self, JankInputBoard *board, gint64 ended_ns)
{
  gint64 now_ns = jank_clock_now_ns (), until_ns = now_ns + MAX_AWAIT_NS;

  while (now_ns < until_ns && !jank_input_board_is_named (board, ended_ns) && !jank_gtk_host_has_turned (self, now_ns))
    {
      g_usleep (1000);
      jank_rest_yield ();
      now_ns = jank_clock_now_ns ();
    }
}

gboolean
jank_gtk_host_find_interaction (JankGtkHostState *self, gint64 began_ns, gint64 ended_ns, gboolean is_over,
                                JankInteraction *ret_interaction, gint64 *ret_waited_ns)
{
  const JankGtkPlugin *plugin = jank_gtk_host_get_plugin (self);

  if (plugin == NULL)
    return FALSE;
  if (is_over)
    jank_gtk_host_await_input (self, plugin->get_input (), ended_ns);
  return jank_input_board_find (plugin->get_input (), began_ns, ended_ns, ret_interaction, ret_waited_ns);
}

unsigned
jank_gtk_host_read_interactions (JankGtkHostState *self, JankInteraction *ret_kept)
{
  const JankGtkPlugin *plugin = jank_gtk_host_get_plugin (self);

  return plugin != NULL ? jank_input_board_read (plugin->get_input (), ret_kept) : 0;
}

const JankSourceLedger *
jank_gtk_host_get_works (JankGtkHostState *self)
{
  return atomic_load_explicit (&self->beat->works, memory_order_acquire);
}

gint64
jank_gtk_host_get_works_until (JankGtkHostState *self)
{
  return atomic_load_explicit (&self->beat->works_until_ns, memory_order_relaxed);
}

guint64
jank_gtk_host_get_n_answered (JankGtkHostState *self)
{
  const JankGtkPlugin *plugin = jank_gtk_host_get_plugin (self);
  JankInputBoard *board = plugin != NULL ? plugin->get_input () : NULL;

  return board != NULL ? atomic_load_explicit (&board->answered.n, memory_order_relaxed) +
                         atomic_load_explicit (&board->n_answered[JANK_INTERACTION_RELEASE], memory_order_relaxed) : 0;
}

gboolean
jank_gtk_host_sum_up_input (JankGtkHostState *self, JankInputFigures *ret_figures)
{
  const JankGtkPlugin *plugin = jank_gtk_host_get_plugin (self);

  return plugin != NULL && jank_input_board_sum_up (plugin->get_input (), ret_figures);
}

gboolean
jank_gtk_host_is_held (JankGtkHostState *self)
{
  const JankGtkPlugin *plugin = jank_gtk_host_get_plugin (self);

  return plugin == NULL || plugin->is_held ();
}

gint64
jank_gtk_host_get_first_frame (JankGtkHostState *self)
{
  return atomic_load_explicit (&self->first_frame_ns, memory_order_relaxed);
}

gint64
jank_gtk_host_get_last_frame (JankGtkHostState *self)
{
  return atomic_load_explicit (&self->last_frame_ns, memory_order_relaxed);
}

gboolean
jank_gtk_host_is_undrawn (JankGtkHostState *self)
{
  return self->wanted && !atomic_load_explicit (&self->is_without_plugin, memory_order_relaxed) &&
         jank_toolkits_find () != 0 && jank_gtk_host_get_first_frame (self) == 0;
}

static void
jank_gtk_host_ended (gpointer data, JankRecord *record, const JankStall *stall, JankReport *report)
{
  JankGtkHostState *self = data;
  gint64 length_ns = jank_report_get_length_ns (report);
  JankGtkStall last = { .duration_ns = report->stall.duration_ns,
                        .ended_ns = report->stall.began_monotonic_ns + length_ns };
  g_autofree char *text = NULL;
  const char *cut;

  if (!jank_report_kind_is_stall (report->kind))
    return;
  text = jank_json_time_to_text (report->stall.began_real_us + length_ns / JANK_NS_PER_US);
  g_strlcpy (last.ended_at, text != NULL ? strchr (text, 'T') + 1 : "", sizeof last.ended_at);
  g_strlcpy (last.culprit, report->culprit.function != NULL ? report->culprit.function : "", sizeof last.culprit);
  if (!g_utf8_validate (last.culprit, -1, &cut))
    last.culprit[cut - last.culprit] = '\0';
  g_mutex_lock (&self->mutex);
  self->stall = last;
  g_mutex_unlock (&self->mutex);
}

static void
jank_gtk_host_tick (gpointer data, JankRecord *record, gint64 now_ns, gint64 *ret_due_ns)
{
  JankGtkHostState *self = data;
  guint loaded = atomic_load_explicit (&self->loaded, memory_order_relaxed), found;

  if (jank_gtk_host_get_plugin (self) != NULL)
    return;
  found = loaded | jank_toolkits_find_new (&self->newest);
  if (self->wanted && found != loaded)
    jank_gtk_host_note_loaded (self, found);
}

static void
jank_gtk_host_figure (gpointer data, JankRecord *record, double fps)
{
  atomic_store_explicit (&((JankGtkHostState *) data)->fps, fps, memory_order_relaxed);
}

const JankSinkFuncs jank_gtk_host_sink = {
  .figure = jank_gtk_host_figure,
  .tick = jank_gtk_host_tick,
  .ended = jank_gtk_host_ended,
};
