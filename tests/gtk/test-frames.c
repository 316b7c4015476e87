/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Are all frames seen, and is each late one found and none invented? The truth is what the program measures
 * itself, in handlers on its own frame clock: on a busy machine frames are late that nobody planned. */

#include "scene.h"

#include "base/jank-clock-private.h"

/* As many as a busy machine draws in a quarter of a minute. */
#define N_DRAWN 50

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
  guint64 before = read_summary ()->total.counts.frames;
  guint own_before = scene->n_frames;

  scene_animate (scene);
  scene_run_frames (scene, N_DRAWN);
  scene_rest (scene);
  g_test_message ("%u frames", scene->n_frames - own_before);
  g_assert_cmpuint (read_summary ()->total.counts.frames - before, ==, scene->n_frames - own_before);
}

/* An animation that changes only every third time: the clock runs all the same. */
TEST (undrawn)
{
  g_autoptr (Scene) scene = scene_new_started (GTK_TYPE_WINDOW);
  guint n_drawn = scene->n_frames, n_cycles = scene->begins_ns->len;
  const JankFrameNumbers *total = &read_summary ()->total;
  guint64 frames = total->counts.frames, late = total->counts.late, judged = read_merged ()->totals.n_judged;

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
  g_assert_cmpuint (total->counts.frames - frames, ==, n_drawn);
  g_assert_cmpuint (judged, <=, n_drawn + total->counts.late - late);
}

/* Of the intervals that the program saw itself: those that are longer than is on time, by so much or more. */
static guint
count_own_late (Scene *scene, guint first, guint end, gint64 refresh_ns, gint64 more_ns)
{
  guint n = 0;

  for (guint i = first + 1; i < end; i++)
    {
      const gint64 *begin_ns = &g_array_index (scene->begins_ns, gint64, i);

      n += begin_ns[0] - begin_ns[-1] > refresh_ns * 3 / 2 + more_ns;
    }
  return n;
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
  guint first, end, n_found = 0, n_surely, n_maybe, n_display, throttled;
  int refresh_ms;

  scene_animate (scene);
  run_ms (500);
  before = read_summary ()->total;
  refresh_ms = (int) (refresh_of (read_summary ()) / JANK_NS_PER_MS) + 1;
  first = scene->begins_ns->len;
  for (guint i = 0; i < G_N_ELEMENTS (late_by_ms); i++)
    scene_plan (scene, 20 + 15 * i, refresh_ms + late_by_ms[i]);
  while (scene->n_ticks < scene->work->len + 15)
    {
      run_ms (100);
      n_found += count_found (scene, refresh_of (read_summary ()));
    }
  end = scene->begins_ns->len;
  scene_rest (scene);

  summary = read_summary ();
  n_surely = count_own_late (scene, first, end, refresh_of (summary), NEAR_NS);
  n_maybe = count_own_late (scene, first, end, refresh_of (summary), -NEAR_NS);
  n_display = count_display_own (scene, refresh_of (summary));
  /* What a display on a busy machine keeps waiting for long is throttled: not late. */
  throttled = (guint) (summary->total.counts.throttled - before.counts.throttled);
  g_test_message ("%u planned, %u measured by the program, %u found, of them %u the compositor's, %u throttled; "
                  "fps %.1f, hitches %.1f ms/s", (guint) G_N_ELEMENTS (late_by_ms), n_surely,
                  (guint) (summary->total.counts.late - before.counts.late),
                  (guint) (summary->total.counts.late_compositor - before.counts.late_compositor), throttled,
                  summary->total.fps, summary->total.hitch_ms_per_s);
  g_assert_cmpuint (n_found + n_display + throttled, >=, G_N_ELEMENTS (late_by_ms));
  g_assert_cmpuint (summary->total.counts.late - before.counts.late + throttled, >=, n_surely);
  g_assert_cmpuint (summary->total.counts.late_program - before.counts.late_program, <=, n_maybe);
  /* The last one is. */
  g_assert_cmpuint (summary->total.counts.frozen - before.counts.frozen + n_display + throttled, >=, 1);
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
  late = read_summary ()->total.counts.late_program;
  judged = read_merged ()->totals.n_judged;
  for (int i = 1; i <= 2; i++)
    {
      g_autofree char *text = g_strdup_printf ("%d", i);

      run_ms (1000);
      be_busy_ms (40);
      gtk_label_set_text (GTK_LABEL (label), text);
    }
  run_ms (200);
  g_test_message ("%u intervals judged", (guint) (read_merged ()->totals.n_judged - judged));
  g_assert_cmpuint (read_summary ()->total.counts.late_program, ==, late);
}

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
