/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Animations with a known number of late frames: every one found, none invented. */

#include <glib.h>

#include "frame-generator.h"
#include "test.h"

typedef struct
{
  double   hz;
  gboolean has_timer;
  gboolean presents;
} Display;

static const gint64 lengths_ms[] = { 20, 50, 120, 300, 800 };

/* All but the interval after the newest frame, which nobody has seen the end of. */
static void
assert_truth (Generator *generator)
{
  JankFrameNumbers numbers;
  double hitch;

  generator_frames (generator, 1);
  hitch = 1000.0 * (double) generator->excess_ns / (double) generator->active_ns;
  read_figures (generator->stats, &numbers);
  g_assert_cmpuint (numbers.counts.frames, ==, generator->n_frames);
  g_assert_cmpuint (numbers.counts.late_program, ==, generator->late->len);
  g_assert_cmpuint (numbers.counts.late_compositor, ==, 0);
  g_assert_cmpuint (numbers.counts.dropped, ==, generator->n_dropped);
  g_assert_cmpuint (numbers.counts.throttled, ==, 0);
  g_assert_cmpfloat_with_epsilon (numbers.hitch_ms_per_s, hitch, 0.02 * hitch + 0.001);
  g_assert_cmpfloat_with_epsilon (numbers.hitch_compositor_ms_per_s, 0, 0.02 * hitch + 0.001);
}

/* Each late frame that is kept, newest last, is the one that was made. */
static void
assert_late_frames (Generator *generator)
{
  g_autofree JankFrameSnapshot *snapshot = g_new0 (JankFrameSnapshot, 1);
  guint n_first;

  g_assert_true (jank_frame_board_read (&generator->stats->board, snapshot));
  g_assert_cmpuint (snapshot->n_late, ==, MIN (generator->late->len, JANK_FRAME_N_LATE));
  n_first = generator->late->len - snapshot->n_late;
  for (guint i = 0; i < snapshot->n_late; i++)
    {
      const LateTruth *truth = &g_array_index (generator->late, LateTruth, n_first + i);
      const JankFrameVerdict *late = &snapshot->late[i];

      g_assert_cmpint (late->interval_ns, ==, truth->interval_ns);
      g_assert_cmpint (late->ended_ns - late->began_ns, ==, truth->interval_ns);
      g_assert_cmpint (late->n_dropped, ==, truth->n_dropped);
      g_assert_cmpint (late->refresh_ns, ==, truth->refresh_ns);
    }
}

static void
begin (Generator *generator, JankFrameMeter *stats, const Display *display)
{
  generator_init (generator, stats, (gint64) ((double) JANK_NS_PER_S / display->hz), 11);
  generator->has_timer = display->has_timer;
  generator->presents = display->presents;
}

static void
test_on_time (gconstpointer data)
{
  const Display *display = data;
  g_autofree JankFrameMeter *stats = g_new0 (JankFrameMeter, 1);
  JankFrameNumbers numbers;
  Generator generator;

  begin (&generator, stats, display);
  generator.jitter = 0.2;
  generator_frames (&generator, 5000);
  g_assert_cmpuint (generator.late->len, ==, 0);
  assert_truth (&generator);
  read_figures (stats, &numbers);
  g_assert_cmpuint (numbers.counts.late + numbers.counts.dropped + numbers.counts.slow, ==, 0);
  g_assert_cmpuint (numbers.counts.frozen + numbers.counts.jank, ==, 0);
  g_assert_cmpuint (numbers.counts.buckets[JANK_FRAME_BEST].frames, ==, 5000);
  g_assert_cmpfloat_with_epsilon (numbers.fps, display->hz, 0.001 * display->hz);
  g_assert_cmpfloat_with_epsilon (numbers.fps_now, display->hz, 0.02 * display->hz);
  g_assert_cmpint (numbers.hitch_band, ==, JANK_HITCH_GOOD);
  generator_clear (&generator);
}

/* One late frame of every length in every phase, alone and beside others. */
static void
test_late (gconstpointer data)
{
  g_autofree JankFrameMeter *stats = g_new0 (JankFrameMeter, 1);
  Generator generator;

  begin (&generator, stats, data);
  for (guint phase = 0; phase <= JANK_FRAME_BETWEEN; phase++)
    for (guint i = 0; i < G_N_ELEMENTS (lengths_ms); i++)
      {
        generator_frames (&generator, 40);
        generator_frame (&generator, lengths_ms[i] * MS, phase);
        assert_truth (&generator);
        assert_late_frames (&generator);
      }
  g_test_message ("%u late frames, %u dropped", generator.late->len, generator.n_dropped);
  g_assert_cmpuint (generator.late->len, >=, 4 * (JANK_FRAME_N_PHASES + 1));
  generator_clear (&generator);
}

