/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "monitor/jank-watched-loop-private.h"

#include <sys/syscall.h>
#include <unistd.h>
#include <gio/gio.h>
#include <glib/gi18n-lib.h>

#include "base/jank-starter-private.h"
#include "guest/jank-errands-private.h"
#include "base/jank-error.h"
#include "guest/jank-own-thread-private.h"
#include "gobject/jank-emissions-private.h"
#include "javascript/jank-javascript-private.h"
#include "sinks/jank-sinks-private.h"
#include "observe/jank-loop-observer-private.h"
#include "observe/jank-ping-private.h"
#include "json/jank-json-private.h"
#include "store/jank-session-private.h"
#include "wait/jank-lock-private.h"
#include "watch/jank-watcher-private.h"

#define TASK_FOLDER "/proc/self/task"

struct _JankWatchedLoop
{
  JankWatchedLoopOwner owner;
  JankSettings     *settings; /* (owned), the monitor's too */
  pid_t             pid;      /* of the process that started it */
  JankGtkHostState *gtk;      /* (owned) (nullable): for the default context only */
  JankRecorder     *recorder; /* (owned) */
  JankSessionKeeper *keeper;  /* the recorder's */
  JankBeat         *beat;     /* the observer's or the ping's */
  JankLoopObserver *observer; /* (owned) (nullable): none where pings are sent */
  JankPing         *ping;     /* (owned) (nullable): none where the loop is observed */
  JankWatcher      *watcher;  /* (owned) */
  JankSourceLedger *ledger;   /* (nullable): while sources are counted */
  JankTimes        *turns;    /* (nullable): the observer's */
  gboolean          has_looked, knows_program; /* by the loop's thread, and by the program's first */
};

/* The loop's thread, as jank_watched_loop_thread_cb(). Returns: whether there is nothing more to look for */
static bool
jank_watched_loop_look_for_gtk_cb (gpointer data)
{
  JankWatchedLoop *self = data;
  g_autoptr (GError) error = NULL;

  if (self->gtk != NULL && !jank_gtk_host_look (self->gtk, &error))
    return false;
  if (error != NULL)
    jank_errands_say ("%s", error->message);
  else if (self->gtk != NULL)
    jank_recorder_set_program (self->recorder, jank_program_new_full ());
  return true;
}

/* As jank_watched_loop_look_for_gtk_cb() */
static bool
jank_watched_loop_attach_engine_cb (gpointer data)
{
  JankWatchedLoop *self = data;
  g_autoptr (GError) error = NULL;
  bool is_done = self->owner.context != g_main_context_default () || jank_javascript_attach (&error);

  if (error != NULL)
    jank_errands_say (_("The calls of JavaScript cannot be read: %s"), error->message);
  return is_done;
}

static bool
jank_watched_loop_is_held_cb (gpointer data)
{
  JankWatchedLoop *self = data;

  return self->gtk == NULL || jank_gtk_host_is_held (self->gtk);
}

/* The loop's thread. */
static void
jank_watched_loop_count_sources (JankWatchedLoop *self)
{
  if (self->settings->sources == (self->ledger != NULL))
    return;
  if (self->ledger != NULL)
    jank_source_ledger_stop (self->owner.context);
  self->ledger = self->settings->sources ? jank_source_ledger_start (self->owner.context) : NULL;
  jank_watcher_set_ledger (self->watcher, self->ledger);
  if (self->ledger != NULL)
    jank_session_keeper_set_ledger (self->keeper, self->ledger);
}

/* At the loop's first turn, and when another thread takes the context over, maybe at each turn: what opens libraries is
 * done once. Nothing of ours is being dispatched. */
