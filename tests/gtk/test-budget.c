/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A frame is made late by work in one of its phases or behind it: what it had too much is the part of that work behind
 * its deadline. With -m perf, on a machine that does nothing else, a hundred are played again with so much less, and
 * then are on time. */

#include "scene.h"

#include <math.h>

#include "base/jank-clock-private.h"

#define N_TRIES     20
#define N_BEFORE    2 /* frames on time before the one that is played */
/* Of a frame without work of ours, and of what the machine may add. */
#define OTHERS_NS   (4 * JANK_NS_PER_MS)

static const struct { const char *signal; JankFramePhase phase; } places[] = {
  { "before-paint", JANK_FRAME_BEFORE_PAINT }, { "update", JANK_FRAME_UPDATE }, { "paint", JANK_FRAME_PAINT },
  { "after-paint", JANK_FRAME_AFTER_PAINT }, { NULL, JANK_FRAME_BETWEEN },
};

typedef struct
{
  guint           place;
  gint64          work_ns;  /* 0: none is planned */
  guint           offset_ms;
  guint           n_calm;   /* frames on time in a row, so far */
  gint64          began_ns, ended_ns; /* the work; 0: not yet */
  gboolean        is_judged;
  JankFrameVerdict verdict; /* of the interval with the work */
} Play;

static Play play;

static void
work (void)
{
  play.began_ns = jank_clock_now_ns ();
  do
    play.ended_ns = jank_clock_now_ns ();
  while (play.ended_ns < play.began_ns + play.work_ns);
}

static gboolean
between_cb (gpointer data)
{
  work ();
  return G_SOURCE_REMOVE;
}

static gboolean
is_due (void)
{
  return play.work_ns > 0 && play.began_ns == 0 && play.n_calm >= N_BEFORE;
}

static void
phase_cb (GdkFrameClock *clock, gpointer data)
{
  guint place = GPOINTER_TO_UINT (data);

  if (!is_due () || play.place != place)
    return;
  if (places[place].signal != NULL)
    {
      work ();
      return;
    }
  play.n_calm = 0;
  g_timeout_add_full (G_PRIORITY_HIGH, play.offset_ms, between_cb, NULL, NULL);
}

/* The frame before the one that begins now had the work, or it was behind that frame. */
static void
frame_cb (gpointer data, const JankFrameEvent *event, const JankFrameVerdict *verdict)
{
  if (verdict != NULL && verdict->who == JANK_FRAME_ON_TIME && play.began_ns == 0)
    play.n_calm++;
  else
    play.n_calm = 0;
  if (play.began_ns != 0 && !play.is_judged && verdict != NULL && verdict->began_ns <= play.began_ns &&
      verdict->ended_ns > play.began_ns)
    {
      play.verdict = *verdict;
      play.is_judged = TRUE;
    }
}

/* Returns: FALSE: the machine did more than that. */
static gboolean
run (Scene *scene, guint place, guint offset_ms, gint64 work_ns)
{
  play = (Play) { .place = place, .offset_ms = offset_ms, .work_ns = work_ns };
  for (guint i = 0; i < 400 && !play.is_judged; i++)
    run_ms (5);
  return play.is_judged && play.verdict.busy_ns < work_ns + OTHERS_NS;
}

static Scene *
begin (void)
{
  Scene *scene = scene_new_started (GTK_TYPE_WINDOW);

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    g_signal_connect (scene->clock, places[i].signal != NULL ? places[i].signal : "after-paint", G_CALLBACK (phase_cb),
                      GUINT_TO_POINTER (i));
  scene_animate (scene);
  scene_run_frames (scene, 30);
  return scene;
}

