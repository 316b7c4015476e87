/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One thread draws, another looks: what it sees is always one moment, never half of two. */

#include <stdatomic.h>
#include <glib.h>

#include "frame-generator.h"
#include "frames/jank-frame-clocks-private.h"
#include "processor.h"
#include "test.h"

#define REFRESH_NS INT64_C (10000000)
#define WORK_NS    INT64_C (30000000)
#define STRESS_NS  (JANK_NS_PER_S)

/* As many different moments have to be seen, however little of the machine the reader gets. */
#define N_MOMENTS  20
#define LOST_NS    (60 * JANK_NS_PER_S)

typedef struct
{
  JankFrameClocks clocks;
  _Atomic bool    stop;
  _Atomic guint   n_different;
  guint           n_seen, n_given_up;
} Shared;

static gboolean
is_enough (Shared *shared, gint64 began_ns)
{
  gint64 lasts_ns = jank_clock_now_ns () - began_ns;

  if (lasts_ns > LOST_NS)
    g_error ("the reader did not get through");
  return lasts_ns > STRESS_NS && atomic_load (&shared->n_different) > N_MOMENTS;
}

/* Every third frame works three times as long as there is time, so that each number follows from the others. */
static void
assert_consistent (const JankFrameSnapshot *snapshot)
{
  const JankFrameTotals *totals = &snapshot->totals;
  guint64 n_late = totals->counts.late_program, n_counted = 0, n_levels = 0;

  g_assert_cmpuint (totals->counts.late_compositor, ==, 0);
  g_assert_cmpuint (totals->counts.dropped_program, ==, 3 * n_late);
  g_assert_cmpint (totals->counts.active_ns, ==, (gint64) (totals->n_judged + 3 * n_late) * REFRESH_NS);
  g_assert_cmpint (totals->late_program_ns, ==, (gint64) (3 * n_late) * REFRESH_NS);
  for (int level = JANK_FRAME_BEST; level <= JANK_FRAME_NORMAL; level++)
    n_levels += totals->counts.buckets[level].frames;
  g_assert_cmpuint (n_levels, ==, totals->n_judged);
  for (guint i = 0; i < JANK_HISTOGRAM_N_BUCKETS; i++)
    n_counted += snapshot->histogram.counts[i];
  g_assert_cmpuint (n_counted, ==, totals->n_judged);
}

static void
start (Generator *generator, JankFrameMeter *stats)
{
  generator_init (generator, stats, REFRESH_NS, 0);
  generator->jitter = 0;
}

/* Bursts without a pause, and pauses in which a reader gets through. */
static void
draw (Generator *generator, guint n)
{
  for (guint i = 0; i < n; i++)
    generator_frame (generator, generator->n_frames % 3 == 0 ? WORK_NS : 0, JANK_FRAME_LAYOUT);
}

static gpointer
clocks_reader (gpointer data)
{
  g_autofree JankFrameSnapshot *merged = g_new0 (JankFrameSnapshot, 1);
  g_autofree JankFrameSnapshot *scratch = g_new0 (JankFrameSnapshot, 1);
  g_autofree JankFrameSummary *summary = g_new0 (JankFrameSummary, 1);
  Shared *shared = data;
  guint64 last = 0;

  while (!atomic_load (&shared->stop))
    {
      if (!jank_frame_clocks_summarize (&shared->clocks, 0, merged, scratch, summary))
        {
          shared->n_given_up++;
          continue;
        }
      assert_consistent (merged);
      /* A window that goes takes no frame with it. */
      g_assert_cmpuint (summary->total.counts.frames, >=, last);
      if (summary->total.counts.frames != last)
        atomic_fetch_add (&shared->n_different, 1);
      for (guint i = 0; i < summary->n_windows; i++)
        if (!summary->windows[i].is_open || !g_str_equal (summary->windows[i].name, "open"))
          g_assert_cmpstr (summary->windows[i].name, ==, "seen");
      last = summary->total.counts.frames;
      shared->n_seen++;
    }
  return NULL;
}

/* Windows come and go while somebody adds them up. */
TEST (stress_clocks)
{
  g_autofree Shared *shared = g_new0 (Shared, 1);
  gint64 began_ns = jank_clock_now_ns ();
  GThread *thread = g_thread_new ("watcher", clocks_reader, shared);
  guint n_windows = 0;

  while (!is_enough (shared, began_ns))
    {
      JankFrameMeter *stats = jank_frame_clocks_open (&shared->clocks, "open");
      Generator generator;

      start (&generator, stats);
      draw (&generator, 100);
      jank_frame_clocks_rename (&shared->clocks, stats, "seen");
      jank_frame_clocks_close (&shared->clocks, stats);
      generator_clear (&generator);
      n_windows++;
      g_usleep (200);
    }
  atomic_store (&shared->stop, true);
  g_thread_join (thread);
  g_test_message ("%u windows, %u summaries, %u times given up", n_windows, shared->n_seen, shared->n_given_up);
}

/* The observed thread died in the middle of it: the reader comes back. */
TEST (stopped_in_write)
{
  g_autofree Shared *shared = g_new0 (Shared, 1);
  g_autofree JankFrameSnapshot *merged = g_new0 (JankFrameSnapshot, 1);
  g_autofree JankFrameSnapshot *scratch = g_new0 (JankFrameSnapshot, 1);
  g_autofree JankFrameSummary *summary = g_new0 (JankFrameSummary, 1);
  JankFrameMeter *stats = jank_frame_clocks_open (&shared->clocks, "");
  gint64 began_ns = jank_clock_now_ns ();

  jank_seqlock_begin (&stats->board.lock);
  g_assert_false (jank_frame_board_read (&stats->board, scratch));
  g_assert_false (jank_frame_clocks_summarize (&shared->clocks, 0, merged, scratch, summary));
  g_test_message ("gave up after %" G_GINT64_FORMAT " us", (jank_clock_now_ns () - began_ns) / 1000);

  jank_frame_board_end (&stats->board, &stats->totals);
  g_assert_true (jank_frame_board_read (&stats->board, scratch));
  g_assert_true (jank_frame_clocks_summarize (&shared->clocks, 0, merged, scratch, summary));
}

TESTS ("/frames/frame-board")
