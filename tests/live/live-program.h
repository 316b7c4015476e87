/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A reader of live files, and programs in other processes that write them. */

#pragma once

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "folder.h"
#include "live/jank-live-file-private.h"
#include "live/jank-live-reader-private.h"
#include "observe/jank-beat-private.h"
#include "report-fixture.h"
#include "test.h"

#define SESSION  "20261121-153000-4200"

typedef struct
{
  char           *folder, *runtime, *store; /* (owned) */
  JankLiveReader *reader;                   /* (owned) (nullable) */
  JankLive       *live;                     /* (owned) (nullable): told last */
  char           *culprit;                  /* (owned) (nullable): of the stall told last */
  GPtrArray      *ended, *ignored;          /* (owned) of ids, of paths */
  guint           n_changed, n_gone;
} Fixture;

static inline void
changed_cb (gpointer data, JankLiveProgram *program)
{
  Fixture *self = data;

  g_clear_pointer (&self->live, jank_live_free);
  self->live = jank_live_new ();
  self->live->state = program->live->state;
  self->live->n_ended = program->live->n_ended;
  self->live->pid = program->pid;
  g_free (self->culprit);
  self->culprit = program->stall != NULL ? g_strdup (program->stall->culprit.function) : NULL;
  self->n_changed++;
}

static inline void
ended_cb (gpointer data, JankLiveProgram *program, JankReport *stall)
{
  g_ptr_array_add (((Fixture *) data)->ended, g_strdup (stall->id));
}

static inline void
gone_cb (gpointer data, JankLiveProgram *program)
{
  ((Fixture *) data)->n_gone++;
}

static inline void
ignored_cb (gpointer data, const char *path, const char *why)
{
  g_assert_cmpstr (why, !=, "");
  g_assert_cmpint (strstr (path, "old.live") != NULL, ==, strstr (why, "another version") != NULL);
  g_ptr_array_add (((Fixture *) data)->ignored, g_path_get_basename (path));
}

static inline void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = folder_new ("jank-live");
  self->runtime = g_build_filename (self->folder, "runtime", NULL);
  self->store = g_build_filename (self->folder, "store", NULL);
  g_assert_cmpint (g_mkdir (self->runtime, 0700), ==, 0);
  g_assert_cmpint (g_mkdir (self->store, 0700), ==, 0);
  g_setenv ("XDG_RUNTIME_DIR", self->runtime, TRUE);
  g_unsetenv ("FLATPAK_ID");
  self->ended = g_ptr_array_new_with_free_func (g_free);
  self->ignored = g_ptr_array_new_with_free_func (g_free);
}

static inline void
tear_down (Fixture *self, gconstpointer data)
{
  g_clear_pointer (&self->reader, jank_live_reader_free);
  g_clear_pointer (&self->live, jank_live_free);
  g_ptr_array_unref (self->ended);
  g_ptr_array_unref (self->ignored);
  folder_remove (self->folder);
  g_free (self->culprit);
  g_free (self->folder);
  g_free (self->runtime);
  g_free (self->store);
}

static inline void
start_reader (Fixture *self, const char *session)
{
  const JankLiveReaderFuncs funcs = { changed_cb, ended_cb, gone_cb, ignored_cb };

  self->reader = jank_live_reader_new (self->store, session, &funcs, self);
  jank_live_reader_look (self->reader);
}

/* Looks until *figure is n. */
static inline void
look_until (Fixture *self, const guint *figure, guint n)
{
  jank_live_reader_look (self->reader);
  AWAIT (*figure == n, g_usleep (1000), jank_live_reader_look (self->reader));
}

/* What a program does that is told so by one letter each. */
typedef struct
{
  pid_t         pid;
  int           orders, answers;
  JankLiveFile *file; /* in the program */
  JankLive     *live;
} Program;

static inline JankReport *
make_gist (guint64 n)
{
  g_autofree char *id = g_strdup_printf ("20261121-153012-4242-%" G_GUINT64_FORMAT, n);
  JankReport *gist = report_fixture_new_bare (id);

  gist->culprit.function = g_strdup ("freeze");
  return gist;
}

static inline gboolean
program_park (Program *self, gint64 for_ns)
{
  JankBell bell = { .word = jank_live_file_get_bell (self->file) };
  JankBeat beat;

  memcpy (&bell.value, JANK_LIVE_SCHEMA, sizeof bell.value);
  jank_beat_init (&beat, 1, 0);
  return jank_beat_park (&beat, jank_beat_get_rung (&beat), jank_clock_now_ns () + for_ns, &bell);
}

