/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Are all frames seen, and is each late one found and none invented? The truth is what the program measures
 * itself, in handlers on its own frame clock: on a busy machine frames are late that nobody planned. */

#include "scene.h"

#include <math.h>

#include "base/jank-clock-private.h"

/* As many as a busy machine draws in half a minute. */
#define N_DRAWN 100

/* The hook and the program's own handler read the time one after the other. */
#define NEAR_NS (JANK_NS_PER_MS)

static gint64
refresh_of (const JankFrameSummary *summary)
{
  return summary->total.refresh_ns > 0 ? summary->total.refresh_ns : JANK_FRAME_ASSUMED_REFRESH_NS;
}

TEST (every_frame)
{
  g_autoptr (Scene) scene = scene_new_started (GTK_TYPE_WINDOW);
  guint64 before = read_summary ()->total.frames;
  guint own_before = scene->n_frames;

  scene_animate (scene);
  scene_run_frames (scene, N_DRAWN);
  scene_rest (scene);
  g_test_message ("%u frames", scene->n_frames - own_before);
  g_assert_cmpuint (read_summary ()->total.frames - before, ==, scene->n_frames - own_before);
}

/* An animation that changes only every third time: the clock runs all the same. */
TEST (undrawn)
{
  g_autoptr (Scene) scene = scene_new_started (GTK_TYPE_WINDOW);
  guint n_drawn = scene->n_frames, n_cycles = scene->begins_ns->len;
  const JankFrameNumbers *total = &read_summary ()->total;
  guint64 frames = total->frames, late = total->late, judged = read_merged ()->totals.n_judged;

  scene->n_per_drawn = 3;
  scene_animate (scene);
  scene_run_frames (scene, N_DRAWN);
  scene_rest (scene);
  n_drawn = scene->n_frames - n_drawn;
  n_cycles = scene->begins_ns->len - n_cycles;
  judged = read_merged ()->totals.n_judged - judged;
  g_test_message ("%u cycles, %u frames, %u intervals judged; %.1f frames/s", n_cycles, n_drawn, (guint) judged,
                  total->fps_now);
  g_assert_cmpuint (n_cycles, >, 2 * n_drawn);
  g_assert_cmpuint (total->frames - frames, ==, n_drawn);
  g_assert_cmpuint (judged, <=, n_drawn + total->late - late);
}

typedef struct
{
  guint  n_late, n_frozen;
  gint64 n_dropped;
} OwnCount;

/* Of the intervals that the program saw itself: what is surely late, and what may be called so. */
static void
count_own_late (Scene *scene, guint first, guint end, gint64 refresh_ns, OwnCount *ret_surely, OwnCount *ret_maybe)
{
  *ret_surely = *ret_maybe = (OwnCount) { 0 };
  for (guint i = first + 1; i < end; i++)
    {
      const gint64 *begin_ns = &g_array_index (scene->begins_ns, gint64, i);
      gint64 interval_ns = begin_ns[0] - begin_ns[-1];

      ret_surely->n_frozen += interval_ns > JANK_FRAME_FROZEN_NS + NEAR_NS;
      ret_maybe->n_frozen += interval_ns > JANK_FRAME_FROZEN_NS - NEAR_NS;
      if (interval_ns > refresh_ns * 3 / 2 + NEAR_NS)
        {
          ret_surely->n_late++;
          ret_surely->n_dropped += llround ((double) (interval_ns - NEAR_NS) / (double) refresh_ns) - 1;
        }
      if (interval_ns > refresh_ns * 3 / 2 - NEAR_NS)
        {
          ret_maybe->n_late++;
          ret_maybe->n_dropped += llround ((double) (interval_ns + NEAR_NS) / (double) refresh_ns) - 1;
        }
    }
}

/* Counts the planned frames that are among the late ones, by when they worked: the program's part of a lateness is
 * at least that work. Each is counted once; the list is short. */
static guint
count_found (Scene *scene, gint64 refresh_ns)
{
  const JankFrameSnapshot *snapshot = read_merged ();
  guint n = 0;

  for (guint i = 0; i < scene->work->len; i++)
    {
      SceneWork *work = &g_array_index (scene->work, SceneWork, i);

      for (guint k = 0; work->ended_ns > 0 && k < snapshot->n_late; k++)
        {
          const JankFrameVerdict *verdict = &snapshot->late[k];

          if (verdict->began_ns <= work->began_ns && verdict->ended_ns >= work->ended_ns &&
              verdict->program_ns >= work->ended_ns - work->began_ns - refresh_ns)
            {
              *work = (SceneWork) { 0 };
              n++;
            }
        }
    }
  return n;
}

/* Of the planned frames that were not found: those that waited for a busy display longer than they were late by their
 * own work. They are the compositor's. */
static guint
count_display_own (Scene *scene, gint64 refresh_ns)
{
  guint n = 0;

  for (guint i = 0; i < scene->work->len; i++)
    {
      const SceneWork *work = &g_array_index (scene->work, SceneWork, i);

      for (guint k = 1; work->ended_ns > 0 && k < scene->begins_ns->len; k++)
        {
          const gint64 *next_ns = &g_array_index (scene->begins_ns, gint64, k);

          if (next_ns[-1] <= work->began_ns && next_ns[0] >= work->ended_ns)
            n += next_ns[0] - work->ended_ns > work->ended_ns - work->began_ns - 2 * refresh_ns;
        }
    }
  return n;
}

