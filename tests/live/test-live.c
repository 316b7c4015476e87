/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Live files, as programs in other processes write them, and as somebody else does. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

#define WAIT_US  (20 * G_USEC_PER_SEC)
#define SESSION  "20261121-153000-4200"
#define NOBODY   65534

typedef struct
{
  char           *folder, *runtime, *store; /* (owned) */
  JankLiveReader *reader;                   /* (owned) (nullable) */
  JankLive       *live;                     /* (owned) (nullable): told last */
  char           *culprit;                  /* (owned) (nullable): of the stall told last */
  GPtrArray      *ended, *ignored;          /* (owned) of ids, of paths */
  guint           n_changed, n_gone;
} Fixture;

static void
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

static void
ended_cb (gpointer data, JankLiveProgram *program, JankReport *stall)
{
  g_ptr_array_add (((Fixture *) data)->ended, g_strdup (stall->id));
}

static void
gone_cb (gpointer data, JankLiveProgram *program)
{
  ((Fixture *) data)->n_gone++;
}

static void
ignored_cb (gpointer data, const char *path, const char *why)
{
  g_assert_cmpstr (why, !=, "");
  g_assert_cmpint (strstr (path, "old.live") != NULL, ==, strstr (why, "another version") != NULL);
  g_ptr_array_add (((Fixture *) data)->ignored, g_path_get_basename (path));
}

static void
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

static void
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

static void
start_reader (Fixture *self, const char *session)
{
  const JankLiveReaderFuncs funcs = { changed_cb, ended_cb, gone_cb, ignored_cb };

  self->reader = jank_live_reader_new (self->store, session, &funcs, self);
  jank_live_reader_look (self->reader);
}

/* Looks until *figure is n. */
static void
look_until (Fixture *self, const guint *figure, guint n)
{
  gint64 until_us = g_get_monotonic_time () + WAIT_US;

  for (jank_live_reader_look (self->reader); *figure != n; jank_live_reader_look (self->reader))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until_us);
      g_usleep (1000);
    }
}

/* What a program does that is told so by one letter each. */
typedef struct
{
  pid_t         pid;
  int           orders, answers;
  JankLiveFile *file; /* in the program */
  JankLive     *live;
} Program;

static JankReport *
make_gist (guint64 n)
{
  g_autofree char *id = g_strdup_printf ("20261121-153012-4242-%" G_GUINT64_FORMAT, n);
  JankReport *gist = report_fixture_new_bare (id);

  gist->culprit.function = g_strdup ("freeze");
  return gist;
}

static gboolean
program_park (Program *self, gint64 for_ns)
{
  JankBell bell = { .word = jank_live_file_get_bell (self->file) };
  JankBeat beat;

  memcpy (&bell.value, JANK_LIVE_SCHEMA, sizeof bell.value);
  jank_beat_init (&beat, 1, 0);
  return jank_beat_park (&beat, jank_beat_get_rung (&beat), jank_clock_now_ns () + for_ns, &bell);
}

static char
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

static G_GNUC_NORETURN void
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

static Program
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

static char
program_do (const Program *self, char order)
{
  char answer = '\0';

  g_assert_cmpint (write (self->orders, &order, 1), ==, 1);
  g_assert_cmpint (read (self->answers, &answer, 1), ==, 1);
  return answer;
}

/* signal: 0: it ends by itself */
static void
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

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static char *
get_folder (Fixture *self)
{
  return g_build_filename (self->runtime, JANK_LIVE_RUNTIME, NULL);
}

static gboolean
has_futex_waitv (void)
{
#ifdef SYS_futex_waitv
  return syscall (SYS_futex_waitv, NULL, 0, 0, NULL, 0) != 0 && errno == EINVAL;
#else
  return FALSE;
#endif
}

