/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#define G_LOG_DOMAIN "jankwatch"

#include "monitor/jank-recorder-private.h"

#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "monitor/jank-delivery-private.h"
#include "monitor/jank-event-log-private.h"
#include "monitor/jank-session-keeper-private.h"
#include "store/jank-occurrences-private.h"
#include "report/jank-report-build-private.h"
#include "store/jank-store-private.h"

#define N_AUTOMATIC_TAGS 3

struct _JankRecorder
{
  /* set at construction */
  JankGtkHostState  *gtk;          /* (nullable) */
  JankTags          *tags;
  JankReportFunc     func;
  gpointer           data;

  /* any thread, under mutex, which is held for one assignment: the observed thread takes it */
  GMutex             mutex;
  JankProgram       *new_program;  /* (owned) (nullable) */
  JankSettings      *new_settings; /* (owned) (nullable) */

  /* watcher thread only */
  JankSettings      *settings;     /* (owned) */
  JankStore         *store;        /* (owned) */
  JankProgram       *program;      /* (owned) */
  JankBriefStacks   *briefs;       /* (owned) */
  JankSessionKeeper *keeper;       /* (owned) */
  JankCodeMap       *map;          /* (nullable): the watcher's, as it was last seen */
  JankOccurrences   *occurrences;  /* (owned) */
  JankDelivery      *delivery;     /* (owned) */
  JankEventLog      *events;       /* (owned) (nullable) */
  JankWatcherCounts  counts;       /* as they were last seen */
  gboolean           is_told;      /* of the stall under way there is a report */
  gboolean           has_started;  /* and has not said goodbye */
  gboolean           has_warned;
  GError            *last_failure; /* (owned) (nullable): was said */
};

static JankStore *
open_store (const JankSettings *settings)
{
  return jank_store_new (settings->store, settings->max_reports, settings->max_bytes);
}

JankRecorder *
jank_recorder_new (const JankSettings *settings, const char *session, JankGtkHostState *gtk, JankTags *tags,
                   JankReportFunc func, gpointer data)
{
  JankRecorder *self = g_new0 (JankRecorder, 1);

  self->settings = jank_settings_copy (settings);
  self->store = open_store (settings);
  self->occurrences = jank_occurrences_new (self->store, settings);
  self->delivery = jank_delivery_new ();
  self->gtk = gtk;
  self->tags = tags;
  self->func = func;
  self->data = data;
  g_mutex_init (&self->mutex);
  self->program = jank_program_new ();
  self->briefs = jank_brief_stacks_new ();
  if (*settings->events != '\0')
    self->events = jank_event_log_new (settings->events, self->briefs);
  self->keeper = jank_session_keeper_new (settings->store, session, gtk, self->briefs);
  return self;
}

/* Not a g_warning(): G_DEBUG=fatal-warnings is for the program's own. */
static void
warn_once (JankRecorder *self, const GError *error)
{
  if (!self->has_warned)
    g_message (_("%s. The program runs on, its reports are lost"), error->message);
  self->has_warned = TRUE;
}

static void
save_session (JankRecorder *self)
{
  g_autoptr (GError) error = NULL;

  if (!jank_session_keeper_save (self->keeper, self->program, &self->counts, self->map, &error))
    warn_once (self, error);
}

/* What was only counted so far. */
static void
write_last (JankRecorder *self)
{
  g_autoptr (GError) error = NULL;

  jank_occurrences_flush (self->occurrences, jank_clock_now_ns (), &error);
  if (error != NULL)
    warn_once (self, error);
  save_session (self);
}

void
jank_recorder_free (JankRecorder *self)
{
  /* The watcher's map is gone with its thread. */
  self->map = NULL;
  if (self->has_started)
    write_last (self);
  jank_session_keeper_free (self->keeper);
  g_clear_pointer (&self->events, jank_event_log_free);
  jank_brief_stacks_free (self->briefs);
  jank_occurrences_free (self->occurrences);
  jank_delivery_free (self->delivery);
  jank_store_free (self->store);
  jank_program_free (self->program);
  g_clear_pointer (&self->new_program, jank_program_free);
  jank_settings_free (self->settings);
  g_clear_pointer (&self->new_settings, jank_settings_free);
  g_mutex_clear (&self->mutex);
  g_clear_error (&self->last_failure);
  g_free (self);
}