TEST (known_lateness)
{
  static const int late_by_ms[] = { 20, 50, 120, 300, 800 };
  g_autoptr (Scene) scene = scene_new_started (GTK_TYPE_WINDOW);
  JankFrameNumbers before;
  const JankFrameSummary *summary;
  OwnCount surely, maybe;
  guint first, end, n_found = 0, n_display;
  int refresh_ms;
  gint64 throttled_ns, slack;
  guint64 throttled;

  scene_animate (scene);
  run_ms (500);
  before = read_summary ()->total;
  refresh_ms = (int) (refresh_of (read_summary ()) / JANK_NS_PER_MS) + 1;
  first = scene->begins_ns->len;
  for (guint i = 0; i < G_N_ELEMENTS (late_by_ms); i++)
    scene_plan (scene, 20 + 30 * i, refresh_ms + late_by_ms[i]);
  while (scene->n_ticks < scene->work->len + 30)
    {
      run_ms (100);
      n_found += count_found (scene, refresh_of (read_summary ()));
    }
  end = scene->begins_ns->len;
  scene_rest (scene);

  summary = read_summary ();
  count_own_late (scene, first, end, refresh_of (summary), &surely, &maybe);
  g_test_message ("%u planned, %u measured by the program, %u found, of them %u the compositor's; "
                  "%u dropped where the program counts %d to %d; fps %.1f, hitches %.1f ms/s",
                  (guint) G_N_ELEMENTS (late_by_ms), surely.n_late, (guint) (summary->total.late - before.late),
                  (guint) (summary->total.late_compositor - before.late_compositor),
                  (guint) (summary->total.dropped - before.dropped), (int) surely.n_dropped, (int) maybe.n_dropped,
                  summary->total.fps, summary->total.hitch_ms_per_s);
  n_display = count_display_own (scene, refresh_of (summary));
  /* What a display on a busy machine keeps waiting for long is throttled: not late, and has dropped nothing. */
  throttled = summary->total.throttled - before.throttled;
  g_assert_cmpuint (n_found + n_display + throttled, >=, G_N_ELEMENTS (late_by_ms));
  g_assert_cmpuint (summary->total.late - before.late + throttled, >=, surely.n_late);
  g_assert_cmpuint (summary->total.late_program - before.late_program, <=, maybe.n_late);
  g_assert_cmpuint (summary->total.frozen - before.frozen + throttled, >=, surely.n_frozen);
  g_assert_cmpuint (summary->total.frozen - before.frozen, <=, maybe.n_frozen);
  throttled_ns = summary->total.throttled_ns - before.throttled_ns;
  /* What took the CPU for another frame may have done so between our clock and the scene's: one is rounded up. */
  slack = 1 + MAX ((gint64) maybe.n_late - (gint64) G_N_ELEMENTS (late_by_ms), 0);
  g_assert_cmpint ((gint64) (summary->total.dropped - before.dropped) + throttled_ns / refresh_of (summary), >=,
                   surely.n_dropped - slack - (gint64) throttled);
  g_assert_cmpint ((gint64) (summary->total.dropped - before.dropped), <=, maybe.n_dropped + slack);
}

/* An idle program that is slow to answer a click: its frames have nothing to be late for. */
TEST (clicks)
{
  g_autoptr (Scene) scene = scene_new_started (GTK_TYPE_WINDOW);
  GtkWidget *label = gtk_label_new ("0");
  guint64 late, judged;

  scene_set_child (scene, label);
  run_ms (500);
  gtk_label_set_text (GTK_LABEL (label), "-");
  run_ms (500);
  late = read_summary ()->total.late_program;
  judged = read_merged ()->totals.n_judged;
  for (int i = 1; i <= 4; i++)
    {
      g_autofree char *text = g_strdup_printf ("%d", i);

      run_ms (1000);
      be_busy_ms (40);
      gtk_label_set_text (GTK_LABEL (label), text);
    }
  run_ms (200);
  g_test_message ("%u intervals judged", (guint) (read_merged ()->totals.n_judged - judged));
  g_assert_cmpuint (read_summary ()->total.late_program, ==, late);
}

/* Less than a refresh of any display here, and than three. */

TEST (display)
{
  JankGtkToolkit toolkit;

  plugin->get_toolkit (&toolkit);
  g_test_message ("%s, presentation times: %s, %.2f Hz%s", toolkit.renderer,
                  toolkit.has_presentation ? "yes" : "no", 1e9 / (double) refresh_of (read_summary ()),
                  read_summary ()->total.refresh_assumed ? " (assumed)" : "");
  if (GTK_MAJOR_VERSION >= 4)
    g_assert_true (g_str_has_prefix (toolkit.renderer, "Gsk"));
  else
    g_assert_cmpstr (toolkit.renderer, ==, "cairo");
  g_assert_cmpint (toolkit.has_presentation, ==, !scene_is_x11 ());
}

SCENE_TESTS ("/gtk/frames")