static void
jank_watched_loop_thread_cb (gpointer data)
{
  JankWatchedLoop *self = data;

  jank_watcher_set_thread (self->watcher);
  jank_source_ledger_move (self->owner.context);
  jank_watched_loop_count_sources (self);
  if (!jank_watched_loop_attach_engine_cb (self))
    jank_beat_ask (self->beat, JANK_BEAT_ASKS_ENGINE, TRUE);
  if (!self->has_looked)
    jank_watched_loop_look_for_gtk_cb (self);
  if (!self->knows_program && syscall (SYS_gettid) == getpid ())
    {
      jank_recorder_set_program (self->recorder, jank_program_new_full ());
      self->knows_program = TRUE;
    }
  self->has_looked = TRUE;
}

/* What jankwatch adds to tables of the process, GObject's types and signals and GLib's quarks, before anything is
 * watched. By the program's thread, or whichever starts a monitor; once per process, 0.1 ms. The tables grow by
 * realloc(): done by the watcher in the middle of the program's work, that would leave them on top of the program's
 * heap, which then keeps its largest size for ever. */
static void
jank_watched_loop_prepare (void)
{
  static gsize is_done;

  if (!g_once_init_enter (&is_done))
    return;
  jank_own_thread_prepare ();
  jank_emissions_learn ();
  jank_json_prepare ();
  /* The domains of the errors that may come. */
  (void) (JANK_ERROR + G_FILE_ERROR + G_IO_ERROR + JSON_PARSER_ERROR);
  /* The details of a monitor's signals. */
  for (guint kind = 0; kind < JANK_N_REPORT_KINDS; kind++)
    g_quark_from_static_string (jank_report_kind_to_nick (kind));
  g_once_init_leave (&is_done, 1);
}

/* The observer is attached to the context once the watcher runs. */
static JankBeat *
jank_watched_loop_open_beat (JankWatchedLoop *self, const JankRule *rule, gint64 startup_began_ns)
{
  if (self->settings->observer == JANK_OBSERVE_PING)
    {
      self->ping = jank_ping_new (self->owner.context, rule->threshold_ns, jank_watched_loop_thread_cb, self);
      return jank_ping_get_beat (self->ping);
    }
  self->observer = jank_loop_observer_new (rule->threshold_ns, startup_began_ns, jank_watched_loop_thread_cb, self);
  if (self->settings->turns)
    self->turns = jank_loop_observer_count (self->observer);
  return jank_loop_observer_get_beat (self->observer);
}

static JankRecorder *
jank_watched_loop_make_recorder (JankWatchedLoop *self, gint64 startup_began_ns)
{
  JankSettings *settings = self->settings;
  const char *session = g_getenv ("JANKWATCH_SESSION");
  JankRecorder *recorder;
  JankSinks *sinks;

  if (session != NULL && (!jank_session_is_name (session) || jank_starter_is_service ()))
    session = NULL;
  self->keeper = jank_session_keeper_new (settings->store, session, startup_began_ns, self->beat, self->gtk,
                                          self->turns);
  recorder = jank_recorder_new (settings, jank_session_keeper_get_name (self->keeper), self->gtk, self->owner.tags);
  sinks = jank_recorder_get_sinks (recorder);
  jank_sinks_add (sinks, &jank_report_keeper_sink, jank_report_keeper_new ());
  if (*settings->frame_log != '\0')
    jank_sinks_add (sinks, &jank_frame_log_sink, jank_frame_log_new (settings->frame_log));
  jank_sinks_add (sinks, &jank_session_keeper_sink, self->keeper);
  jank_sinks_add (sinks, &jank_gtk_host_sink, self->gtk);
  if (settings->log)
    jank_sinks_add (sinks, &jank_log_line_sink, jank_log_line_new ());
  jank_sinks_add (sinks, &jank_live_keeper_sink, jank_live_keeper_new (settings, session, self->gtk));
  jank_sinks_add (sinks, self->owner.sinks[0].funcs, self->owner.sinks[0].data);
  jank_sinks_add (sinks, self->owner.sinks[1].funcs, self->owner.sinks[1].data);
  return recorder;
}