void
jank_recorder_set_program (JankRecorder *self, JankProgram *program)
{
  JankProgram *old;

  g_mutex_lock (&self->mutex);
  old = self->new_program;
  self->new_program = program;
  g_mutex_unlock (&self->mutex);
  g_clear_pointer (&old, jank_program_free);
}

void
jank_recorder_set_settings (JankRecorder *self, JankSettings *settings)
{
  JankSettings *old;

  g_mutex_lock (&self->mutex);
  old = self->new_settings;
  self->new_settings = settings;
  g_mutex_unlock (&self->mutex);
  g_clear_pointer (&old, jank_settings_free);
}

void
jank_recorder_set_ledger (JankRecorder *self, const JankSourceLedger *ledger)
{
  jank_session_keeper_set_ledger (self->keeper, ledger);
}

/* Takes over what other threads have set. */
static void
take_news (JankRecorder *self)
{
  JankProgram *program;
  JankSettings *settings;

  g_mutex_lock (&self->mutex);
  program = g_steal_pointer (&self->new_program);
  settings = g_steal_pointer (&self->new_settings);
  g_mutex_unlock (&self->mutex);
  if (program != NULL)
    {
      jank_program_free (self->program);
      self->program = program;
    }
  if (settings != NULL)
    {
      jank_settings_free (self->settings);
      self->settings = settings;
      g_clear_pointer (&self->store, jank_store_free);
      self->store = open_store (settings);
      jank_occurrences_set_settings (self->occurrences, self->store, settings);
    }
}

/* Room for what a report says of the toolkit and of what the program was doing. */
typedef struct
{
  JankGtkToolkit toolkit;
  JankGtkTags    texts;
  JankTag        own[JANK_TAGS_MAX];
  JankReportTag  tags[N_AUTOMATIC_TAGS + JANK_TAGS_MAX];
} Surroundings;

static void
add_tag (JankReportContext *context, Surroundings *room, const char *name, const char *value)
{
  if (value[0] != '\0')
    room->tags[context->n_tags++] = (JankReportTag) { (char *) name, (char *) value };
}

/* What only the plug-in can tell. Returns: (transfer full) (nullable) */
static JankReportFrameClock *
add_toolkit (JankRecorder *self, JankReportContext *context, Surroundings *room)
{
  JankReportFrameClock *frame_clock;
  gboolean known;

  if (self->gtk == NULL)
    return NULL;
  frame_clock = jank_gtk_host_read_frames (self->gtk, &room->toolkit, &known);
  if (!known)
    return NULL;
  jank_gtk_host_get_plugin (self->gtk)->get_tags (&room->texts);
  add_tag (context, room, "window", room->texts.window);
  add_tag (context, room, "focus", room->texts.focus);
  add_tag (context, room, "action", room->texts.action);
  if (room->toolkit.renderer[0] != '\0')
    context->toolkit.renderer = room->toolkit.renderer;
  return frame_clock;
}

static void
add_own_tags (JankRecorder *self, JankReportContext *context, Surroundings *room, const JankStall *stall)
{
  gint64 ended_ns = stall->ended_ns != 0 ? stall->ended_ns : context->now_ns;
  guint n = jank_tags_read (self->tags, stall->began_ns, ended_ns, room->own);

  for (guint i = 0; i < n; i++)
    add_tag (context, room, room->own[i].name, room->own[i].value);
}

static JankReport *
build (JankRecorder *self, const JankStall *stall, JankCodeMap *map)
{
  g_autoptr (JankReportFrameClock) frame_clock = NULL;
  g_autofree Surroundings *room = g_new0 (Surroundings, 1);
  JankReportContext context = {
    .session = jank_session_keeper_get_name (self->keeper),
    .briefs = self->briefs,
    .now_ns = jank_clock_now_ns (),
    .now_real_us = g_get_real_time (),
  };
  const JankProgram *program = self->program;

  context.tags = room->tags;
  context.frame_clock = frame_clock = add_toolkit (self, &context, room);
  if (frame_clock != NULL)
    jank_brief_stacks_tell (self->briefs, map, frame_clock);
  add_own_tags (self, &context, room, stall);
  jank_program_read_load (&context.process.rss_bytes, &context.process.cpu_ns, &context.process.n_threads);
  context.app.name = program->name;
  context.app.id = program->id;
  context.app.exe = program->exe;
  context.app.pid = getpid ();
  context.toolkit.name = program->toolkit_name;
  context.toolkit.version = program->toolkit_version;
  context.toolkit.backend = program->toolkit_backend;
  return jank_report_build (stall, map, self->settings->rule, &context);
}