TEST (page)
{
  g_autofree char *page = g_malloc (JANK_LIVE_PAGE_BYTES), *longest = g_strnfill (JANK_LIVE_TEXT_BYTES, 'x');
  g_autofree char *longer = g_strnfill (JANK_LIVE_TEXT_BYTES + 1, 'x'), *json = NULL;
  guint64 number;

  g_assert_false (jank_live_page_pack (page, 1, longer));
  g_assert_true (jank_live_page_pack (page, 7, longest));
  json = jank_live_page_unpack (page, &number);
  g_assert_cmpstr (json, ==, longest);
  g_assert_cmpuint (number, ==, 7);
  g_assert_true (jank_live_page_pack (page, 7, "{\"a\":1}"));
  for (guint i = 0; i < JANK_LIVE_HEAD_BYTES + 7; i++)
    {
      g_autofree char *bad = NULL;

      page[i]++;
      bad = jank_live_page_unpack (page, &number);
      g_assert_null (bad);
      page[i]--;
    }
  memset (page, 'x', JANK_LIVE_PAGE_BYTES);
  g_assert_null (jank_live_page_unpack (page, &number));
}

/* What was there at the first look is told, what ended before it is not. A program that ends leaves nothing. */
TEST_WITH (Fixture, set_up, tear_down, self, life)
{
  Program program = program_start (self, NULL);
  g_autofree char *folder = get_folder (self);

  program_do (&program, 'c');
  program_do (&program, 'e');
  start_reader (self, NULL);
  g_assert_cmpuint (self->n_changed, ==, 1);
  g_assert_cmpint (self->live->pid, ==, program.pid);
  g_assert_cmpuint (self->ended->len, ==, 0);
  program_do (&program, 's');
  look_until (self, &self->n_changed, 2);
  g_assert_cmpint (self->live->state, ==, JANK_LIVE_CALM + 1);
  g_assert_cmpstr (self->culprit, ==, "freeze");
  program_do (&program, 'e');
  look_until (self, &self->n_changed, 3);
  g_assert_cmpint (self->live->state, ==, JANK_LIVE_CALM);
  g_assert_null (self->culprit);
  g_assert_cmpuint (self->ended->len, ==, 1);
  g_assert_cmpstr (self->ended->pdata[0], ==, "20261121-153012-4242-2");
  program_end (&program, 0);
  look_until (self, &self->n_gone, 1);
  g_assert_cmpuint (count_files (folder), ==, 0);
  g_assert_cmpuint (self->ignored->len, ==, 0);
}

/* A request for a dump is taken back by what the program writes, and by time; one for figures is none. */
TEST_WITH (Fixture, set_up, tear_down, self, dump_asked)
{
  Program program = program_start (self, NULL);
  g_autoptr (GPtrArray) all = NULL;

  program_do (&program, 'c');
  start_reader (self, NULL);
  all = jank_live_reader_get_all (self->reader);
  g_assert_cmpuint (all->len, ==, 1);
  g_assert_cmpint (program_do (&program, 'q'), ==, 'n');
  jank_live_reader_ask (self->reader);
  g_assert_cmpint (program_do (&program, 'q'), ==, 'y');
  for (guint i = 0; i < 2; i++)
    {
      /* Without a CPU for a second, the request is over before the program looks. */
      do
        g_assert_true (jank_live_reader_ask_dump (self->reader, all->pdata[0]));
      while (program_do (&program, 'q') != 'd');
      if (i == 0)
        program_do (&program, 'c');
      else
        g_usleep (JANK_LIVE_DUMP_NS / JANK_NS_PER_US);
      g_assert_cmpint (program_do (&program, 'q'), !=, 'd');
    }
  program_end (&program, 0);
}

