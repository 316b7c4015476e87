/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include <glib.h>

#include "frame-generator.h"
#include "test.h"

#define HZ_60 INT64_C (16666667)

typedef struct
{
  JankFrameMeter   stats;
  Generator        generator;
  JankFrameNumbers numbers;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  generator_init (&fixture->generator, &fixture->stats, HZ_60, 21);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  generator_clear (&fixture->generator);
}

/* What is played, so often, and then once, and the figures after that. A number is so many frames; with u, l, p or b
 * behind it, so many ms of work in the update, the layout, the paint, or behind the frame; w a wait of so many ms, i a
 * rest, s a stop, r a refresh interval of so many Hz, t one that is told. F and letters: flags from then on. */
typedef struct
{
  const char *name;
  guint       n;
  const char *played, *then, *figures;
} Case;

static const Case cases[] = {
  /* A click now and then, each with its work and its one frame. */
  { "idle-clicks", 25, "0u i1000 40l i1000 120p i1000 360b i1000", "", "100 frames" },
  /* Short animations between long rests: only they are active time. */
  { "idle-between", 50, "30 50u 1 i3000", "",
    "1600 frames, 50 late, 150 dropped, 150 by it, 50 slow, 55 fps, 54 now, 88 ms/s" },
  { "fps-needs-a-second", 1, "58", "", "58 frames" },
  { "fps", 1, "58", "5", "63 frames, 60 fps, 60 now" },
  { "fps-24", 1, "r24 26", "", "26 frames, 24 fps, 24 now" },
  { "fps-144", 1, "r144 158", "", "158 frames, 144 fps, 144 now" },
  /* The ring is just long enough. */
  { "fps-1000", 1, "r1000 1100", "", "1100 frames, 1000 fps, 1000 now" },
  { "startup", 1, "FS 900l 90p F 100", "", "102 frames, 2 at start-up, 60 fps, 60 now" },
  { "overlay", 10, "F 20 FO 300p", "F 20", "220 frames, 10 excluded, 60 fps, 60 now" },
  { "inspector", 10, "F 20 FI 300p", "F 20", "220 frames, 10 excluded, 60 fps, 60 now" },
  { "compositor-late", 30, "20 w40", "20",
    "650 frames, 30 by the compositor, 60 dropped, 55 fps, 56 now, 85 ms/s of the compositor" },
  /* The GPU makes half the rate, for good: its doing, and no throttling. An idle clock will not take it back. */
  { "compositor-always-late", 300, "w16", "i1000 1",
    "301 frames, 299 by the compositor, 299 dropped, 30 fps, 30 now, 500 ms/s of the compositor" },
  /* Without a browser: said to be 30 Hz, ticks once a second. What a program does then is late for nobody. */
  { "broadway", 60, "r30 w990", "600b w990 600b w990", "64 frames, 63 throttled" },
  /* Slower than one that shows anything, not as slow as one that hides it; and shown again. */
  { "throttled", 40, "w180", "", "40 frames, 39 throttled" },
  { "shown-again", 40, "w180", "100 w180 100",
    "241 frames, 1 by the compositor, 11 dropped, 40 throttled, 57 fps, 60 now, 52 ms/s of the compositor" },
  { "hidden", 10, "100 w60000", "100", "1110 frames, 10 throttled, 60 fps, 60 now" },
  { "stopped", 1, "100 s400 100", "", "200 frames, 60 fps, 60 now" },
  /* Frames that change nothing: no display paces them, the toolkit's timer does, at 60 Hz. */
  { "unpaced", 1, "t144 FU 300", "", "300 frames, 60 fps, 60 now" },
  { "unpaced-late", 1, "t144 FU 300", "120u 2",
    "303 frames, 1 late, 7 dropped, 7 by it, 1 slow, 59 fps, 53 now, 23 ms/s" },
  /* The clock of a film of 20 pictures a second runs 60 times; for long it paints none. */
  { "undrawn", 100, "F 1 FN 2", "300 120u 10 F 2", "102 frames, 20 fps, 21 now" },
  /* What such a cycle does delays the next frame all the same. */
  { "undrawn-late", 100, "F 1 FN 2", "120u F 2",
    "102 frames, 1 late, 7 dropped, 7 by it, 1 slow, 20 fps, 18 now, 23 ms/s" },
};