static inline char
program_obey (Program *self, char order)
{
  g_autoptr (JankReport) gist = make_gist (self->live->n_ended + (order == 'e' || order == 'L'));
  g_autofree char *name = NULL;
  gboolean is_asked, wants_dump;
  sigset_t all;

  switch (order)
    {
    case 'c': /* calm */
      self->live->state = JANK_LIVE_CALM;
      self->live->since_ns = 0;
      break;
    case 's': /* it stalls */
      self->live->state = JANK_LIVE_CALM + 1;
      self->live->since_ns = jank_clock_now_ns ();
      jank_live_file_set (self->file, self->live, gist);
      return order;
    case 'e': /* a stall has ended */
      self->live->state = JANK_LIVE_CALM;
      self->live->since_ns = 0;
      self->live->n_ended++;
      jank_live_file_add_ended (self->file, gist);
      break;
    case 'L': /* another, of the longest names that a gist has, and more samples than fit */
      for (guint i = 0; i < 40; i++)
        g_ptr_array_add (gist->samples, jank_report_sample_new ());
      name = g_strnfill (500, 'L');
      jank_set_text (&gist->app.exe, name);
      jank_set_text (&gist->source.name, name);
      jank_set_text (&gist->culprit.function, name);
      jank_set_text (&gist->culprit.module, name);
      jank_set_text (&gist->culprit.callee, name);
      self->live->n_ended++;
      jank_live_file_add_ended (self->file, gist);
      break;
    case 'l': /* a liar */
      self->live->pid = 1;
      break;
    case 'q': /* whether a reader asks, and for a dump */
      is_asked = jank_live_file_is_asked (self->file, &wants_dump);
      return wants_dump ? 'd' : is_asked ? 'y' : 'n';
    case 'b': /* it parks: whether the bell rings */
      return program_park (self, 20 * JANK_NS_PER_S) ? 'b' : 't';
    case 'p': /* and only for a moment */
      return program_park (self, 20 * JANK_NS_PER_MS) ? 'b' : 't';
    case 'f': /* files may have no bytes; as the watcher, it blocks all signals */
      sigfillset (&all);
      sigprocmask (SIG_SETMASK, &all, NULL);
      g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &(struct rlimit) { 0, 0 }), ==, 0);
      return order;
    default:
      break;
    }
  jank_live_file_set (self->file, self->live, NULL);
  return order;
}

G_GNUC_NORETURN static inline void
program_run (Program *self, const char *store, const char *session)
{
  struct stat info;
  char order;

  self->file = jank_live_file_new (store, session != NULL);
  self->live = jank_live_new ();
  self->live->pid = getpid ();
  self->live->pid_namespace = stat ("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
  self->live->session = g_strdup (session);
  while (read (self->orders, &order, 1) == 1)
    {
      char answer = program_obey (self, order);

      if (write (self->answers, &answer, 1) != 1)
        break;
    }
  jank_live_file_close (self->file);
  _exit (0);
}

static inline Program
program_start (Fixture *fixture, const char *session)
{
  int orders[2], answers[2];
  Program self = { 0 };

  g_assert_true (pipe (orders) == 0 && pipe (answers) == 0);
  self.pid = fork ();
  if (self.pid == 0)
    {
      close (orders[1]);
      close (answers[0]);
      self.orders = orders[0];
      self.answers = answers[1];
      program_run (&self, fixture->store, session);
    }
  close (orders[0]);
  close (answers[1]);
  self.orders = orders[1];
  self.answers = answers[0];
  return self;
}

static inline char
program_do (const Program *self, char order)
{
  char answer = '\0';

  g_assert_cmpint (write (self->orders, &order, 1), ==, 1);
  g_assert_cmpint (read (self->answers, &answer, 1), ==, 1);
  return answer;
}

/* signal: 0: it ends by itself */
static inline void
program_end (const Program *self, int signal)
{
  int status;

  if (signal != 0)
    kill (self->pid, signal);
  close (self->orders);
  g_assert_cmpint (waitpid (self->pid, &status, 0), ==, self->pid);
  g_assert_true (signal != 0 ? WIFSIGNALED (status) : WIFEXITED (status) && WEXITSTATUS (status) == 0);
  close (self->answers);
}

static inline guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static inline char *
get_folder (Fixture *self)
{
  return g_build_filename (self->runtime, JANK_LIVE_RUNTIME, NULL);
}
