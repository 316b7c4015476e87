/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sinks/jank-sinks-private.h"

#include <stdatomic.h>
#include <unistd.h>

#include "report/jank-brief-stacks-private.h"
#include "sinks/jank-program-private.h"
#include "symbols/jank-symbols-private.h"
#include "base/jank-clock-private.h"
#include "base/jank-text-clean-private.h"
#include "proc/jank-task-private.h"
#include "frames/jank-hang-rate-private.h"
#include "store/jank-session-private.h"

/* Between two writes: with new stalls, and with new frames alone. While all of them are on time, and nobody does
 * anything, a program that is killed loses what is no more than this part of its session, and a minute at most. */
#define STALL_EVERY_NS  JANK_NS_PER_S
#define FRAMES_EVERY_NS (2 * JANK_NS_PER_S)
#define FRAMES_PART     20
#define CALM_EVERY_NS   (60 * JANK_NS_PER_S)

/* Without `run`: between two writes while there are no stalls, and a life that is not worth a file without any. */
#define HOURS_EVERY_NS  (600 * JANK_NS_PER_S)
#define SHORT_NS        (60 * JANK_NS_PER_S)

struct _JankSessionKeeper
{
  /* set at construction */
  char             *store_folder; /* (owned) */
  char             *name;         /* (owned) */
  JankBeat         *beat;         /* (nullable) */
  JankGtkHostState *gtk;          /* (nullable) */
  const JankTimes  *turns;        /* (nullable): not counted */
  gboolean          sees_startup;
  gboolean          is_lean;      /* nobody asks for more than hours and hangs */
  gint64            began_ns;

  /* shared, atomic: written once, with release; read with acquire */
  _Atomic (const JankSourceLedger *) ledger;

  /* watcher thread only */
  JankSession      *session;      /* (owned) (nullable): nothing was written yet */
  JankCallList     *calls;        /* (owned) (nullable): calls that may block are not listed */
  JankHangRate      hangs;
  JankSessionFigures figures;
  gint64            loop_ns;      /* from began_ns until the loop was run, without what was below the threshold */
  gboolean          has_new_stalls;
  gint64            saved_ns;     /* CLOCK_MONOTONIC, 0: never */
  gint64            saved_stalls_ns; /* the same, with stalls that were new */
  gint64            saved_frame_ns; /* end of the newest frame in the file */
  guint64           n_saved_inputs;
};

JankSessionKeeper *
jank_session_keeper_new (const char *store_folder, const char *session, gint64 startup_began_ns, JankBeat *beat,
                         JankGtkHostState *gtk, const JankTimes *turns)
{
  JankSessionKeeper *self = g_new0 (JankSessionKeeper, 1);
  g_autoptr (GDateTime) now = session == NULL ? g_date_time_new_now_utc () : NULL;

  self->store_folder = g_strdup (store_folder);
  self->is_lean = session == NULL;
  self->name = now != NULL ? g_date_time_format (now, "own-%Y%m%d-%H%M%S") : g_strdup (session);
  self->beat = beat;
  self->gtk = gtk;
  self->turns = turns;
  self->sees_startup = startup_began_ns != 0;
  self->began_ns = startup_began_ns != 0 ? startup_began_ns : jank_clock_now_ns ();
  return self;
}

static void
jank_session_keeper_free (gpointer data)
{
  JankSessionKeeper *self = data;

  g_clear_pointer (&self->session, jank_session_free);
  g_clear_pointer (&self->calls, jank_call_list_free);
  g_free (self->store_folder);
  g_free (self->name);
  g_free (self);
}

const char *
jank_session_keeper_get_name (const JankSessionKeeper *self)
{
  return self->name;
}

void
jank_session_keeper_set_ledger (JankSessionKeeper *self, const JankSourceLedger *ledger)
{
  atomic_store_explicit (&self->ledger, ledger, memory_order_release);
}

static JankSession *
jank_session_keeper_get_session (JankSessionKeeper *self, const JankRecord *record)
{
  const JankProgram *program = record->program;
  JankSessionApp app = {
    .name = program->name, .id = program->id, .exe = program->exe, .pid = getpid (),
    .version = (char *) jank_program_get_version (program, record->settings),
  };

  if (self->session == NULL)
    self->session = jank_session_new (self->store_folder, self->name, &app, !self->is_lean);
  return self->session;
}

static JankSessionReach
jank_session_keeper_find_reach (const JankSessionKeeper *self, const JankRecord *record)
{
  if (self->gtk != NULL && jank_gtk_host_get_first_frame (self->gtk) != 0)
    return JANK_SESSION_DRAWN;
  if (self->gtk != NULL && jank_gtk_host_is_undrawn (self->gtk))
    return JANK_SESSION_UNDRAWN;
  if (self->beat != NULL && !record->has_other_loop &&
      jank_beat_word_state (jank_beat_load (self->beat)) == JANK_BEAT_STARTUP)
    return JANK_SESSION_STARTED;
  return self->turns != NULL ? JANK_SESSION_LOOPED : JANK_SESSION_UNKNOWN;
}