static void
play (Generator *generator, const char *played)
{
  g_auto (GStrv) words = g_strsplit (played, " ", -1);

  for (guint i = 0; words[i] != NULL; i++)
    {
      const char *word = words[i];
      char *end;
      gint64 n = g_ascii_strtoll (g_ascii_isdigit (word[0]) ? word : word + 1, &end, 10);
      const char *phase = end != word && *end != '\0' ? strchr ("ulpb", *end) : NULL;

      if (word[0] == 'F')
        generator->flags = (strchr (word, 'S') != NULL ? JANK_FRAME_STARTUP : 0) |
                           (strchr (word, 'O') != NULL ? JANK_FRAME_OVERLAY_ONLY : 0) |
                           (strchr (word, 'I') != NULL ? JANK_FRAME_INSPECTOR : 0) |
                           (strchr (word, 'U') != NULL ? JANK_FRAME_UNPACED : 0) |
                           (strchr (word, 'N') != NULL ? JANK_FRAME_UNDRAWN : 0);
      else if (word[0] == 'w')
        generator_wait (generator, n * MS);
      else if (word[0] == 'i')
        generator_idle (generator, n * MS);
      else if (word[0] == 'r')
        generator_set_hz (generator, (double) n);
      else if (word[0] == 't')
        generator->told_ns = JANK_NS_PER_S / n;
      else if (word[0] == 's')
        {
          generator->tick_ns += n * MS;
          generator->begin_ns += n * MS;
          generator->gap_idle_ns = n * MS;
        }
      else if (phase != NULL)
        generator_frame (generator, n * MS,
                         ((JankFramePhase[]) { JANK_FRAME_UPDATE, JANK_FRAME_LAYOUT, JANK_FRAME_PAINT,
                                               JANK_FRAME_BETWEEN })[phase - "ulpb"]);
      else
        generator_frames (generator, (guint) n);
    }
}

static void
append_figure (GString *text, double figure, const char *name)
{
  if (figure > 0)
    g_string_append_printf (text, "%s%.0f %s", text->len > 0 ? ", " : "", figure, name);
}

static void
test_case (Fixture *fixture, gconstpointer data)
{
  const Case *one = data;
  const JankFrameNumbers *numbers = &fixture->numbers;
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < one->n; i++)
    play (&fixture->generator, one->played);
  play (&fixture->generator, one->then);
  read_figures (&fixture->stats, &fixture->numbers);
  append_figure (text, (double) numbers->counts.frames, "frames");
  append_figure (text, (double) numbers->counts.startup_frames, "at start-up");
  append_figure (text, (double) numbers->counts.excluded_frames, "excluded");
  append_figure (text, (double) numbers->counts.late_program, "late");
  append_figure (text, (double) numbers->counts.late_compositor, "by the compositor");
  append_figure (text, (double) numbers->counts.dropped, "dropped");
  append_figure (text, (double) numbers->counts.dropped_program, "by it");
  append_figure (text, (double) numbers->counts.slow, "slow");
  append_figure (text, (double) numbers->counts.throttled, "throttled");
  append_figure (text, numbers->fps, "fps");
  append_figure (text, numbers->fps_now, "now");
  append_figure (text, numbers->hitch_ms_per_s, "ms/s");
  append_figure (text, numbers->hitch_compositor_ms_per_s, "ms/s of the compositor");
  g_assert_cmpstr (text->str, ==, one->figures);
  g_assert_cmpuint (numbers->counts.late, ==, numbers->counts.late_program + numbers->counts.late_compositor);
}

/* Ready after two refreshes, shown after four: each has its part. */
TEST_WITH (Fixture, set_up, tear_down, fixture, both_late)
{
  JankFrameEvent first = { .begin_ns = JANK_NS_PER_S, .end_ns = JANK_NS_PER_S + 20 * MS, .refresh_ns = HZ_60 };
  JankFrameEvent second = first;
  JankFrameVerdict verdict;

  second.begin_ns += 4 * HZ_60;
  g_assert_true (jank_frame_judge (&first, &second, 0, &verdict));
  g_assert_cmpint (verdict.program_ns, ==, HZ_60);
  g_assert_cmpint (verdict.compositor_ns, ==, 2 * HZ_60);
  g_assert_cmpint (verdict.who, ==, JANK_FRAME_LATE_COMPOSITOR);
  g_assert_cmpint (verdict.n_dropped, ==, 3);
}

/* The clock is on time, the display shows one frame a refresh too late. */
TEST_WITH (Fixture, set_up, tear_down, fixture, display_late)
{
  Generator *generator = &fixture->generator;

  generator->presents = TRUE;
  for (guint i = 0; i < 10; i++)
    {
      generator_frames (generator, 30);
      generator->presented_ns += HZ_60;
      generator_frames (generator, 1);
      generator->presented_ns += HZ_60;
      generator_frames (generator, 30);
      /* Unknown for once: nothing to tell. */
      generator->presented_ns = 0;
      generator_frames (generator, 1);
    }
  generator_frames (generator, 30);
  read_figures (&fixture->stats, &fixture->numbers);
  g_assert_cmpuint (fixture->numbers.counts.late, ==, 10);
  g_assert_cmpuint (fixture->numbers.counts.late_compositor, ==, 10);
  g_assert_cmpuint (fixture->numbers.counts.dropped, ==, 10);
  g_assert_cmpuint (fixture->numbers.counts.animated, ==, fixture->numbers.counts.frames - 2 - 3 * 10);
  /* That one, and the next on time. */
  g_assert_cmpuint (fixture->numbers.counts.unseen, ==, 10);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, refresh_unknown)
{
  fixture->generator.told_ns = -1;
  generator_frames (&fixture->generator, 100);
  read_figures (&fixture->stats, &fixture->numbers);
  g_assert_cmpuint (fixture->numbers.counts.late, ==, 0);
  g_assert_cmpint (fixture->numbers.refresh_ns, ==, JANK_FRAME_ASSUMED_REFRESH_NS);
  g_assert_true (fixture->numbers.refresh_assumed);
  g_assert_cmpuint (fixture->numbers.counts.animated, ==, 0);

  fixture->generator.told_ns = 0;
  generator_frames (&fixture->generator, 1);
  read_figures (&fixture->stats, &fixture->numbers);
  g_assert_false (fixture->numbers.refresh_assumed);

  fixture->generator.flags = JANK_FRAME_REFRESH_ASSUMED;
  generator_frames (&fixture->generator, 1);
  read_figures (&fixture->stats, &fixture->numbers);
  g_assert_true (fixture->numbers.refresh_assumed);
}

