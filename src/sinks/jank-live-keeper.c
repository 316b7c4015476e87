/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sinks/jank-sinks-private.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "frames/jank-hang-rate-private.h"
#include "live/jank-live-file-private.h"
#include "json/jank-field-private.h"
#include "report/jank-report-build-private.h"
#include "sinks/jank-program-private.h"

/* Between two looks for a reader, and between two answers. */
#define ASKED_EVERY_NS  (250 * JANK_NS_PER_MS)
#define ANSWER_EVERY_NS (JANK_NS_PER_S - 50 * JANK_NS_PER_MS)

struct _JankLiveKeeper
{
  /* set at construction */
  JankLiveFile     *file;   /* (owned) */
  JankGtkHostState *gtk;    /* (nullable) */

  /* watcher thread only, but for the construction */
  JankLive         *live;   /* (owned) */
  JankReport       *gist;   /* (owned) (nullable): of the stall under way */
  JankHangRate      hangs;
  gint64            looked_ns; /* for a reader */
  gint64            dump_due_ns; /* the next, at the earliest */
  gint64            deaf_until_ns; /* 0: it is not */
};

JankLiveKeeper *
jank_live_keeper_new (const JankSettings *settings, const char *session, JankGtkHostState *gtk)
{
  JankLiveKeeper *self = g_new0 (JankLiveKeeper, 1);

  self->file = jank_live_file_new (settings->store, session != NULL);
  self->gtk = gtk;
  self->live = jank_live_new ();
  self->live->session = g_strdup (session);
  self->live->began_ns = jank_clock_now_ns ();
  self->live->began_real_us = g_get_real_time ();
  return self;
}

static void
jank_live_keeper_free (gpointer data)
{
  JankLiveKeeper *self = data;

  g_clear_pointer (&self->gist, jank_report_unref);
  jank_live_file_free (self->file);
  jank_live_free (self->live);
  g_free (self);
}

static void
jank_live_keeper_set_program (JankLiveKeeper *self, const JankRecord *record)
{
  const JankProgram *program = record->program;
  JankLive *live = self->live;

  jank_set_text (&live->store, record->settings->store);
  jank_set_text (&live->name, program->name);
  jank_set_text (&live->id, program->id);
  jank_set_text (&live->exe, program->exe);
  jank_set_text (&live->version, jank_program_get_version (program, record->settings));
}

static void
jank_live_keeper_set_frames (JankLiveKeeper *self)
{
  JankGtkToolkit toolkit;
  g_autoptr (JankReportFrameClock) frame_clock = jank_gtk_host_read_frames (self->gtk, &toolkit, NULL);

  if (frame_clock == NULL)
    return;
  self->live->n_frames = frame_clock->numbers.counts.frames;
  self->live->n_late = frame_clock->numbers.counts.late;
  self->live->active_ns = frame_clock->numbers.counts.active_ns;
  self->live->fps = frame_clock->numbers.fps;
}

static void
jank_live_keeper_write (JankLiveKeeper *self, const JankRecord *record)
{
  jank_live_keeper_set_program (self, record);
  self->live->cost_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
  self->live->n_wakeups = record->counts.n_wakeups;
  self->live->n_hangs = self->hangs.n_hangs;
  self->live->hung_ns = self->hangs.hung_ns;
  jank_live_file_set (self->file, self->live, self->gist);
}

