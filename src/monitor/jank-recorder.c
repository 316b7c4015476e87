/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "monitor/jank-watched-loop-private.h"

#include <unistd.h>

#include "base/jank-clock-private.h"
#include "guest/jank-errands-private.h"
#include "base/jank-home-private.h"
#include "blame/jank-heaviest-private.h"
#include "proc/jank-task-private.h"
#include "report/jank-brief-stacks-private.h"
#include "report/jank-report-build-private.h"
#include "verdict/jank-verdict-private.h"

#define N_AUTOMATIC_TAGS 3

struct _JankRecorder
{
  /* set at construction */
  char             *session;      /* (owned) (nullable) */
  JankGtkHostState *gtk;          /* (nullable) */
  JankTags         *tags;

  /* any thread, under mutex, which is held for one assignment: the observed thread takes it */
  GMutex            mutex;
  JankProgram      *new_program;  /* (owned) (nullable) */
  JankProgram      *old_program;  /* (owned) (nullable): whoever sets the next one frees it */
  JankSettings     *new_settings; /* (owned) (nullable) */
  JankSettings     *old_settings; /* (owned) (nullable), as old_program */

  /* watcher thread only */
  JankSinks         sinks;        /* owns them, and the record's settings, program and briefs */
  JankKnownNames   *known;        /* (owned) (nullable): from started() on, as are briefs */
  GError           *last_failure; /* (owned) (nullable): was said */
};

static const JankSinkFuncs recorder_sink;

JankRecorder *
jank_recorder_new (JankSettings *settings, const char *session, JankGtkHostState *gtk, JankTags *tags)
{
  JankRecorder *self = g_new0 (JankRecorder, 1);
  JankRecord *record = &self->sinks.record;

  self->session = g_strdup (session);
  self->gtk = gtk;
  self->tags = tags;
  g_mutex_init (&self->mutex);
  record->settings = jank_settings_ref (settings);
  /* `jankwatch run` has said that there is no folder. */
  record->has_warned = g_getenv ("JANKWATCH_SESSION") != NULL && g_str_equal (settings->store, JANK_HOME_NO_STORE);
  record->program = jank_program_new ();
  self->sinks.find_heaviest = jank_heaviest_find;
  jank_sinks_add (&self->sinks, &recorder_sink, self);
  return self;
}

JankSinks *
jank_recorder_get_sinks (JankRecorder *self)
{
  return &self->sinks;
}

void
jank_recorder_free (JankRecorder *self)
{
  for (guint i = 0; i < self->sinks.n; i++)
    if (self->sinks.list[i].funcs->free != NULL)
      self->sinks.list[i].funcs->free (self->sinks.list[i].data);
  g_clear_pointer (&self->sinks.record.briefs, jank_brief_stacks_free);
  g_clear_pointer (&self->known, jank_known_names_free);
  jank_program_free (self->sinks.record.program);
  jank_settings_free (self->sinks.record.settings);
  g_clear_pointer (&self->new_program, jank_program_free);
  g_clear_pointer (&self->old_program, jank_program_free);
  g_clear_pointer (&self->new_settings, jank_settings_free);
  g_clear_pointer (&self->old_settings, jank_settings_free);
  g_mutex_clear (&self->mutex);
  g_clear_error (&self->last_failure);
  g_free (self->session);
  g_free (self);
}

void
jank_recorder_set_program (JankRecorder *self, JankProgram *program)
{
  g_autoptr (JankProgram) unread = NULL, old = NULL; /* are freed without the mutex */
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  unread = self->new_program;
  self->new_program = program;
  old = g_steal_pointer (&self->old_program);
}

void
jank_recorder_set_settings (JankRecorder *self, JankSettings *settings)
{
  g_autoptr (JankSettings) unread = NULL, old = NULL; /* are freed without the mutex */
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  unread = self->new_settings;
  self->new_settings = settings;
  old = g_steal_pointer (&self->old_settings);
}

/* Takes over what other threads have set. What it replaces is theirs to free: freed here, it would be enlarged by our
 * thread where it lies, and then hold all that the program frees below. */
