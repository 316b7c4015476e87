/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>
#include <glib.h>

#include "frame-generator.h"
#include "test.h"
#include "frames/jank-frame-clocks-private.h"

#define HZ_60 INT64_C (16666667)

typedef struct
{
  JankFrameClocks   clocks;
  JankFrameSnapshot merged, scratch;
  JankFrameSummary  summary;
} Fixture;

static void
summarize (Fixture *fixture, gint64 now_ns)
{
  g_assert_true (jank_frame_clocks_summarize (&fixture->clocks, now_ns, &fixture->merged, &fixture->scratch,
                                              &fixture->summary));
}

/* Whichever has the next frame. */
static Generator *
find_next (Generator *generators, guint n)
{
  Generator *next = &generators[0];

  for (guint i = 1; i < n; i++)
    if (generators[i].begin_ns < next->begin_ns)
      next = &generators[i];
  return next;
}

static void
assert_window (const JankFrameWindow *window, const Generator *generator, const char *name)
{
  g_assert_cmpstr (window->name, ==, name);
  g_assert_true (window->is_open);
  g_assert_cmpuint (window->numbers.counts.frames, ==, generator->n_frames);
  g_assert_cmpuint (window->numbers.counts.late_program, ==, generator->late->len);
  g_assert_cmpuint (window->numbers.counts.dropped, ==, generator->n_dropped);
}

/* Three windows on three displays, in turns; each is judged by its own rate and predecessor. */
TEST_WITH (Fixture, NULL, NULL, fixture, several)
{
  static const double rates[] = { 60, 144, 30 };
  static const char *const names[] = { "60 Hz", "144 Hz", "30 Hz" };
  const JankFrameNumbers *total = &fixture->summary.total;
  guint n_late = 0, n_dropped = 0, n_frames = 3000;
  Generator generators[3];
  gint64 active_ns = 0;

  for (guint i = 0; i < 3; i++)
    {
      generator_init (&generators[i], jank_frame_clocks_open (&fixture->clocks, names[i]), 0, i);
      generator_set_hz (&generators[i], rates[i]);
    }
  for (guint n = 0; n < n_frames; n++)
    generator_frame (find_next (generators, 3), n % 97 == 0 ? 70 * MS : 0, JANK_FRAME_PAINT);

  summarize (fixture, 0);
  g_assert_cmpuint (fixture->summary.n_windows, ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      assert_window (&fixture->summary.windows[i], &generators[i], names[i]);
      n_late += generators[i].late->len;
      n_dropped += generators[i].n_dropped;
      active_ns += generators[i].active_ns;
      generator_clear (&generators[i]);
    }
  g_assert_cmpuint (n_late, >, 25);
  g_assert_cmpuint (total->counts.frames, ==, n_frames);
  g_assert_cmpuint (total->counts.late, ==, n_late);
  g_assert_cmpuint (total->counts.dropped, ==, n_dropped);
  g_assert_cmpint (total->counts.active_ns, ==, active_ns);
  g_assert_cmpuint (fixture->merged.histogram.n_values, ==, n_frames - 3);
  g_assert_cmpuint (fixture->merged.n_late, ==, JANK_FRAME_N_LATE);
  for (guint i = 1; i < JANK_FRAME_N_LATE; i++)
    g_assert_cmpint (fixture->merged.late[i - 1].ended_ns, <=, fixture->merged.late[i].ended_ns);
}

/* A window that draws beside one that has stopped: only the first has frames per second now. */
TEST_WITH (Fixture, NULL, NULL, fixture, idle_beside_active)
{
  Generator idle, active;

  generator_init (&idle, jank_frame_clocks_open (&fixture->clocks, "idle"), 2 * HZ_60, 1);
  generator_init (&active, jank_frame_clocks_open (&fixture->clocks, "active"), HZ_60, 2);
  generator_frames (&idle, 100);
  generator_frames (&active, 1000);

  summarize (fixture, active.begin_ns);
  g_assert_cmpfloat (fixture->summary.windows[0].numbers.fps_now, ==, JANK_FRAME_NO_FPS);
  g_assert_cmpfloat_with_epsilon (fixture->summary.windows[0].numbers.fps, 30, 0.1);
  g_assert_cmpfloat_with_epsilon (fixture->summary.windows[1].numbers.fps_now, 60, 0.5);
  g_assert_cmpfloat_with_epsilon (fixture->summary.total.fps_now, 60, 0.5);
  g_assert_cmpint (fixture->summary.total.refresh_ns, ==, HZ_60);

  summarize (fixture, active.begin_ns + 2 * JANK_NS_PER_S);
  g_assert_cmpfloat (fixture->summary.total.fps_now, ==, JANK_FRAME_NO_FPS);
  g_assert_cmpfloat (fixture->summary.total.fps, >, 50);
  generator_clear (&idle);
  generator_clear (&active);
}

