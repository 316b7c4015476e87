/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A GTK 3 whose frame clocks have a class of another size: their functions are left alone, and frames are counted
 * all the same. This program's g_type_query() stands before GObject's, also for the plug-in. */

#include "scene.h"

#include <dlfcn.h>

static guint real_bytes;

void
g_type_query (GType type, GTypeQuery *query)
{
  void (*real) (GType type, GTypeQuery *query) = (void (*) (GType, GTypeQuery *)) dlsym (RTLD_NEXT, "g_type_query");

  real (type, query);
  if (type != GDK_TYPE_FRAME_CLOCK)
    return;
  real_bytes = query->class_size;
  query->class_size += sizeof (gpointer);
}

TEST (size)
{
  GdkFrameClock *clock = g_object_new (g_type_from_name ("GdkFrameClockIdle"), NULL);
  g_autofree guint8 *before = NULL;
  GTypeQuery query;
  Scene *scene;
  guint64 frames;

  g_type_query (GDK_TYPE_FRAME_CLOCK, &query);
  before = g_memdup2 (G_OBJECT_GET_CLASS (clock), real_bytes);
  scene = scene_new (GTK_TYPE_WINDOW);
  frames = read_summary ()->total.counts.frames;
  scene_animate (scene);
  scene_run_frames (scene, 30);
  g_assert_cmpmem (before, real_bytes, G_OBJECT_GET_CLASS (clock), real_bytes);
  g_assert_cmpuint (read_summary ()->total.counts.frames - frames, >=, 30);
  scene_free (scene);
  g_object_unref (clock);
}

SCENE_TESTS ("/gtk3/unknown")