static void
jank_session_keeper_set_self (JankSessionKeeper *self, const JankRecord *record, gint64 now_ns)
{
  const JankWatcherCounts *counts = &record->counts;
  JankSessionSummary *file = jank_session_get_file (self->session);

  file->self = (JankSessionSelf) {
    .samples = counts->sampler.n_samples,
    .lost_samples = counts->sampler.n_lost,
    .signals_sent = counts->signals.n_sent,
    .no_answer = counts->signals.n_no_answer,
    .wakeups = counts->n_wakeups,
    .cost_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID),
  };
  file->hangs = (JankSessionHangs) {
    .n_hangs = self->hangs.n_hangs,
    .hung_ns = self->hangs.hung_ns,
    .watched_ns = now_ns - self->began_ns,
  };
  file->figures = self->figures;
  if (self->turns != NULL)
    jank_times_read (self->turns, &file->turns);
  file->reach = jank_session_keeper_find_reach (self, record);
}

static void
jank_session_keeper_set_startup (JankSessionKeeper *self)
{
  JankSessionStartup *startup = &jank_session_get_file (self->session)->startup;
  gint64 frame_ns = jank_gtk_host_get_first_frame (self->gtk);
  JankTask task;

  if (frame_ns == 0 || !self->sees_startup || !jank_task_read ("/proc/self/task", getpid (), &task) ||
      task.began_ns < 0)
    return;
  *startup = (JankSessionStartup) { frame_ns - task.began_ns, MAX (self->began_ns - task.began_ns, 0), self->loop_ns };
}

static void
jank_session_keeper_set_frames (JankSessionKeeper *self, JankRecord *record)
{
  JankGtkToolkit toolkit;
  JankReportFrameClock *frame_clock = jank_gtk_host_read_frames (self->gtk, &toolkit, NULL);

  if (frame_clock == NULL)
    return;
  if (record->map != NULL)
    jank_brief_stacks_tell (record->briefs, record->map, jank_gtk_host_get_works (self->gtk), frame_clock);
  jank_session_keeper_set_startup (self);
  self->saved_frame_ns = jank_gtk_host_get_last_frame (self->gtk);
  jank_session_set_frames (self->session, frame_clock);
}

static void
jank_session_keeper_set_inputs (JankSessionKeeper *self)
{
  JankInputFigures figures;

  if (self->gtk == NULL || !jank_gtk_host_sum_up_input (self->gtk, &figures))
    return;
  self->n_saved_inputs = figures.answered.n + figures.n_of[JANK_INTERACTION_RELEASE];
  jank_report_inputs_set (&jank_session_get_file (self->session)->inputs, &figures);
}

static void
jank_session_keeper_set_sources (JankSessionKeeper *self, JankCodeMap *map)
{
  const JankSourceLedger *ledger = atomic_load_explicit (&self->ledger, memory_order_acquire);
  GPtrArray *sources;
  g_autofree JankLedgerRow *rows = NULL;
  g_autofree JankCall *frames = NULL;
  g_autofree JankSymbol *symbols = NULL;
  guint n;

  if (ledger == NULL || map == NULL)
    return;
  rows = g_new (JankLedgerRow, JANK_LEDGER_SIZE + 1);
  n = jank_source_ledger_read (ledger, rows);
  n = MIN (n, JANK_SESSION_MAX_SOURCES);
  frames = g_new0 (JankCall, n);
  symbols = g_new0 (JankSymbol, n);
  for (guint i = 0; i < n; i++)
    frames[i] = (JankCall) { rows[i].callback, rows[i].callback, jank_code_map_find (map, rows[i].callback), 0 };
  jank_symbols_resolve (map, frames, n, symbols);

  sources = g_ptr_array_new_with_free_func (jank_session_source_free);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *function = rows[i].callback != 0 ? jank_brief_call_to_text (map, &frames[i],
                                                                                   symbols[i].name) : NULL;
      JankSessionSource *source = jank_session_source_new ();

      source->name = jank_text_clean (rows[i].name);
      source->function = g_steal_pointer (&function);
      source->priority = rows[i].priority;
      source->count = (gint64) rows[i].count;
      source->total_ns = rows[i].total_ns;
      source->longest_ns = rows[i].longest_ns;
      source->p50_ns = rows[i].p50_ns;
      source->p95_ns = rows[i].p95_ns;
      source->p99_ns = rows[i].p99_ns;
      g_ptr_array_add (sources, source);
    }
  jank_symbols_clear (symbols, n);
  jank_session_set_sources (self->session, sources);
}

static void
jank_session_keeper_save (gpointer data, JankRecord *record)
{
  JankSessionKeeper *self = data;

  jank_session_keeper_get_session (self, record);
  self->saved_ns = jank_clock_now_ns ();
  if (self->has_new_stalls)
    self->saved_stalls_ns = self->saved_ns;
  self->has_new_stalls = FALSE;
  jank_session_keeper_set_self (self, record, self->saved_ns);
  if (self->is_lean)
    {
      /* Whoever has no place for reports learns of it at the first one. */
      jank_session_save (self->session, NULL);
      return;
    }
  jank_session_keeper_set_frames (self, record);
  jank_session_keeper_set_inputs (self);
  jank_session_keeper_set_sources (self, record->map);
  if (self->calls != NULL)
    jank_session_set_calls (self->session, jank_call_list_get (self->calls));
  jank_session_save (self->session, &record->error);
}

