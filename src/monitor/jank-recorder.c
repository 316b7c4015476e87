/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#define G_LOG_DOMAIN "jankwatch"

#include "monitor/jank-recorder-private.h"

#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "report/jank-report-build-private.h"
#include "report/jank-session-private.h"
#include "report/jank-store-private.h"

/* A reading of all frame clocks: too large for the stack. */
typedef struct
{
  JankFrameSummary  summary;
  JankFrameSnapshot merged, scratch;
} Frames;

struct _JankRecorder
{
  /* set at construction */
  JankRule       rule;
  JankStore     *store;        /* (owned) */
  char          *store_folder; /* (owned) */
  char          *session_name; /* (owned) (nullable) */
  JankGtkHostState *gtk;       /* (nullable) */
  JankReportFunc func;
  gpointer       data;

  /* any thread, under mutex, which is held for one assignment: the observed thread takes it */
  GMutex         mutex;
  JankProgram   *new_program;  /* (owned) (nullable) */

  /* watcher thread only */
  JankProgram   *program;      /* (owned) */
  JankSession   *session;      /* (owned) (nullable) */
  char          *id;           /* (owned) (nullable): of the report of the stall under way */
  gboolean       has_warned;
  GError        *last_failure; /* (owned) (nullable): was said */
  Frames        *frames;       /* (owned) (nullable): room to read them into */
};

JankRecorder *
jank_recorder_new (const JankSettings *settings, const char *session, JankGtkHostState *gtk,
                   JankReportFunc func, gpointer data)
{
  JankRecorder *self = g_new0 (JankRecorder, 1);

  self->rule = settings->rule;
  self->store = jank_store_new (settings->store, settings->max_reports, settings->max_bytes);
  self->store_folder = g_strdup (settings->store);
  self->session_name = session != NULL && jank_session_is_name (session) ? g_strdup (session) : NULL;
  self->gtk = gtk;
  self->func = func;
  self->data = data;
  g_mutex_init (&self->mutex);
  self->program = jank_program_new ();
  return self;
}