/* Whatever a caller gets wrong: no crash, nothing invented. */
TEST_WITH (Fixture, set_up, tear_down, fixture, senseless)
{
  JankFrameEvent event = { .begin_ns = 5 * JANK_NS_PER_S, .flags = JANK_FRAME_ANIMATING };

  event.end_ns = event.begin_ns - MS;
  jank_frame_meter_add (&fixture->stats, &event);
  jank_frame_meter_add (&fixture->stats, &event);
  event.begin_ns -= JANK_NS_PER_S;
  jank_frame_meter_add (&fixture->stats, &event);
  event.begin_ns += 10 * MS;
  event.gap_busy_ns = -JANK_NS_PER_S;
  event.gap_idle_ns = -JANK_NS_PER_S;
  jank_frame_meter_add (&fixture->stats, &event);
  event.begin_ns += 10 * MS;
  event.gap_busy_ns = JANK_NS_PER_S;
  event.gap_idle_ns = JANK_NS_PER_S;
  jank_frame_meter_add (&fixture->stats, &event);
  read_figures (&fixture->stats, &fixture->numbers);
  g_assert_cmpuint (fixture->numbers.counts.frames, ==, 5);
  g_assert_cmpuint (fixture->numbers.counts.late, ==, 0);
}

/* The phase, or the time between frames, that took longest is the one that is named. */
TEST_WITH (Fixture, set_up, tear_down, fixture, busiest)
{
  g_autofree JankFrameSnapshot *snapshot = g_new0 (JankFrameSnapshot, 1);

  for (guint phase = 0; phase <= JANK_FRAME_BETWEEN; phase++)
    {
      generator_frames (&fixture->generator, 5);
      generator_frame (&fixture->generator, 60 * MS, phase);
    }
  generator_frames (&fixture->generator, 1);
  g_assert_true (jank_frame_board_read (&fixture->stats.board, snapshot));
  g_assert_cmpuint (snapshot->n_late, ==, JANK_FRAME_BETWEEN + 1);
  for (guint phase = 0; phase <= JANK_FRAME_BETWEEN; phase++)
    {
      const JankFrameVerdict *late = &snapshot->late[phase];

      g_assert_cmpint (late->busiest, ==, phase);
      g_assert_cmpint (late->busiest_ns, >=, 60 * MS);
      g_assert_cmpint (late->busiest_ns, <, 65 * MS);
    }
}

TEST_WITH (Fixture, set_up, tear_down, fixture, bars)
{
  static const gint64 lengths_ms[] = { 0, 20, 90, 720 };
  g_autofree JankFrameSnapshot *snapshot = g_new0 (JankFrameSnapshot, 1);
  const JankFrameBar *newest;

  for (guint i = 0; i < G_N_ELEMENTS (lengths_ms); i++)
    generator_frame (&fixture->generator, lengths_ms[i] * MS, JANK_FRAME_PAINT);
  generator_wait (&fixture->generator, 40 * MS);
  generator_frames (&fixture->generator, 2);
  g_assert_true (jank_frame_board_read (&fixture->stats.board, snapshot));
  g_assert_cmpuint (snapshot->n_bars, ==, 6);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (snapshot->bars[i].band, ==, JANK_FRAME_BAND_ON_TIME + i);
  g_assert_cmpint (snapshot->bars[5].band, ==, JANK_FRAME_BAND_ON_TIME);
  g_assert_cmpint (snapshot->bars[3].interval_ns, >, 720 * MS);

  generator_frames (&fixture->generator, 3 * JANK_FRAME_N_INTERVALS);
  generator_frame (&fixture->generator, 30 * MS, JANK_FRAME_PAINT);
  generator_frames (&fixture->generator, 1);
  g_assert_true (jank_frame_board_read (&fixture->stats.board, snapshot));
  g_assert_cmpuint (snapshot->n_bars, ==, JANK_FRAME_N_BARS);
  newest = &snapshot->bars[JANK_FRAME_N_BARS - 1];
  g_assert_cmpint (newest->band, ==, JANK_FRAME_BAND_LATE);
  g_assert_cmpint (newest[-1].band, ==, JANK_FRAME_BAND_ON_TIME);
}

static void
add (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/frames/frame-meter/", cases[i].name, NULL);

      g_test_add (path, Fixture, &cases[i], set_up, test_case, tear_down);
    }
}

TESTS_AND ("/frames/frame-meter", add, FALSE)