static void
recorder_sampled (const JankSample *sample, gpointer data)
{
  JankRecorder *self = data;

  if (self->events != NULL)
    jank_event_log_add_sample (self->events, sample);
}

static void
recorder_short_period (const JankBusyPeriod *period, JankCodeMap *map, gpointer data)
{
  JankRecorder *self = data;

  if (self->events != NULL)
    jank_event_log_add_period (self->events, map, period->began_ns, period->ended_ns, period->startup, NULL);
}

static void
record_stall (JankRecorder *self, const JankStall *stall, JankCodeMap *map, JankReport *report)
{
  if (self->events != NULL && (stall->kind == JANK_STALL_LOOP || stall->kind == JANK_STALL_STARTUP))
    jank_event_log_add_period (self->events, map, stall->began_ns, stall->ended_ns, stall->kind == JANK_STALL_STARTUP,
                               report->culprit.function);
}

static gboolean
recorder_next_frame (JankFrameTime *ret_frame, gpointer data)
{
  JankRecorder *self = data;

  if (self->gtk == NULL || !jank_gtk_host_pop_frame (self->gtk, ret_frame))
    return FALSE;
  if (self->events != NULL)
    jank_event_log_add_frame (self->events, ret_frame);
  return TRUE;
}

/* Where no rule asks for frames, the record does. ended_ns: as in jank_event_log_flush(). */
static void
record_frames (JankRecorder *self, gint64 ended_ns)
{
  JankFrameTime frame;

  if (self->events == NULL)
    return;
  while (self->settings->observer != JANK_OBSERVE_FRAMES && recorder_next_frame (&frame, self))
    ;
  jank_event_log_flush (self->events, self->map, ended_ns);
}

static gint64
recorder_tick (const JankWatcherCounts *counts, JankCodeMap *map, gint64 now_ns, gpointer data)
{
  JankRecorder *self = data;
  g_autoptr (GError) error = NULL;
  gint64 due_ns;

  self->map = map;
  self->counts = *counts;
  record_frames (self, 0);
  if (!jank_session_keeper_save_if_due (self->keeper, self->program, counts, map, now_ns, &due_ns, &error))
    warn_once (self, error);
  return due_ns;
}

/* It was no stall but for what the loop did for GTK's inspector. */
static gboolean
is_inspectors (JankRecorder *self, const JankStall *stall)
{
  gint64 now_ns = jank_clock_now_ns ();
  gint64 ended_ns = stall->ended_ns != 0 ? stall->ended_ns : now_ns;

  return self->gtk != NULL && stall->kind == JANK_STALL_LOOP &&
         jank_stall_duration_ns (stall, now_ns) - jank_gtk_host_get_own_ns (self->gtk, stall->began_ns, ended_ns)
           < stall->threshold_ns;
}

/* That it was, could not be known when it was told. */
static void
drop (JankRecorder *self, const JankStall *stall)
{
  if (self->is_told)
    {
      jank_occurrences_drop (self->occurrences, JANK_REPORT_STALL);
      jank_session_keeper_remove (self->keeper, stall->began_ns);
    }
  self->is_told = FALSE;
}

static void
recorder_started (const JankWatcherCounts *counts, gpointer data)
{
  JankRecorder *self = data;

  if (self->gtk != NULL)
    jank_gtk_host_note_watcher (self->gtk);
  self->has_started = TRUE;
  self->counts = *counts;
  save_session (self);
}