static void
jank_recorder_take_news (JankRecorder *self)
{
  JankRecord *record = &self->sinks.record;
  gboolean has_settings;

  g_mutex_lock (&self->mutex);
  if (self->new_program != NULL)
    {
      self->old_program = record->program;
      record->program = g_steal_pointer (&self->new_program);
    }
  has_settings = self->new_settings != NULL;
  if (has_settings)
    {
      self->old_settings = record->settings;
      record->settings = g_steal_pointer (&self->new_settings);
    }
  g_mutex_unlock (&self->mutex);
  if (has_settings)
    JANK_SINKS_TELL (&self->sinks, changed);
}

/* Memory for the strings of a context. */
typedef struct
{
  JankGtkToolkit toolkit;
  JankGtkTags    texts;
  JankTagSlot        own[JANK_TAGS_MAX];
  JankReportTag  tags[N_AUTOMATIC_TAGS + JANK_TAGS_MAX];
} Surroundings;

static void
jank_recorder_add_tag (JankReportContext *context, Surroundings *room, const char *name, const char *value)
{
  if (value[0] != '\0')
    room->tags[context->n_tags++] = (JankReportTag) { (char *) name, (char *) value };
}

/* Returns: (transfer full) (nullable): the plug-in has no frames */
static JankReportFrameClock *
jank_recorder_add_toolkit (JankRecorder *self, JankReportContext *context, Surroundings *room)
{
  JankReportFrameClock *frame_clock;
  gboolean known;

  if (self->gtk == NULL)
    return NULL;
  frame_clock = jank_gtk_host_read_frames (self->gtk, &room->toolkit, &known);
  if (!known)
    return NULL;
  jank_gtk_host_get_plugin (self->gtk)->get_tags (&room->texts);
  jank_recorder_add_tag (context, room, "window", room->texts.window);
  jank_recorder_add_tag (context, room, "focus", room->texts.focus);
  jank_recorder_add_tag (context, room, "action", room->texts.action);
  if (room->toolkit.renderer[0] != '\0')
    context->toolkit.renderer = room->toolkit.renderer;
  return frame_clock;
}

static void
jank_recorder_add_own_tags (JankRecorder *self, JankReportContext *context, Surroundings *room, const JankStall *stall)
{
  gint64 ended_ns = stall->ended_ns != 0 ? stall->ended_ns : context->now_ns;
  guint n = jank_tags_read (self->tags, stall->began_ns, ended_ns, room->own);

  for (guint i = 0; i < n; i++)
    jank_recorder_add_tag (context, room, room->own[i].name, room->own[i].value);
}

/* A loop that turns all the same handles events; of starved frames, none shows. */
static void
jank_recorder_add_interactions (JankRecorder *self, JankReportContext *context, const JankStall *stall,
                                gboolean is_over)
{
  gint64 ended_ns = stall->ended_ns != 0 ? stall->ended_ns : context->now_ns;

  if (self->gtk == NULL)
    return;
  if (stall->kind != JANK_STALL_SPIN && stall->kind != JANK_STALL_CPU && stall->kind != JANK_STALL_INPUT)
    jank_gtk_host_find_interaction (self->gtk, stall->began_ns, ended_ns, is_over, &context->interaction,
                                    &context->waited_ns);
  context->n_interactions = jank_gtk_host_read_interactions (self->gtk, context->interactions);
  for (guint i = context->n_interactions; stall->kind == JANK_STALL_INPUT && i > 0; i--)
    if (context->interactions[i - 1].stamp_ns == stall->began_ns)
      {
        context->interaction = context->interactions[i - 1];
        context->waited_ns = ended_ns - stall->began_ns;
      }
}

