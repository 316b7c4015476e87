/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "monitor/jank-recorder-private.h"

#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-errands-private.h"
#include "base/jank-home-private.h"
#include "blame/jank-heaviest-private.h"
#include "proc/jank-task-private.h"
#include "report/jank-report-build-private.h"

#define N_AUTOMATIC_TAGS 3
#define MAX_SINKS        8

struct _JankRecorder
{
  /* set at construction */
  char             *session;      /* (owned) (nullable) */
  JankGtkHostState *gtk;          /* (nullable) */
  JankTags         *tags;
  JankSink          sinks[MAX_SINKS];
  guint             n_sinks;

  /* any thread, under mutex, which is held for one assignment: the observed thread takes it */
  GMutex            mutex;
  JankProgram      *new_program;  /* (owned) (nullable) */
  JankSettings     *new_settings; /* (owned) (nullable) */

  /* watcher thread only */
  JankRecord        record;       /* owns settings, program and briefs */
  JankKnownNames   *known;        /* (owned) (nullable): from started() on, as are briefs */
  gboolean          has_warned;
  GError           *last_failure; /* (owned) (nullable): was said */
};

#define TELL(self, func, ...)                                                          \
  G_STMT_START {                                                                       \
    for (const JankSink *sink = (self)->sinks; sink < (self)->sinks + (self)->n_sinks; sink++) \
      if (sink->funcs->func != NULL)                                                   \
        {                                                                              \
          sink->funcs->func (sink->data, &(self)->record, ##__VA_ARGS__);              \
          warn_once (self);                                                            \
        }                                                                              \
  } G_STMT_END

JankRecorder *
jank_recorder_new (const JankSettings *settings, const char *session, JankGtkHostState *gtk, JankTags *tags,
                   const JankSink *sinks, guint n_sinks)
{
  JankRecorder *self = g_new0 (JankRecorder, 1);

  g_assert (n_sinks <= MAX_SINKS);
  self->session = g_strdup (session);
  self->gtk = gtk;
  self->tags = tags;
  for (guint i = 0; i < n_sinks; i++)
    if (sinks[i].data != NULL)
      self->sinks[self->n_sinks++] = sinks[i];
  g_mutex_init (&self->mutex);
  self->record.settings = jank_settings_copy (settings);
  /* `jankwatch run` has said that there is no folder. */
  self->has_warned = session != NULL && g_str_equal (settings->store, JANK_HOME_NO_STORE);
  self->record.program = jank_program_new ();
  return self;
}

static void
warn_once (JankRecorder *self)
{
  if (self->record.error == NULL)
    return;
  if (!self->has_warned)
    jank_errands_say (_("%s. The program continues; its reports are lost"), self->record.error->message);
  self->has_warned = TRUE;
  g_clear_error (&self->record.error);
}

void
jank_recorder_free (JankRecorder *self)
{
  for (guint i = 0; i < self->n_sinks; i++)
    if (self->sinks[i].funcs->free != NULL)
      self->sinks[i].funcs->free (self->sinks[i].data);
  g_clear_pointer (&self->record.briefs, jank_brief_stacks_free);
  g_clear_pointer (&self->known, jank_known_names_free);
  jank_program_free (self->record.program);
  jank_settings_free (self->record.settings);
  g_clear_pointer (&self->new_program, jank_program_free);
  g_clear_pointer (&self->new_settings, jank_settings_free);
  g_mutex_clear (&self->mutex);
  g_clear_error (&self->last_failure);
  g_free (self->session);
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
      jank_program_free (self->record.program);
      self->record.program = program;
    }
  if (settings != NULL)
    {
      jank_settings_free (self->record.settings);
      self->record.settings = settings;
      TELL (self, changed);
    }
}

/* Memory for the strings of a context. */
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

/* Returns: (transfer full) (nullable): the plug-in has no frames */
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
    .session = self->session,
    .briefs = self->record.briefs,
    .known = self->known,
    .now_ns = jank_clock_now_ns (),
    .now_real_us = g_get_real_time (),
  };
  const JankProgram *program = self->record.program;
  JankProcessFacts facts = { 0 };

  context.tags = room->tags;
  context.frame_clock = frame_clock = add_toolkit (self, &context, room);
  if (frame_clock != NULL)
    jank_brief_stacks_tell (self->record.briefs, map, frame_clock);
  add_own_tags (self, &context, room, stall);
  /* A snapshot of the threads has the numbers of the process, too. */
  if (stall->threads == NULL)
    jank_process_facts_read (&facts);
  context.process.rss_bytes = facts.rss_bytes;
  context.process.cpu_ns = facts.cpu_ns;
  context.process.n_threads = (guint) MAX (facts.n_threads, 0);
  context.app.name = program->name;
  context.app.id = program->id;
  context.app.exe = program->exe;
  context.app.version = jank_program_get_version (program, self->record.settings);
  context.app.pid = getpid ();
  context.toolkit.name = program->toolkit_name;
  context.toolkit.version = program->toolkit_version;
  context.toolkit.backend = program->toolkit_backend;
  return jank_report_build (stall, map, stall->kind == JANK_STALL_FRAMES ? JANK_PICK_SAME : self->record.settings->pick,
                            &context);
}

