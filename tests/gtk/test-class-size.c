/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A GTK whose frame clock class has a size that nobody knows yet: here the program says so, by a function that the
 * plug-in finds in it. Nothing of that class may be replaced, even for a moment, and frames are counted all the
 * same. */

#include "scene.h"

#include <dlfcn.h>
#include <string.h>

static guint n_asked;

G_MODULE_EXPORT void
g_type_query (GType type, GTypeQuery *query)
{
  void (*next) (GType, GTypeQuery *) = (void (*) (GType, GTypeQuery *)) dlsym (RTLD_NEXT, "g_type_query");

  next (type, query);
  if (type != GDK_TYPE_FRAME_CLOCK)
    return;
  query->class_size += 8 * sizeof (gpointer);
  n_asked++;
}

TEST (unknown)
{
  gpointer klass = g_type_class_ref (g_type_from_name ("GdkFrameClockIdle"));
  guint8 before[256], after[256];
  GTypeQuery query;
  guint64 frames;
  Scene *scene;

  g_type_query (GDK_TYPE_FRAME_CLOCK, &query);
  query.class_size -= 8 * sizeof (gpointer);
  g_assert_cmpuint (query.class_size, <=, sizeof before);
  memcpy (before, klass, query.class_size);
  n_asked = 0;

  scene = scene_new (GTK_TYPE_WINDOW);
  frames = read_summary ()->total.counts.frames;
  scene_animate (scene);
  scene_run_frames (scene, 20);
  scene_rest (scene);

  g_assert_cmpuint (n_asked, >, 0);
  g_assert_cmpuint (read_summary ()->total.counts.frames - frames, >=, 20);
  memcpy (after, klass, query.class_size);
  g_assert_cmpmem (before, query.class_size, after, query.class_size);
  scene_free (scene);
  g_type_class_unref (klass);
}

SCENE_TESTS ("/gtk/class-size")