/* is_over: the loop has turned since */
static JankReport *
jank_recorder_build (JankRecorder *self, const JankStall *stall, gboolean is_over, JankCodeMap *map)
{
  g_autoptr (JankReportFrameClock) frame_clock = NULL;
  g_autofree Surroundings *room = g_new0 (Surroundings, 1);
  const JankProgram *program = self->sinks.record.program;
  const JankSettings *settings = self->sinks.record.settings;
  JankReportContext context = {
    .session = self->session,
    .app = { program->name, program->id, program->exe, jank_program_get_version (program, settings), getpid () },
    .toolkit = { program->toolkit_name, program->toolkit_version, program->toolkit_backend, NULL },
    .briefs = self->sinks.record.briefs,
    .known = self->known,
    .now_ns = jank_clock_now_ns (),
    .now_real_us = g_get_real_time (),
    .tags = room->tags,
  };
  JankReport *report;

  context.frame_clock = frame_clock = jank_recorder_add_toolkit (self, &context, room);
  if (frame_clock != NULL)
    jank_brief_stacks_tell (self->sinks.record.briefs, map, jank_gtk_host_get_works (self->gtk), frame_clock);
  jank_recorder_add_own_tags (self, &context, room, stall);
  jank_recorder_add_interactions (self, &context, stall, is_over);
  /* A snapshot of the threads has the numbers of the process, too. */
  if (stall->threads == NULL)
    jank_process_facts_read (&context.process);
  else
    context.process.cpu_ns = jank_clock_read_ns (CLOCK_PROCESS_CPUTIME_ID);
  report = jank_report_build (stall, map, stall->kind == JANK_STALL_FRAMES ? JANK_PICK_SAME : settings->pick, &context);
  jank_verdict_update (report);
  return report;
}

static void
jank_recorder_started (gpointer data, JankRecord *record)
{
  JankRecorder *self = data;

  record->briefs = jank_brief_stacks_new ();
  self->known = jank_known_names_new ();
}

static void
jank_recorder_brief (gpointer data, JankRecord *record, const JankStall *stall)
{
  jank_brief_stacks_add (record->briefs, stall);
}

static void
jank_recorder_stall (gpointer data, JankRecord *record, const JankStall *stall, gboolean exiting)
{
  JankRecorder *self = data;
  g_autoptr (JankReport) report = NULL;

  jank_recorder_take_news (self);
  if (stall->ended_ns == 0)
    JANK_SINKS_TELL (&self->sinks, found, stall);
  report = jank_recorder_build (self, stall, stall->ended_ns != 0 && !exiting, record->map);
  if (stall->ended_ns == 0)
    {
      report->stall.outcome = JANK_OUTCOME_ONGOING;
      JANK_SINKS_TELL (&self->sinks, ongoing, report);
      return;
    }
  report->stall.outcome = exiting ? JANK_OUTCOME_EXITED : JANK_OUTCOME_RECOVERED;
  JANK_SINKS_TELL (&self->sinks, ended, stall, report);
}

static void
jank_recorder_glance (gpointer data, JankRecord *record, const JankStall *stall)
{
  JankRecorder *self = data;
  g_autoptr (JankReport) report = jank_recorder_build (self, stall, FALSE, record->map);

  report->stall.outcome = JANK_OUTCOME_ONGOING;
  JANK_SINKS_TELL (&self->sinks, asked, report);
}

static void
jank_recorder_dump (gpointer data, JankRecord *record, const JankStall *stall)
{
  JankRecorder *self = data;
  g_autoptr (JankReport) report = NULL;

  jank_recorder_take_news (self);
  report = jank_recorder_build (self, stall, FALSE, record->map);
  JANK_SINKS_TELL (&self->sinks, dumped, report);
}

/* Once, not again for every thread that takes the loop over. */
static void
jank_recorder_failed (gpointer data, JankRecord *record, const GError *error)
{
  JankRecorder *self = data;

  if (self->last_failure != NULL && g_error_matches (self->last_failure, error->domain, error->code))
    return;
  g_clear_error (&self->last_failure);
  self->last_failure = g_error_copy (error);
  jank_errands_say ("%s", error->message);
}

static const JankSinkFuncs recorder_sink = {
  .started = jank_recorder_started,
  .failed = jank_recorder_failed,
  .brief = jank_recorder_brief,
  .dump = jank_recorder_dump,
  .glance = jank_recorder_glance,
  .stall = jank_recorder_stall,
};