static guint64
recorder_find_heaviest (const JankStall *stall, JankPick pick, gpointer data)
{
  return jank_heaviest_find (stall, pick);
}

/* What each call of the watcher brings. */
static JankRecorder *
take (gpointer data, const JankWatcherCounts *counts, JankCodeMap *map)
{
  JankRecorder *self = data;

  if (counts != NULL)
    self->record.counts = *counts;
  self->record.map = map;
  return self;
}

static void
recorder_sampled (const JankSample *sample, gpointer data)
{
  JankRecorder *self = data;

  TELL (self, sampled, sample);
}

static void
recorder_short_period (const JankBusyPeriod *period, JankCodeMap *map, gpointer data)
{
  JankRecorder *self = take (data, NULL, map);

  TELL (self, period, period);
}

static void
recorder_brief (const JankStall *stall, JankCodeMap *map, gpointer data)
{
  JankRecorder *self = take (data, NULL, map);

  jank_brief_stacks_add (self->record.briefs, stall);
  TELL (self, brief, stall);
}

static gboolean
recorder_next_frame (JankFrameTime *ret_frame, gpointer data)
{
  JankRecorder *self = data;

  if (self->gtk == NULL || !jank_gtk_host_pop_frame (self->gtk, ret_frame))
    return FALSE;
  TELL (self, frame, ret_frame);
  return TRUE;
}

static void
recorder_figure (double fps, gpointer data)
{
  JankRecorder *self = data;

  TELL (self, figure, fps);
}

static gint64
recorder_frame_began (gpointer data)
{
  JankRecorder *self = data;

  return self->gtk != NULL ? jank_gtk_host_get_frame_began (self->gtk) : 0;
}

/* Where no rule asks for frames, nobody else takes them. */
static void
take_frames (JankRecorder *self)
{
  JankFrameTime frame;

  while (self->record.settings->observer != JANK_OBSERVE_FRAMES && recorder_next_frame (&frame, self))
    ;
}

static gint64
recorder_tick (const JankWatcherCounts *counts, JankCodeMap *map, gint64 now_ns, gpointer data)
{
  JankRecorder *self = take (data, counts, map);
  gint64 due_ns = 0;

  take_frames (self);
  TELL (self, tick, now_ns, &due_ns);
  return due_ns;
}

static void
recorder_started (const JankWatcherCounts *counts, gpointer data)
{
  JankRecorder *self = take (data, counts, NULL);

  self->record.briefs = jank_brief_stacks_new ();
  self->known = jank_known_names_new ();
  TELL (self, started);
}

static void
recorder_ongoing (const JankStall *stall, JankCodeMap *map, const JankWatcherCounts *counts, gpointer data)
{
  JankRecorder *self = take (data, counts, map);
  g_autoptr (JankReport) report = NULL;

  take_news (self);
  report = build (self, stall, map);
  report->stall.outcome = JANK_OUTCOME_ONGOING;
  TELL (self, ongoing, report);
}

static void
recorder_ended (const JankStall *stall, gboolean exiting, JankCodeMap *map, const JankWatcherCounts *counts, gpointer data)
{
  JankRecorder *self = take (data, counts, map);
  g_autoptr (JankReport) report = NULL;

  take_news (self);
  report = build (self, stall, map);
  report->stall.outcome = exiting ? JANK_OUTCOME_EXITED : JANK_OUTCOME_RECOVERED;
  TELL (self, ended, stall, report);
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
  jank_errands_say ("%s", error->message);
}

static void
recorder_exiting (const JankWatcherCounts *counts, gpointer data)
{
  JankRecorder *self = data;

  self->record.counts = *counts;
  take_frames (self);
  TELL (self, exiting);
}

const JankWatcherFuncs jank_recorder_funcs = {
  .started = recorder_started,
  .ongoing = recorder_ongoing,
  .ended = recorder_ended,
  .brief = recorder_brief,
  .find_heaviest = recorder_find_heaviest,
  .sampled = recorder_sampled,
  .short_period = recorder_short_period,
  .next_frame = recorder_next_frame,
  .figure = recorder_figure,
  .frame_began = recorder_frame_began,
  .tick = recorder_tick,
  .failed = recorder_failed,
  .exiting = recorder_exiting,
  .stopped = recorder_exiting,
};