static gboolean
jank_watched_loop_start_watcher (JankWatchedLoop *self, JankBeat *beat, const JankRule *rule, gint64 startup_began_ns,
                                 GError **error)
{
  self->recorder = jank_watched_loop_make_recorder (self, startup_began_ns);
  jank_lock_prepare (self->settings->locks);
  self->watcher = jank_watcher_new (beat, rule, self->settings->signal, TASK_FOLDER,
                                    jank_recorder_get_sinks (self->recorder), error);
  if (self->watcher == NULL)
    return FALSE;
  jank_watcher_set_ping (self->watcher, self->ping);
  if (self->settings->observer == JANK_OBSERVE_FRAMES && (self->gtk == NULL || !self->settings->frames))
    jank_errands_say (_("“observer=frames” cannot detect stalls here: no frame clock is watched"));
  return TRUE;
}

JankWatchedLoop *
jank_watched_loop_new (const JankWatchedLoopOwner *owner, JankSettings *settings, gint64 startup_began_ns,
                     gboolean paused, GError **error)
{
  g_autoptr (JankWatchedLoop) self = g_new0 (JankWatchedLoop, 1);
  JankRule rule;
  JankBeat *beat;

  self->owner = *owner;
  self->settings = jank_settings_ref (settings);
  self->pid = getpid ();
  jank_watched_loop_prepare ();
  jank_rule_init (&rule, settings);
  self->beat = beat = jank_watched_loop_open_beat (self, &rule, startup_began_ns);
  beat->look_func = jank_watched_loop_look_for_gtk_cb;
  beat->engine_func = jank_watched_loop_attach_engine_cb;
  beat->held_func = jank_watched_loop_is_held_cb;
  beat->look_data = self;
  if (owner->context == g_main_context_default ())
    /* Pings do not tell how the loop spent the time between two frames. */
    self->gtk = jank_gtk_host_new (self->settings, beat, self->observer != NULL, owner->inspector);
  if (!jank_watched_loop_start_watcher (self, beat, &rule, startup_began_ns, error))
    return NULL;
  if (startup_began_ns != 0)
    {
      jank_watcher_set_thread (self->watcher);
      /* A script may be what starts up. */
      jank_watched_loop_attach_engine_cb (self);
    }
  jank_watcher_set_paused (self->watcher, paused);
  if (self->observer != NULL)
    jank_loop_observer_attach (self->observer, owner->context, owner->is_in_wait);
  jank_running_add (self->watcher);
  return g_steal_pointer (&self);
}

void
jank_watched_loop_free (JankWatchedLoop *self)
{
  if (self->watcher != NULL)
    jank_running_remove (self->watcher);
  if (self->watcher != NULL && self->pid != getpid ())
    {
      /* A forked child has no watcher thread to wait for, and the recorder was that thread's. */
      self->watcher = NULL;
      self->recorder = NULL;
    }
  if (self->ledger != NULL)
    jank_source_ledger_stop (self->owner.context);
  g_clear_pointer (&self->watcher, jank_watcher_free);
  g_clear_pointer (&self->recorder, jank_recorder_free);
  g_clear_pointer (&self->gtk, jank_gtk_host_free);
  g_clear_pointer (&self->observer, jank_loop_observer_free);
  g_clear_pointer (&self->ping, jank_ping_free);
  jank_settings_free (self->settings);
  g_free (self);
}

void
jank_watched_loop_apply (JankWatchedLoop *self, JankSettings *settings, const char *key)
{
  JankRule rule;

  jank_settings_free (self->settings);
  self->settings = jank_settings_ref (settings);
  jank_rule_init (&rule, settings);
  jank_watcher_set_rule (self->watcher, &rule);
  jank_recorder_set_settings (self->recorder, jank_settings_ref (settings));
  jank_watched_loop_count_sources (self);
  if (self->gtk != NULL)
    jank_gtk_host_set_settings (self->gtk, settings, key);
}

void
jank_watched_loop_set_paused (JankWatchedLoop *self, gboolean paused)
{
  jank_watcher_set_paused (self->watcher, paused);
}