/* One window after another, many times over: nothing is forgotten, and the memory is what it was. */
TEST_WITH (Fixture, NULL, NULL, fixture, retired)
{
  guint n_late = 0, n_dropped = 0;
  gint64 active_ns = 0;

  for (guint i = 0; i < 5 * JANK_FRAME_MAX_CLOCKS; i++)
    {
      g_autofree char *name = g_strdup_printf ("window %u", i);
      JankFrameMeter *stats = jank_frame_clocks_open (&fixture->clocks, name);
      Generator generator;

      g_assert_nonnull (stats);
      generator_init (&generator, stats, HZ_60, i);
      generator.tick_ns = generator.begin_ns += i * 10 * JANK_NS_PER_S;
      generator_frames (&generator, 20);
      generator_frame (&generator, 50 * MS, JANK_FRAME_UPDATE);
      generator_frames (&generator, 2);
      /* Closed in mid-animation, while one is pending. */
      generator_wait (&generator, 40 * MS);
      generator_frames (&generator, 1);
      jank_frame_clocks_close (&fixture->clocks, stats);
      n_late += generator.late->len + 1;
      n_dropped += generator.n_dropped + 2;
      active_ns += generator.active_ns;
      generator_clear (&generator);

      summarize (fixture, 0);
      g_assert_cmpuint (fixture->summary.total.counts.frames, ==, 25 * (i + 1));
      g_assert_cmpuint (fixture->summary.total.counts.late, ==, n_late);
      g_assert_cmpuint (fixture->summary.total.counts.dropped, ==, n_dropped);
      g_assert_cmpuint (fixture->merged.histogram.n_values, ==, 24 * (i + 1));
      g_assert_cmpint (fixture->summary.total.counts.active_ns, >, active_ns);
      g_assert_cmpuint (fixture->summary.n_windows, ==, MIN (i + 1, JANK_FRAME_MAX_CLOCKS));
      g_assert_cmpuint (fixture->merged.n_late, ==, MIN (i + 1, JANK_FRAME_N_LATE));
    }
  g_assert_cmpuint (fixture->summary.n_refused, ==, 0);
}

TEST_WITH (Fixture, NULL, NULL, fixture, full)
{
  JankFrameMeter *stats[JANK_FRAME_MAX_CLOCKS];
  JankFrameEvent event = { .begin_ns = JANK_NS_PER_S, .end_ns = JANK_NS_PER_S };

  for (guint i = 0; i < JANK_FRAME_MAX_CLOCKS; i++)
    {
      stats[i] = jank_frame_clocks_open (&fixture->clocks, "open");
      g_assert_nonnull (stats[i]);
      jank_frame_meter_add (stats[i], &event);
    }
  g_assert_null (jank_frame_clocks_open (&fixture->clocks, "one more"));
  summarize (fixture, 0);
  g_assert_cmpuint (fixture->summary.n_refused, ==, 1);
  g_assert_cmpuint (fixture->summary.n_windows, ==, JANK_FRAME_MAX_CLOCKS);

  /* The longest closed gives way. */
  jank_frame_clocks_close (&fixture->clocks, stats[5]);
  jank_frame_clocks_close (&fixture->clocks, stats[2]);
  g_assert_true (jank_frame_clocks_open (&fixture->clocks, "again") == stats[5]);
  g_assert_true (jank_frame_clocks_open (&fixture->clocks, "again") == stats[2]);
  g_assert_null (jank_frame_clocks_open (&fixture->clocks, "again"));
  summarize (fixture, 0);
  g_assert_cmpuint (fixture->summary.total.counts.frames, ==, JANK_FRAME_MAX_CLOCKS);
  g_assert_cmpuint (fixture->summary.windows[5].numbers.counts.frames, ==, 0);
  g_assert_cmpstr (fixture->summary.windows[5].name, ==, "again");
}

TEST_WITH (Fixture, NULL, NULL, fixture, names)
{
  g_autoptr (GString) longest = g_string_new (NULL);
  const char *name = fixture->summary.windows[0].name;
  JankFrameMeter *stats;

  stats = jank_frame_clocks_open (&fixture->clocks, "");
  summarize (fixture, 0);
  g_assert_cmpstr (name, ==, "");
  /* Every length, and wherever the cut falls into a character of three bytes. */
  for (guint i = 0; i < 40; i++)
    {
      g_string_append (longest, i == 1 ? "x" : "窗");
      jank_frame_clocks_rename (&fixture->clocks, stats, longest->str);
      summarize (fixture, 0);
      g_assert_true (g_utf8_validate (name, -1, NULL));
      g_assert_true (g_str_has_prefix (longest->str, name));
      g_assert_cmpuint (strlen (name), >=, MIN (longest->len, JANK_FRAME_NAME_N_BYTES - 3));
    }
  jank_frame_clocks_rename (&fixture->clocks, stats, "short");
  summarize (fixture, 0);
  g_assert_cmpstr (name, ==, "short");
}

TESTS ("/frames/frame-clocks")