static void
recorder_ongoing (const JankStall *stall, JankCodeMap *map, const JankWatcherCounts *counts, gpointer data)
{
  JankRecorder *self = data;
  g_autoptr (JankReport) report = NULL;
  g_autoptr (GError) error = NULL;

  if (is_inspectors (self, stall))
    return;
  self->is_told = TRUE;
  take_news (self);
  report = build (self, stall, map);
  report->stall.outcome = JANK_OUTCOME_ONGOING;
  jank_occurrences_ongoing (self->occurrences, report, jank_clock_now_ns (), &error);
  if (error != NULL)
    warn_once (self, error);
  /* For `jankwatch run`, which must know of a stall that the program does not survive. */
  jank_session_keeper_add (self->keeper, self->program, report, FALSE);
  recorder_tick (counts, map, jank_clock_now_ns (), self);
}

/* Puts the finished report into the store, or only counts it, and tells those who want to know. */
static void
count_and_tell (JankRecorder *self, JankReport *report)
{
  g_autoptr (GError) error = NULL;
  gint64 now_ns = jank_clock_now_ns ();
  JankOccurrence occurrence = jank_occurrences_ended (self->occurrences, report, now_ns, &error);

  if (error != NULL)
    warn_once (self, error);
  else if (occurrence == JANK_OCCURRENCE_NEW)
    {
      g_autofree char *file = g_strconcat (report->id, ".json", NULL);
      g_autofree char *path = g_build_filename (self->settings->store, file, NULL);

      jank_delivery_tell (self->delivery, self->settings, path, now_ns);
    }
}

static void
recorder_ended (const JankStall *stall, gboolean exiting, JankCodeMap *map, const JankWatcherCounts *counts, gpointer data)
{
  JankRecorder *self = data;
  g_autoptr (JankReport) report = NULL;

  if (is_inspectors (self, stall))
    {
      drop (self, stall);
      return;
    }
  self->is_told = FALSE;
  take_news (self);
  report = build (self, stall, map);
  report->stall.outcome = exiting ? JANK_OUTCOME_EXITED : JANK_OUTCOME_RECOVERED;
  record_stall (self, stall, map, report);
  count_and_tell (self, report);
  jank_brief_stacks_add_stall (self->briefs, stall, report->id, report->culprit.function);
  jank_session_keeper_add (self->keeper, self->program, report, TRUE);
  recorder_tick (counts, map, jank_clock_now_ns (), self);
  if (self->gtk != NULL)
    jank_gtk_host_set_stall (self->gtk, report);
  if (!exiting)
    self->func (report, self->data);
}

/* While somebody looks at the chart of frames: names cost more than the stack did. */
static void
tell_inspector (JankRecorder *self, const JankStall *stall, JankCodeMap *map)
{
  JankInspectorBriefs *shown = self->gtk != NULL ? jank_gtk_host_get_briefs (self->gtk) : NULL;
  JankStack *stack = shown != NULL ? jank_brief_stacks_find (self->briefs, stall->began_ns, stall->ended_ns) : NULL;
  g_autofree char *culprit = NULL, *innermost = NULL;

  if (stack == NULL)
    return;
  culprit = jank_brief_stacks_blame (self->briefs, map, stack, &innermost);
  jank_inspector_briefs_add (shown, stall->began_ns, stall->ended_ns, culprit, innermost);
}

static void
recorder_brief (const JankStall *stall, JankCodeMap *map, gpointer data)
{
  JankRecorder *self = data;

  jank_brief_stacks_add (self->briefs, stall);
  tell_inspector (self, stall, map);
}

/* Once, not again for every thread that takes the loop over. */
static void
recorder_failed (const GError *error, gpointer data)
{
  JankRecorder *self = data;

  if (self->last_failure != NULL && g_error_matches (self->last_failure, error->domain, error->code))
    return;
  g_clear_error (&self->last_failure);
  self->last_failure = g_error_copy (error);
  g_message ("%s", error->message);
}

static void
recorder_exiting (const JankWatcherCounts *counts, gpointer data)
{
  JankRecorder *self = data;

  self->counts = *counts;
  self->has_started = FALSE;
  record_frames (self, jank_clock_now_ns ());
  write_last (self);
}

const JankWatcherFuncs jank_recorder_funcs = {
  .started = recorder_started,
  .ongoing = recorder_ongoing,
  .ended = recorder_ended,
  .brief = recorder_brief,
  .sampled = recorder_sampled,
  .short_period = recorder_short_period,
  .next_frame = recorder_next_frame,
  .tick = recorder_tick,
  .failed = recorder_failed,
  .exiting = recorder_exiting,
};
