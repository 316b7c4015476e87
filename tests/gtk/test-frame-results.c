/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GTK 4.24 says what became of a frame. Here this program says it, by the same two functions, which the plug-in
 * finds by name: a frame that was skipped leaves the next one without a display that could have been late, and one that
 * was discarded is counted as never shown. */

#include "scene.h"

typedef enum { PREPARING, SKIPPED, EMPTY, SUBMITTED, OUTSTANDING, DISCARDED, PRESENTED } Result;

/* By other names, since the headers of GTK 4.24 have these. */
GType get_result_type (void) __asm__ ("gdk_frame_result_get_type");
int   get_result      (GdkFrameTimings *timings) __asm__ ("gdk_frame_timings_get_result");

static Result result;
static guint n_asked, n_animating, n_unpaced, n_unseen;

/* In another order than GTK's today: only nicks are a promise. */
G_MODULE_EXPORT GType
get_result_type (void)
{
  static const GEnumValue values[] = {
    { 10 + PREPARING, "GDK_FRAME_PREPARING", "preparing" }, { 10 + SKIPPED, "GDK_FRAME_SKIPPED", "skipped" },
    { 10 + EMPTY, "GDK_FRAME_EMPTY", "empty" }, { 10 + SUBMITTED, "GDK_FRAME_SUBMITTED", "submitted" },
    { 10 + OUTSTANDING, "GDK_FRAME_OUTSTANDING", "outstanding" },
    { 10 + DISCARDED, "GDK_FRAME_DISCARDED", "discarded" }, { 10 + PRESENTED, "GDK_FRAME_PRESENTED", "presented" },
    { 0, NULL, NULL },
  };
  static GType type;

  if (type == 0)
    type = g_enum_register_static ("GdkFrameResult", values);
  return type;
}

G_MODULE_EXPORT int
get_result (GdkFrameTimings *timings)
{
  g_assert_nonnull (timings);
  n_asked++;
  return 10 + (int) result;
}

static void
frame_cb (gpointer data, const JankFrameEvent *event, const JankFrameVerdict *verdict)
{
  if (!(event->flags & JANK_FRAME_ANIMATING))
    return;
  n_animating++;
  n_unpaced += (event->flags & JANK_FRAME_UNPACED) != 0;
  n_unseen += (event->flags & JANK_FRAME_UNSEEN) != 0;
}

TEST (skipped)
{
  g_autoptr (Scene) scene = scene_new_started (GTK_TYPE_WINDOW);

  scene_animate (scene);
  for (result = PREPARING; result <= PRESENTED; result++)
    {
      scene_run_frames (scene, 3);
      n_asked = n_animating = n_unpaced = n_unseen = 0;
      scene_run_frames (scene, 10);
      g_test_message ("result %d: %u frames, %u of them paced by no display", (int) result, n_animating, n_unpaced);
      g_assert_cmpuint (n_animating, >, 5);
      g_assert_cmpuint (n_asked, >=, n_animating);
      g_assert_cmpuint (n_unpaced, ==, result == SKIPPED ? n_animating : 0);
      g_assert_cmpuint (n_unseen, ==, result == DISCARDED ? n_animating : 0);
    }
}

int
main (int argc, char **argv)
{
  host.on_frame = frame_cb;
  return scene_main (argc, argv, "/gtk/frame-results");
}