/* A parked watcher is woken. Whoever cuts off the file does no harm, and neither does other content. */
TEST_WITH (Fixture, set_up, tear_down, self, bell)
{
  g_autofree char *folder = get_folder (self), *path = NULL;
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GPtrArray) all = NULL;
  Program program = program_start (self, NULL);
  struct pollfd fd = { .fd = program.answers, .events = POLLIN };
  char answer = '\0';

  program_do (&program, 'c');
  start_reader (self, NULL);
  all = jank_live_reader_get_all (self->reader);
  g_assert_cmpint (write (program.orders, "b", 1), ==, 1);
  do
    g_assert_true (jank_live_reader_ask_dump (self->reader, all->pdata[0]));
  while (poll (&fd, 1, 10) == 0);
  g_assert_cmpint (read (program.answers, &answer, 1), ==, 1);
  g_assert_cmpint (answer, ==, has_futex_waitv () ? 'b' : 't');

  dir = g_dir_open (folder, 0, NULL);
  path = g_build_filename (folder, g_dir_read_name (dir), NULL);
  g_assert_cmpint (truncate (path, 0), ==, 0);
  g_assert_cmpint (program_do (&program, 'p'), ==, 't');
  g_assert_true (g_file_set_contents_full (path, "other", -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  g_assert_cmpint (program_do (&program, 'p'), ==, 't');
  program_end (&program, 0);
}

/* Of many stalls at once the last ones are told, each once, in order. */
TEST_WITH (Fixture, set_up, tear_down, self, many_ended)
{
  Program program;

  start_reader (self, NULL);
  program = program_start (self, NULL);
  for (guint i = 0; i < 10; i++)
    program_do (&program, 'e');
  look_until (self, &self->ended->len, JANK_LIVE_N_ENDED);
  g_assert_cmpstr (self->ended->pdata[0], ==, "20261121-153012-4242-5");
  program_do (&program, 'e');
  look_until (self, &self->ended->len, JANK_LIVE_N_ENDED + 1);
  g_assert_cmpstr (self->ended->pdata[JANK_LIVE_N_ENDED], ==, "20261121-153012-4242-11");
  program_end (&program, 0);
}

/* The file has one page, whatever the program does: of stalls that have ended it holds as many as fit, the newest, and
 * of one with long names at least that one. */
TEST_WITH (Fixture, set_up, tear_down, self, one_page)
{
  Program program;
  g_autofree char *folder = get_folder (self), *path = NULL;
  g_autoptr (GDir) dir = NULL;
  struct stat info;

  start_reader (self, NULL);
  program = program_start (self, NULL);
  for (const char *order = "cseeeeeeeesLLLse"; *order != '\0'; order++)
    program_do (&program, *order);
  look_until (self, &self->ended->len, 2);
  g_assert_cmpstr (self->ended->pdata[0], ==, "20261121-153012-4242-11");
  g_assert_cmpstr (self->ended->pdata[1], ==, "20261121-153012-4242-12");
  dir = g_dir_open (folder, 0, NULL);
  path = g_build_filename (folder, g_dir_read_name (dir), NULL);
  g_assert_cmpint (stat (path, &info), ==, 0);
  g_assert_cmpint (info.st_size, ==, JANK_LIVE_PAGE_BYTES);
  program_end (&program, 0);
}

/* What a program wrote just before it ended is told to its session, even if nobody has looked meanwhile; in the end
 * there is no file. */
TEST_WITH (Fixture, set_up, tear_down, self, short_life)
{
  g_autofree char *folder = get_folder (self);
  Program program;

  start_reader (self, SESSION);
  program = program_start (self, SESSION);
  program_do (&program, 'c');
  program_do (&program, 'e');
  program_end (&program, 0);
  look_until (self, &self->n_gone, 1);
  g_assert_cmpuint (self->ended->len, ==, 1);
  g_assert_cmpuint (count_files (folder), ==, 0);
}

/* Nothing is believed of a program that was killed, whether its reader ran then or not; its file goes. */
TEST_WITH (Fixture, set_up, tear_down, self, killed_program)
{
  Program program = program_start (self, NULL);
  g_autofree char *folder = get_folder (self);

  program_do (&program, 's');
  start_reader (self, NULL);
  g_assert_cmpuint (self->n_changed, ==, 1);
  program_end (&program, SIGKILL);
  look_until (self, &self->n_gone, 1);
  g_assert_cmpuint (count_files (folder), ==, 0);
  g_clear_pointer (&self->reader, jank_live_reader_free);

  program = program_start (self, NULL);
  program_do (&program, 's');
  program_end (&program, SIGKILL);
  g_assert_cmpuint (count_files (folder), ==, 1);
  start_reader (self, NULL);
  g_assert_cmpuint (self->n_changed, ==, 1);
  g_assert_cmpuint (count_files (folder), ==, 0);
  g_assert_cmpuint (self->ignored->len, ==, 0);
}

/* Where no reader ever looks, the next program removes what is old. */
TEST_WITH (Fixture, set_up, tear_down, self, stray)
{
  Program program = program_start (self, NULL), living = program_start (self, NULL);
  g_autofree char *folder = get_folder (self);
  g_autoptr (GDir) dir = NULL;
  const char *name;

  program_do (&program, 'c');
  program_do (&living, 'c');
  program_end (&program, SIGKILL);
  dir = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (utimensat (AT_FDCWD, path, (struct timespec[2]) { { 1, 0 }, { 1, 0 } }, 0), ==, 0);
    }
  g_assert_cmpuint (count_files (folder), ==, 2);
  program = program_start (self, NULL);
  program_do (&program, 'c');
  g_assert_cmpuint (count_files (folder), ==, 2);
  program_end (&program, 0);
  g_assert_cmpuint (count_files (folder), ==, 1);
  program_end (&living, 0);
}