/* Other work of the machine makes both larger. */
static void
check_over (void)
{
  gint64 deadline_ns = jank_frame_deadline_ns (play.verdict.began_ns, play.verdict.refresh_ns);

  g_test_message ("%s: over by %.1f ms, at least %.1f ms of them ours",
                  places[play.place].signal != NULL ? places[play.place].signal : "between",
                  (double) play.verdict.over_ns / 1e6,
                  (double) (play.ended_ns - MAX (play.began_ns, deadline_ns)) / 1e6);
  g_assert_cmpint (play.verdict.over_ns, >=, play.ended_ns - MAX (play.began_ns, deadline_ns) - JANK_NS_PER_MS);
  g_assert_cmpint (play.verdict.over_ns, <=, play.verdict.ended_ns - deadline_ns);
}

TEST (over)
{
  Scene *scene = begin ();
  guint n = 0;

  for (guint place = 0; place < G_N_ELEMENTS (places); place++)
    for (guint tries = 0; tries < N_TRIES && n <= place; tries++)
      {
        run (scene, place, 6, 60 * JANK_NS_PER_MS);
        if (!play.is_judged || play.verdict.who != JANK_FRAME_LATE_PROGRAM)
          continue;
        /* A display that kept the frame waiting besides: no saving would do. */
        if (play.verdict.over_ns == 0 && tries < N_TRIES - 1)
          continue;
        check_over ();
        n++;
      }
  scene_free (scene);
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (places));
}

TEST (replays)
{
  guint n_wanted = 100, n = 0, n_on_time = 0, n_phase = 0, n_half_late = 0, n_halves = 0;
  guint n_of[G_N_ELEMENTS (places)] = { 0 };
  g_autoptr (GRand) random = g_rand_new_with_seed (29);
  Scene *scene;

  if (!g_test_perf ())
    return;
  scene = begin ();
  for (guint tries = 0; tries < 6 * n_wanted && n < n_wanted; tries++)
    {
      guint place = tries % G_N_ELEMENTS (places);
      guint offset_ms = (guint) g_rand_int_range (random, 1, 12);
      gint64 work_ns = g_rand_int_range (random, 28, 90) * JANK_NS_PER_MS;
      JankFrameVerdict late;

      if (!run (scene, place, offset_ms, work_ns) || play.verdict.who != JANK_FRAME_LATE_PROGRAM ||
          play.verdict.over_ns == 0)
        continue;
      late = play.verdict;
      if (!run (scene, place, offset_ms, work_ns - late.over_ns))
        continue;
      n++;
      n_of[place]++;
      n_on_time += play.verdict.who == JANK_FRAME_ON_TIME;
      n_phase += late.busiest == places[place].phase && late.busiest_ns >= late.over_ns;
      if (play.verdict.who != JANK_FRAME_ON_TIME)
        g_test_message ("%s + %u ms: %.1f ms of work, over by %.1f ms; played again for %.1f ms: %.1f ms, busy for "
                        "%.1f ms",
                        places[place].signal != NULL ? places[place].signal : "between", offset_ms,
                        (double) work_ns / 1e6,
                        (double) late.over_ns / 1e6, (double) (work_ns - late.over_ns) / 1e6,
                        (double) play.verdict.interval_ns / 1e6, (double) play.verdict.busy_ns / 1e6);
      if (run (scene, place, offset_ms, work_ns - late.over_ns / 2))
        {
          n_halves++;
          n_half_late += play.verdict.who != JANK_FRAME_ON_TIME;
        }
    }
  g_test_message ("of %u late frames on time with so much less work: %u; with half as much less late: %u of %u; phase "
                  "right: %u",
                  n, n_on_time, n_half_late, n_halves, n_phase);
  scene_free (scene);
  g_assert_cmpuint (n, ==, n_wanted);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    g_test_message ("%s: %u", places[i].signal != NULL ? places[i].signal : "between", n_of[i]);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    g_assert_cmpuint (n_of[i], >, 0);
  g_assert_cmpuint (n_phase, >=, n * 9 / 10);
  g_assert_cmpuint (n_on_time, >=, n * 95 / 100);
}

int
main (int argc, char **argv)
{
  host.on_frame = frame_cb;
  /* GL in software would be late by itself. */
  g_setenv ("GSK_RENDERER", "cairo", TRUE);
  return scene_main (argc, argv, "/gtk/budget");
}