static void
test_bursts (gconstpointer data)
{
  g_autofree JankFrameMeter *stats = g_new0 (JankFrameMeter, 1);
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  Generator generator;

  begin (&generator, stats, data);
  for (guint burst = 0; burst < 60; burst++)
    {
      guint n = (guint) g_rand_int_range (random, 2, 20);

      for (guint i = 0; i < n; i++)
        generator_frame (&generator, g_rand_int_range (random, 0, 120) * MS,
                         g_rand_int_range (random, 0, JANK_FRAME_BETWEEN + 1));
      generator_frames (&generator, (guint) g_rand_int_range (random, 1, 60));
    }
  assert_truth (&generator);
  assert_late_frames (&generator);
  g_test_message ("%u late frames, %u dropped", generator.late->len, generator.n_dropped);
  generator_clear (&generator);
}

/* Always too slow: a program that never makes its display's rate. */
static void
test_always_late (gconstpointer data)
{
  g_autofree JankFrameMeter *stats = g_new0 (JankFrameMeter, 1);
  JankFrameNumbers numbers;
  Generator generator;

  begin (&generator, stats, data);
  for (guint i = 0; i < 300; i++)
    generator_frame (&generator, 2 * generator.refresh_ns, JANK_FRAME_PAINT);
  assert_truth (&generator);
  read_figures (stats, &numbers);
  g_assert_cmpuint (numbers.counts.late_program, ==, 300);
  g_assert_cmpuint (numbers.counts.slow, ==, 300);
  g_assert_cmpint (numbers.hitch_band, ==, JANK_HITCH_CRITICAL);
  generator_clear (&generator);
}

static void
test_changing_rate (void)
{
  static const double rates[] = { 60, 144, 30, 120, 75, 60, 59.94, 144, 143.9, 30 };
  g_autofree JankFrameMeter *stats = g_new0 (JankFrameMeter, 1);
  Generator generator;

  generator_init (&generator, stats, 0, 9);
  for (guint i = 0; i < 50; i++)
    {
      generator_set_hz (&generator, rates[i % G_N_ELEMENTS (rates)]);
      generator_frames (&generator, 50);
      generator_frame (&generator, lengths_ms[i % G_N_ELEMENTS (lengths_ms)] * MS, JANK_FRAME_LAYOUT);
      generator_frames (&generator, 1 + i % 3);
      assert_truth (&generator);
      assert_late_frames (&generator);
    }
  generator_clear (&generator);
}

/* The timings say only two frames later that the display has become slower, as they do when a window moves to
 * another monitor. */
static void
test_rate_told_later (void)
{
  g_autofree JankFrameMeter *stats = g_new0 (JankFrameMeter, 1);
  Generator generator;

  generator_init (&generator, stats, 0, 9);
  for (guint i = 0; i < 20; i++)
    {
      generator_set_hz (&generator, 144);
      generator.told_ns = generator.refresh_ns;
      generator_frames (&generator, 20);
      generator_set_hz (&generator, 60);
      generator_frames (&generator, 2);
      generator.told_ns = 0;
      generator_frames (&generator, 20);
      /* And faster: the old measure is a generous one for as long as it holds. */
      generator.told_ns = generator.refresh_ns;
      generator_set_hz (&generator, 144);
      generator_frames (&generator, 3);
      assert_truth (&generator);
    }
  g_assert_cmpuint (generator.late->len, ==, 0);
  generator_clear (&generator);
}

#define ADD(path, func) \
  for (guint i = 0; i < G_N_ELEMENTS (displays); i++) \
    { \
      const Display *display = &displays[i]; \
      g_autofree char *name = g_strdup_printf ("/frames/frame-truth/" path "/%.0fhz%s%s", display->hz, \
                                               display->has_timer ? "-timer" : "", \
                                               display->presents ? "-presented" : ""); \
      g_test_add_data_func (name, display, func); \
    }

static void
add (void)
{
  static const Display displays[] = {
    { 30 }, { 60 }, { 75 }, { 120 }, { 144 },
    { 30, TRUE }, { 60, TRUE }, { 75, TRUE }, { 120, TRUE }, { 144, TRUE },
    { 60, FALSE, TRUE }, { 144, FALSE, TRUE },
  };

  ADD ("on-time", test_on_time);
  ADD ("late", test_late);
  ADD ("bursts", test_bursts);
  ADD ("always-late", test_always_late);
  g_test_add_func ("/frames/frame-truth/changing-rate", test_changing_rate);
  g_test_add_func ("/frames/frame-truth/rate-told-later", test_rate_told_later);
}

TESTS_AND ("/frames/frame-truth", add, FALSE)
