/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "wait-stage.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "wait/jank-mounts-private.h"
#include "look.h"

#define N_ROUNDS 20

char wait_buffer[1 << 20];

Stage *
stage_new (void)
{
  Stage *self = g_new0 (Stage, 1);
  g_autoptr (GError) error = NULL;

  memset (self->fds, 0xff, sizeof self->fds);
  self->folder = g_dir_make_tmp ("jank-wait-XXXXXX", &error);
  g_assert_no_error (error);
  self->path = g_build_filename (self->folder, "the file", NULL);
  g_assert_true (jank_mounts_find_path (self->folder, self->filesystem, sizeof self->filesystem));
  return self;
}

void
stage_free (Stage *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->fds); i++)
    if (self->fds[i] >= 0)
      close (self->fds[i]);
  if (self->child > 0)
    {
      kill (self->child, SIGKILL);
      waitpid (self->child, NULL, 0);
    }
  if (self->page != NULL)
    munmap (self->page, 4096);
  g_unlink (self->path);
  g_rmdir (self->folder);
  g_free (self->path);
  g_free (self->folder);
  g_free (self->target);
  g_free (self->detail);
  g_free (self);
}

void
wait_block_read_100 (Stage *stage)
{
  g_assert_cmpint (read (stage->fds[0], wait_buffer, 100), ==, 1);
}

void
wait_release_pipe (Stage *stage)
{
  g_assert_cmpint (write (stage->fds[1], "x", 1), ==, 1);
}

typedef struct
{
  const Scene *scene;
  Stage       *stage;
} Play;

static void
play_func (Worker *worker, gpointer data)
{
  Play *play = data;

  play->scene->block (play->stage);
}

static int
compare_costs (const void *a, const void *b)
{
  const gint64 *one = a, *other = b;

  return (*one > *other) - (*one < *other);
}

static void
test_scene (gconstpointer data)
{
  const Scene *scene = data;
  gint64 costs_ns[N_ROUNDS];

  for (guint round = 0; round < N_ROUNDS; round++)
    {
      Play play = { scene, stage_new () };
      g_autoptr (JankWait) wait = NULL;
      Worker *worker;
      Look look;

      scene->set_up (play.stage);
      worker = worker_new (play_func, &play);
      wait = look_at (worker, scene->number, &look);
      g_assert_nonnull (wait);
      g_assert_cmpstr (wait->detail, ==, play.stage->detail);
      g_assert_cmpstr (jank_wait_kind_to_nick (wait->kind), ==, jank_wait_kind_to_nick (scene->kind));
      g_assert_cmpstr (wait->target, ==, play.stage->target != NULL ? play.stage->target : "");
      g_assert_cmpint (wait->syscall, ==, scene->number);
      g_assert_cmpint (wait->n_bytes, ==, scene->n_bytes);
      g_assert_cmpint (wait->timeout_ns, ==, scene->timeout_ns);
      g_assert_cmpint (wait->peer_pid, ==, play.stage->peer_pid);
      costs_ns[round] = look.wait_ns;
      scene->release (play.stage);
      worker_free (worker);
      /* The worker has waited for it. */
      if (scene->kind == JANK_WAIT_CHILD)
        play.stage->child = 0;
      stage_free (play.stage);
    }
  qsort (costs_ns, N_ROUNDS, sizeof costs_ns[0], compare_costs);
  g_test_message ("jank_wait_new(): %" G_GINT64_FORMAT " us", costs_ns[N_ROUNDS / 2] / 1000);
}

void
wait_add_scenes (const Scene *scenes, guint n_scenes)
{
  signal (SIGPIPE, SIG_IGN);
  for (guint i = 0; i < n_scenes; i++)
    {
      g_autofree char *path = g_strconcat ("/wait/wait/scene/", scenes[i].name, NULL);

      g_test_add_data_func (path, &scenes[i], test_scene);
    }
}