void
jank_recorder_free (JankRecorder *self)
{
  g_clear_pointer (&self->session, jank_session_free);
  jank_store_free (self->store);
  jank_program_free (self->program);
  g_clear_pointer (&self->new_program, jank_program_free);
  g_mutex_clear (&self->mutex);
  g_free (self->store_folder);
  g_free (self->session_name);
  g_free (self->id);
  g_clear_error (&self->last_failure);
  g_free (self->frames);
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

static const JankProgram *
get_program (JankRecorder *self)
{
  JankProgram *program;

  g_mutex_lock (&self->mutex);
  program = g_steal_pointer (&self->new_program);
  g_mutex_unlock (&self->mutex);
  if (program != NULL)
    {
      jank_program_free (self->program);
      self->program = program;
    }
  return self->program;
}

/* Not a g_warning(): G_DEBUG=fatal-warnings is for the program's own. */
static void
warn_once (JankRecorder *self, const GError *error)
{
  if (!self->has_warned)
    g_message (_("%s. The program runs on, its reports are lost"), error->message);
  self->has_warned = TRUE;
}

/* Returns: FALSE when no frame clock is watched; then the rest is not set */
static gboolean
read_frames (JankRecorder *self, JankGtkToolkit *ret_toolkit)
{
  const JankGtkPlugin *plugin = self->gtk != NULL ? jank_gtk_host_get_plugin (self->gtk) : NULL;

  if (plugin == NULL)
    return FALSE;
  if (self->frames == NULL)
    self->frames = g_new0 (Frames, 1);
  plugin->get_toolkit (ret_toolkit);
  return jank_frame_clocks_summarize (plugin->get_frames (), jank_clock_now_ns (), &self->frames->merged,
                                      &self->frames->scratch, &self->frames->summary);
}

/* What only the plug-in can tell. tags: room for its three. */
static JankReportFrameClock *
add_toolkit (JankRecorder *self, JankReportContext *context, JankGtkToolkit *toolkit, JankGtkTags *texts, JankReportTag *tags)
{
  if (!read_frames (self, toolkit))
    return NULL;

  jank_gtk_host_get_plugin (self->gtk)->get_tags (texts);
  tags[0] = (JankReportTag) { (char *) "window", texts->window };
  tags[1] = (JankReportTag) { (char *) "focus", texts->focus };
  tags[2] = (JankReportTag) { (char *) "action", texts->action };
  for (guint i = 0; i < 3; i++)
    if (tags[i].value[0] != '\0')
      tags[context->n_tags++] = tags[i];
  context->tags = tags;
  if (toolkit->renderer[0] != '\0')
    context->toolkit.renderer = toolkit->renderer;
  return jank_report_frame_clock_new (&self->frames->summary, &self->frames->merged, toolkit->has_presentation);
}

static JankReport *
build (JankRecorder *self, const JankStall *stall, JankCodeMap *map)
{
  g_autoptr (JankReportFrameClock) frame_clock = NULL;
  JankGtkToolkit toolkit;
  JankGtkTags texts;
  JankReportTag tags[3];
  JankReportContext context = {
    .id = self->id,
    .session = self->session_name,
    .now_ns = jank_clock_now_ns (),
    .now_real_us = g_get_real_time (),
  };
  const JankProgram *program = get_program (self);

  context.frame_clock = frame_clock = add_toolkit (self, &context, &toolkit, &texts, tags);
  jank_program_read_load (&context.process.rss_bytes, &context.process.cpu_ns, &context.process.n_threads);
  context.app.name = program->name;
  context.app.id = program->id;
  context.app.exe = program->exe;
  context.app.pid = getpid ();
  context.toolkit.name = program->toolkit_name;
  context.toolkit.version = program->toolkit_version;
  context.toolkit.backend = program->toolkit_backend;
  return jank_report_build (stall, map, self->rule, &context);
}

static JankReport *
build_and_save (JankRecorder *self, const JankStall *stall, JankCodeMap *map, JankOutcome outcome)
{
  g_autoptr (GError) error = NULL;
  JankReport *report;

  if (self->id == NULL)
    self->id = jank_store_make_id ();
  report = build (self, stall, map);
  report->stall.outcome = outcome;
  if (!jank_store_save (self->store, report, &error))
    warn_once (self, error);
  return report;
}

static JankSession *
get_session (JankRecorder *self)
{
  JankSessionApp app = { .pid = getpid () };

  if (self->session == NULL && self->session_name != NULL)
    {
      const JankProgram *program = get_program (self);

      app.name = program->name;
      app.id = program->id;
      app.exe = program->exe;
      self->session = jank_session_new (self->store_folder, self->session_name, &app);
    }
  return self->session;
}

static void
save_session (JankRecorder *self, const JankWatcherCounts *counts)
{
  g_autoptr (GError) error = NULL;
  JankSession *session = get_session (self);
  JankSessionSelf costs = {
    .samples = counts->sampler.n_samples,
    .lost_samples = counts->sampler.n_lost,
    .signals_sent = counts->signals.n_sent,
    .no_answer = counts->signals.n_no_answer,
    .wakeups = counts->n_wakeups,
    .cost_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID),
  };

  JankGtkToolkit toolkit;

  if (session == NULL)
    return;
  if (read_frames (self, &toolkit))
    jank_session_set_frames (session, &self->frames->summary, &self->frames->merged, toolkit.has_presentation);
  jank_session_set_self (session, &costs);
  if (!jank_session_save (session, &error))
    warn_once (self, error);
}

static void
recorder_started (const JankWatcherCounts *counts, gpointer data)
{
  save_session (data, counts);
}

static void
recorder_ongoing (const JankStall *stall, JankCodeMap *map, const JankWatcherCounts *counts, gpointer data)
{
  JankRecorder *self = data;
  g_autoptr (JankReport) report = build_and_save (self, stall, map, JANK_OUTCOME_ONGOING);

  /* For `jankwatch run`, which must know of a stall that the program does not survive. */
  if (get_session (self) != NULL)
    {
      jank_session_add (self->session, report);
      save_session (self, counts);
    }
}

static void
recorder_ended (const JankStall *stall, gboolean exiting, JankCodeMap *map, const JankWatcherCounts *counts, gpointer data)
{
  JankRecorder *self = data;
  JankOutcome outcome = exiting ? JANK_OUTCOME_EXITED : JANK_OUTCOME_RECOVERED;
  g_autoptr (JankReport) report = build_and_save (self, stall, map, outcome);

  g_clear_pointer (&self->id, g_free);
  if (get_session (self) != NULL)
    {
      jank_session_add (self->session, report);
      save_session (self, counts);
    }
  if (self->gtk != NULL)
    jank_gtk_host_set_stall (self->gtk, report);
  if (!exiting)
    self->func (report, self->data);
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
  save_session (data, counts);
}

const JankWatcherFuncs jank_recorder_funcs = {
  .started = recorder_started,
  .ongoing = recorder_ongoing,
  .ended = recorder_ended,
  .failed = recorder_failed,
  .exiting = recorder_exiting,
};