/* A reader that is killed asks no more; one that reads only does not ask. */
TEST_WITH (Fixture, set_up, tear_down, self, killed_reader)
{
  Program program = program_start (self, NULL);
  gint64 until_us = g_get_monotonic_time () + WAIT_US;
  pid_t child;

  program_do (&program, 'c');
  g_assert_cmpint (program_do (&program, 'q'), ==, 'n');
  start_reader (self, NULL);
  g_assert_cmpint (program_do (&program, 'q'), ==, 'n');
  child = fork ();
  if (child == 0)
    {
      jank_live_reader_ask (self->reader);
      for (;;)
        pause ();
    }
  while (program_do (&program, 'q') != 'y')
    g_assert_cmpint (g_get_monotonic_time (), <, until_us);
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  while (program_do (&program, 'q') != 'n')
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until_us);
      g_usleep (10000);
    }
  program_end (&program, 0);
}

/* Whoever looks while pages are being written sees whole ones. */
TEST_WITH (Fixture, set_up, tear_down, self, torn)
{
  Program program = program_start (self, NULL);

  program_do (&program, 'c');
  start_reader (self, NULL);
  for (guint i = 0; i < 2000; i++)
    {
      char order = i % 3 == 0 ? 'e' : i % 3 == 1 ? 's' : 'c', answer;

      g_assert_cmpint (write (program.orders, &order, 1), ==, 1);
      jank_live_reader_look (self->reader);
      if (self->live->state != JANK_LIVE_CALM)
        g_assert_cmpstr (self->culprit, ==, "freeze");
      g_assert_cmpint (read (program.answers, &answer, 1), ==, 1);
    }
  g_assert_cmpuint (self->ignored->len, ==, 0);
  program_end (&program, 0);
}

