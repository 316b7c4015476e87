/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where live files lie, and what else may lie there. */

#include "live-program.h"

#define NOBODY 65534

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

/* Without a runtime folder of our own, or in a session without the one that its reader has made, it lies in the
 * store. */
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

TESTS ("/live/places")