static void
jank_live_keeper_started (gpointer data, JankRecord *record)
{
  JankLiveKeeper *self = data;
  struct stat info;

  memcpy (&record->bell.value, JANK_LIVE_SCHEMA, sizeof record->bell.value);
  self->live->pid = getpid ();
  self->live->pid_namespace = stat ("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
  jank_live_keeper_write (self, record);
}

/* Before the report is made, which may take long: readers know at once that there is a stall. */
static void
jank_live_keeper_found (gpointer data, JankRecord *record, const JankStall *stall)
{
  JankLiveKeeper *self = data;
  JankLiveState state = (JankLiveState) (jank_report_kind_of[stall->kind] + 1);

  if (self->live->state == state && self->live->since_ns == stall->began_ns)
    return;
  g_clear_pointer (&self->gist, jank_report_unref);
  self->live->state = state;
  self->live->since_ns = stall->began_ns;
  self->live->duration_ns = jank_stall_duration_ns (stall, jank_clock_now_ns ());
  jank_live_keeper_write (self, record);
}

static void
jank_live_keeper_ongoing (gpointer data, JankRecord *record, JankReport *report)
{
  JankLiveKeeper *self = data;
  const JankReportThread *first = report->threads->len > 0 ? g_ptr_array_index (report->threads, 0) : NULL;

  g_clear_pointer (&self->gist, jank_report_unref);
  self->gist = jank_live_gist_new (report);
  self->live->state = (JankLiveState) (report->kind + 1);
  self->live->since_ns = report->stall.began_monotonic_ns;
  self->live->duration_ns = report->stall.duration_ns;
  if (first != NULL && first->observed)
    self->live->tid = first->tid;
  jank_live_keeper_write (self, record);
}

/* The report of it that is kept has the id. */
static void
jank_live_keeper_asked (gpointer data, JankRecord *record, JankReport *report)
{
  JankLiveKeeper *self = data;

  report->id = g_strdup (self->gist != NULL ? self->gist->id : NULL);
  jank_live_keeper_ongoing (self, record, report);
}

static void
jank_live_keeper_ended (gpointer data, JankRecord *record, const JankStall *stall, JankReport *report)
{
  JankLiveKeeper *self = data;
  g_autoptr (JankReport) gist = jank_live_gist_new (report);
  JankLive *live = self->live;

  if (live->since_ns == report->stall.began_monotonic_ns)
    {
      g_clear_pointer (&self->gist, jank_report_unref);
      live->state = JANK_LIVE_CALM;
      live->since_ns = live->duration_ns = 0;
    }
  if (jank_report_kind_is_stall (report->kind))
    {
      jank_hang_rate_add (&self->hangs, report->stall.duration_ns);
      live->n_stalls++;
      live->total_ns += report->stall.duration_ns;
      live->longest_ns = MAX (live->longest_ns, report->stall.duration_ns);
    }
  live->n_ended++;
  jank_live_file_add_ended (self->file, gist);
  jank_live_keeper_set_frames (self);
  jank_live_keeper_write (self, record);
}

static void
jank_live_keeper_dumped (gpointer data, JankRecord *record, JankReport *report)
{
  JankLiveKeeper *self = data;

  self->dump_due_ns = jank_clock_now_ns () + JANK_LIVE_DUMP_NS;
  self->live->n_dumps++;
  jank_set_text (&self->live->dump, report->id);
  jank_live_keeper_write (self, record);
}

/* Whoever rings and rings wakes the watcher twice a second. Returns: whether to look for a reader now */
static gboolean
jank_live_keeper_listen (JankLiveKeeper *self, JankRecord *record, gint64 now_ns, gint64 *ret_due_ns)
{
  gboolean rings = record->has_rung, hears_again = self->deaf_until_ns != 0 && now_ns >= self->deaf_until_ns;

  record->has_rung = FALSE;
  if (rings)
    self->deaf_until_ns = now_ns + JANK_LIVE_DUMP_NS;
  else if (hears_again)
    self->deaf_until_ns = 0;
  record->bell.word = self->deaf_until_ns == 0 ? jank_live_file_get_bell (self->file) : NULL;
  if (self->deaf_until_ns != 0)
    *ret_due_ns = *ret_due_ns != 0 ? MIN (*ret_due_ns, self->deaf_until_ns) : self->deaf_until_ns;
  return rings || hears_again;
}

static void
jank_live_keeper_tick (gpointer data, JankRecord *record, gint64 now_ns, gint64 *ret_due_ns)
{
  JankLiveKeeper *self = data;

  gboolean is_told = jank_live_keeper_listen (self, record, now_ns, ret_due_ns), wants_dump;

  if (now_ns < self->looked_ns + ASKED_EVERY_NS && !is_told)
    return;
  self->looked_ns = now_ns;
  record->is_asked = jank_live_file_is_asked (self->file, &wants_dump);
  record->is_dump_asked = wants_dump && now_ns >= self->dump_due_ns;
  if (!record->is_asked || self->live->state != JANK_LIVE_CALM || now_ns < self->live->written_ns + ANSWER_EVERY_NS)
    return;
  jank_live_keeper_set_frames (self);
  jank_live_keeper_write (self, record);
}

static void
jank_live_keeper_figure (gpointer data, JankRecord *record, double fps)
{
  ((JankLiveKeeper *) data)->live->fps = fps;
}

static void
jank_live_keeper_exiting (gpointer data, JankRecord *record)
{
  jank_live_file_close (((JankLiveKeeper *) data)->file);
}

const JankSinkFuncs jank_live_keeper_sink = {
  .started = jank_live_keeper_started,
  .figure = jank_live_keeper_figure,
  .found = jank_live_keeper_found,
  .ongoing = jank_live_keeper_ongoing,
  .asked = jank_live_keeper_asked,
  .ended = jank_live_keeper_ended,
  .dumped = jank_live_keeper_dumped,
  .tick = jank_live_keeper_tick,
  .exiting = jank_live_keeper_exiting,
  .free = jank_live_keeper_free,
};