/* When the newest frames are written, if nothing else is new. What was dispatched before a late one is known for some
 * seconds only. */
static gint64
jank_session_keeper_get_frames_due (const JankSessionKeeper *self)
{
  gboolean is_calm = self->gtk == NULL || jank_gtk_host_get_works_until (self->gtk) < self->saved_ns;
  gint64 part_ns = is_calm ? MIN ((self->saved_ns - self->began_ns) / FRAMES_PART, CALM_EVERY_NS) : 0;

  return self->saved_ns + MAX (FRAMES_EVERY_NS, part_ns);
}

/* When something is new, and the last time is long enough ago. */
static void
jank_session_keeper_tick (gpointer data, JankRecord *record, gint64 now_ns, gint64 *ret_due_ns)
{
  JankSessionKeeper *self = data;
  gboolean sees_frames = !self->is_lean && self->gtk != NULL;
  gboolean is_felt = sees_frames && (jank_gtk_host_get_last_frame (self->gtk) > self->saved_frame_ns ||
                                     jank_gtk_host_get_n_answered (self->gtk) > self->n_saved_inputs);
  /* Whether there is a frame is the first thing that a gate asks about a program that was killed. */
  gboolean is_first = sees_frames && jank_gtk_host_get_first_frame (self->gtk) != 0 &&
                      jank_session_get_file (self->session)->reach != JANK_SESSION_DRAWN;
  gint64 due_ns = is_first ? now_ns : self->has_new_stalls ? self->saved_stalls_ns + STALL_EVERY_NS
                                    : jank_session_keeper_get_frames_due (self);

  if (self->is_lean && !self->has_new_stalls && now_ns - MAX (self->saved_ns, self->began_ns) >= HOURS_EVERY_NS)
    jank_session_keeper_save (self, record);
  if ((self->has_new_stalls || is_felt) && now_ns >= due_ns)
    jank_session_keeper_save (self, record);
  else if (self->has_new_stalls || is_felt)
    *ret_due_ns = due_ns;
}

/* `jankwatch run` must know of a stall that the program does not survive. */
static void
jank_session_keeper_ongoing (gpointer data, JankRecord *record, JankReport *report)
{
  JankSessionKeeper *self = data;
  gint64 due_ns;

  jank_session_add (jank_session_keeper_get_session (self, record), report);
  self->has_new_stalls = TRUE;
  jank_session_keeper_tick (self, record, jank_clock_now_ns (), &due_ns);
}

static void
jank_session_keeper_ended (gpointer data, JankRecord *record, const JankStall *stall, JankReport *report)
{
  JankSessionKeeper *self = data;

  if (jank_report_kind_is_stall (report->kind))
    jank_hang_rate_add (&self->hangs, report->stall.duration_ns);
  if (report->kind == JANK_REPORT_STARTUP)
    self->loop_ns += report->stall.duration_ns;
  jank_session_keeper_ongoing (self, record, report);
}

static void
jank_session_keeper_started (gpointer data, JankRecord *record)
{
  JankSessionKeeper *self = data;

  if (!self->is_lean && jank_strict_slot_is_there ())
    self->calls = jank_call_list_new ();
  if (self->is_lean)
    jank_session_keeper_get_session (self, record);
  else
    jank_session_keeper_save (self, record);
}

static void
jank_session_keeper_exiting (gpointer data, JankRecord *record)
{
  JankSessionKeeper *self = data;

  if (!self->is_lean || self->has_new_stalls || self->saved_ns != 0 ||
      jank_clock_now_ns () - self->began_ns >= SHORT_NS)
    jank_session_keeper_save (self, record);
}

static void
jank_session_keeper_blocking (gpointer data, JankRecord *record, const JankStall *stall, const JankBlockingCall *call)
{
  JankSessionKeeper *self = data;

  if (self->calls != NULL && jank_call_list_add (self->calls, record->map, stall, call))
    self->has_new_stalls = TRUE;
}

static void
jank_session_keeper_figure (gpointer data, JankRecord *record, double fps)
{
  JankSessionFigures *figures = &((JankSessionKeeper *) data)->figures;

  figures->least_fps = figures->n_figures++ > 0 ? MIN (figures->least_fps, fps) : fps;
  figures->newest_fps = fps;
}

const JankSinkFuncs jank_session_keeper_sink = {
  .started = jank_session_keeper_started,
  .figure = jank_session_keeper_figure,
  .ongoing = jank_session_keeper_ongoing,
  .ended = jank_session_keeper_ended,
  .blocking = jank_session_keeper_blocking,
  .tick = jank_session_keeper_tick,
  .exiting = jank_session_keeper_exiting,
  .free = jank_session_keeper_free,
};
