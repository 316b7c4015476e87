/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Live files, as programs in other processes write them, and as somebody else does. */

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>

#include "live-program.h"

static gboolean
has_futex_waitv (void)
{
#ifdef SYS_futex_waitv
  return syscall (SYS_futex_waitv, NULL, 0, 0, NULL, 0) != 0 && errno == EINVAL;
#else
  return FALSE;
#endif
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
  AWAIT (program_do (&program, 'q') == 'y', jank_live_reader_ask (self->reader));
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

/* A reader that is killed asks no more; one that reads only does not ask. */
TEST_WITH (Fixture, set_up, tear_down, self, killed_reader)
{
  Program program = program_start (self, NULL);
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
  AWAIT (program_do (&program, 'q') == 'y', g_usleep (0));
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  AWAIT (program_do (&program, 'q') == 'n', g_usleep (10000));
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

TESTS ("/live/live")