static void
write_file (const char *folder, const char *name, const char *text, gsize n_bytes)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents_full (path, text, n_bytes, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

/* Each is said once, nothing of it is told, and it stays where it is. */
TEST_WITH (Fixture, set_up, tear_down, self, hostile)
{
  g_autofree char *folder = get_folder (self), *page = g_malloc0 (JANK_LIVE_PAGE_BYTES), *open_path = NULL;
  g_autofree char *pipe_path = g_build_filename (folder, "pipe.live", NULL);
  g_autofree char *link_path = g_build_filename (folder, "link.live", NULL);
  g_autofree char *folder_path = g_build_filename (folder, "folder.live", NULL);
  g_autofree char *foreign_path = g_build_filename (folder, "foreign.live", NULL);
  g_autofree char *huge = g_malloc0 (JANK_LIVE_PAGE_BYTES + 1);
  guint n = 8;

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_cmpint (mkfifo (pipe_path, 0600), ==, 0);
  g_assert_cmpint (symlink ("/etc/passwd", link_path), ==, 0);
  g_assert_cmpint (g_mkdir (folder_path, 0700), ==, 0);
  write_file (folder, "huge.live", huge, JANK_LIVE_PAGE_BYTES + 1);
  write_file (folder, "zeros.live", huge, JANK_LIVE_PAGE_BYTES);
  g_assert_true (jank_live_page_pack (page, 1, "{\"schema\":\"" JANK_LIVE_SCHEMA "\",\"pid\":-1}"));
  write_file (folder, "bad.live", page, JANK_LIVE_PAGE_BYTES);
  write_file (folder, "open.live", page, JANK_LIVE_PAGE_BYTES);
  open_path = g_build_filename (folder, "open.live", NULL);
  g_assert_cmpint (g_chmod (open_path, 0666), ==, 0);
  write_file (folder, "old.live", "jankwatch-live-1 0000000000000001", 33);
  write_file (folder, "other", "x", 1); /* none of ours */
  if (geteuid () == 0)
    {
      write_file (folder, "foreign.live", page, JANK_LIVE_PAGE_BYTES);
      g_assert_cmpint (chown (foreign_path, NOBODY, NOBODY), ==, 0);
      n++;
    }
  start_reader (self, NULL);
  g_assert_cmpuint (self->ignored->len, ==, n);
  jank_live_reader_look (self->reader);
  jank_live_reader_ask (self->reader);
  g_assert_cmpuint (self->ignored->len, ==, n);
  g_assert_cmpuint (self->n_changed, ==, 0);
  g_assert_cmpuint (count_files (folder), ==, n + 1);
}

/* The kernel tells who holds the lock. */
TEST_WITH (Fixture, set_up, tear_down, self, liar)
{
  Program program = program_start (self, NULL);

  program_do (&program, 'l');
  start_reader (self, NULL);
  g_assert_cmpuint (self->ignored->len, ==, 1);
  g_assert_cmpuint (self->n_changed, ==, 0);
  program_end (&program, 0);
}

/* Whatever becomes of the folder, the program goes on, and is seen again as soon as that can be. */
TEST_WITH (Fixture, set_up, tear_down, self, tidied)
{
  Program program = program_start (self, NULL);
  g_autofree char *folder = get_folder (self);

  program_do (&program, 'c');
  start_reader (self, NULL);
  folder_clear (folder);
  program_do (&program, 's');
  look_until (self, &self->n_gone, 1);
  look_until (self, &self->n_changed, 2);
  g_assert_cmpint (self->live->state, ==, JANK_LIVE_CALM + 1);
  program_end (&program, 0);
}

/* Without a runtime folder of our own, or in a session without the one that its reader has made, it lies in the store. */
TEST_WITH (Fixture, set_up, tear_down, self, no_runtime)
{
  g_autofree char *in_store = g_build_filename (self->store, JANK_LIVE_FOLDER, NULL);
  g_autofree char *missing = g_build_filename (self->folder, "missing", NULL);
  const char *folders[] = { "relative", missing, "/dev/null", geteuid () == 0 ? self->runtime : "/", self->runtime };

  if (geteuid () == 0)
    g_assert_cmpint (chown (self->runtime, NOBODY, NOBODY), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      Program program;

      g_setenv ("XDG_RUNTIME_DIR", folders[i], TRUE);
      if (i + 1 == G_N_ELEMENTS (folders) && geteuid () == 0)
        g_assert_cmpint (chown (self->runtime, 0, 0), ==, 0);
      program = program_start (self, i + 1 == G_N_ELEMENTS (folders) ? SESSION : NULL);
      program_do (&program, 'c');
      g_assert_cmpuint (count_files (in_store), ==, 1);
      program_end (&program, 0);
      g_assert_cmpuint (count_files (in_store), ==, 0);
    }
}

/* In a sandbox only this folder is that of the world outside. */
TEST_WITH (Fixture, set_up, tear_down, self, flatpak)
{
  g_autofree char *app = g_build_filename (self->runtime, "app", "org.example.App", NULL);
  Program program;

  g_assert_cmpint (g_mkdir_with_parents (app, 0700), ==, 0);
  start_reader (self, NULL);
  g_setenv ("FLATPAK_ID", "org.example.App", TRUE);
  program = program_start (self, NULL);
  program_do (&program, 'c');
  look_until (self, &self->n_changed, 1);
  program_end (&program, 0);
}

/* A limit on file sizes sends a signal that would end the program. */
TEST_WITH (Fixture, set_up, tear_down, self, no_bytes)
{
  Program program = program_start (self, NULL);

  program_do (&program, 'f');
  program_do (&program, 'c');
  program_do (&program, 'e');
  start_reader (self, NULL);
  g_assert_cmpuint (self->n_changed, ==, 0);
  g_assert_cmpuint (self->ignored->len, ==, 0);
  program_end (&program, 0);
}

TESTS ("/live/live")
