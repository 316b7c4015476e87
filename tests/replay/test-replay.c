/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What each rule finds, and what it cannot find: on events that are known exactly. */

#include "events-maker.h"
#include "test.h"
#include "rules/jank-rule-private.h"

static const JankVerdict *
verdict (const JankReplay *replay, guint i)
{
  g_assert_cmpuint (i, <, replay->verdicts->len);
  return &g_array_index (replay->verdicts, JankVerdict, i);
}

static const JankTruth *
truth (const JankReplay *replay, guint i)
{
  g_assert_cmpuint (i, <, replay->truths->len);
  return &g_array_index (replay->truths, JankTruth, i);
}

/* Whether preset finds a stall of length_ms that begins at began_ms, and when. */
static gint64
delay_of (const char *preset, gint64 began_ms, gint64 length_ms)
{
  g_autoptr (JankEvents) events = events_new (began_ms + length_ms + 3000);
  g_autoptr (JankReplay) replay = NULL;

  events_add_busy (events, began_ms, began_ms + length_ms, HEAVY);
  replay = events_replay (events, preset);
  return replay->n_found == 1 ? replay->median_delay_ns : -1;
}

TEST (default)
{
  g_autoptr (JankEvents) events = events_new (5000);
  g_autoptr (JankReplay) replay = NULL;

  events_add_busy (events, 300, 399, HEAVY);
  events_add_busy (events, 500, 601, HEAVY);
  events_add_busy (events, 1000, 2000, HEAVY);
  events_show (events, 1000, 1130, LIGHT);
  replay = events_replay (events, "default");

  g_assert_cmpuint (replay->truths->len, ==, 2);
  g_assert_cmpuint (replay->n_found, ==, 2);
  g_assert_cmpuint (replay->n_missed + replay->n_invented, ==, 0);
  g_assert_cmpuint (replay->n_right, ==, 2);
  g_assert_cmpint (replay->median_delay_ns, ==, 100 * MS);
  g_assert_cmpuint (replay->n_pings, ==, 0);
  /* 16, 26, 36 … */
  g_assert_cmpuint (replay->n_stacks, ==, 9 + 9 + 99);

  /* The last is reported again after 1 threshold more; then HEAVY has most, so after 1, 1, 2; and when it is over. */
  g_assert_cmpuint (replay->verdicts->len, ==, 2 + 6 + 1);
  g_assert_cmpint (verdict (replay, 2)->at_ns, ==, START + 1100 * MS);
  g_assert_false (verdict (replay, 2)->again);
  g_assert_cmpint (verdict (replay, 2)->culprit, ==, LIGHT);
  g_assert_cmpint (verdict (replay, 3)->at_ns, ==, START + 1200 * MS);
  g_assert_true (verdict (replay, 3)->again);
  g_assert_cmpint (verdict (replay, 4)->culprit, ==, HEAVY);
  g_assert_false (verdict (replay, 4)->splits);
  g_assert_cmpint (verdict (replay, 6)->at_ns, ==, START + 1500 * MS);
  g_assert_cmpint (verdict (replay, 7)->at_ns, ==, START + 1700 * MS);
  g_assert_true (verdict (replay, 8)->final);
  g_assert_cmpint (truth (replay, 1)->named, ==, HEAVY);
}

TEST (qilag)
{
  g_autoptr (JankEvents) events = events_new (3000);
  g_autoptr (JankReplay) replay = NULL;

  g_assert_cmpint (delay_of ("qilag", 500, 100), ==, 88 * MS);
  g_assert_cmpint (delay_of ("qilag", 777, 1000), ==, 88 * MS);

  /* One stack, of what runs at 88 ms: not what took most; every 88 ms another, and in the end those together know
   * it. And what is no stall yet is one for it. */
  events_add_busy (events, 500, 1000, HEAVY);
  events_show (events, 560, 600, LIGHT);
  events_add_busy (events, 1500, 1590, OTHER);
  events_add_busy (events, 1700, 1787, OTHER);
  replay = events_replay (events, "qilag");
  g_assert_cmpuint (replay->n_found, ==, 1);
  g_assert_cmpuint (replay->n_right, ==, 1);
  g_assert_cmpuint (replay->n_judged, ==, 1);
  g_assert_cmpint (verdict (replay, 0)->culprit, ==, LIGHT);
  g_assert_true (verdict (replay, 5)->final);
  g_assert_cmpint (verdict (replay, 5)->culprit, ==, HEAVY);
  g_assert_cmpint (truth (replay, 0)->named, ==, HEAVY);
  g_assert_cmpuint (replay->n_invented, ==, 1);
  g_assert_cmpuint (verdict (replay, 0)->n_stacks, ==, 1);
}

/* A row of five waits: only stalls of 250 ms and longer. */
TEST (semaphore)
{
  g_autoptr (JankEvents) events = events_new (6000);
  g_autoptr (JankReplay) replay = NULL;

  g_assert_cmpint (delay_of ("semaphore", 500, 249), ==, -1);
  g_assert_cmpint (delay_of ("semaphore", 500, 251), ==, 250 * MS);
  g_assert_cmpint (delay_of ("semaphore", 523, 251), ==, 250 * MS);

  /* Half a second of nothing but work, with one turn of the loop in between, does not add up. */
  events_add_busy (events, 500, 740, HEAVY);
  events_add_busy (events, 740, 980, HEAVY);
  events_add_busy (events, 2000, 3000, HEAVY);
  replay = events_replay (events, "semaphore");
  g_assert_cmpuint (replay->n_missed, ==, 2);
  g_assert_cmpuint (replay->n_found, ==, 1);
  /* The original writes again every 250 ms; and the report is finished. */
  g_assert_cmpuint (replay->verdicts->len, ==, 4);
  g_assert_true (verdict (replay, 3)->final);
  g_assert_cmpint (verdict (replay, 1)->at_ns, ==, START + 2500 * MS);
  g_assert_true (verdict (replay, 1)->again);
}

/* Two waits of a second each. */
TEST (kartun)
{
  g_assert_cmpint (delay_of ("kartun", 500, 1000), ==, -1);
  g_assert_cmpint (delay_of ("kartun", 500, 1999), ==, -1);
  g_assert_cmpint (delay_of ("kartun", 500, 2001), ==, 2000 * MS);
  g_assert_cmpint (delay_of ("kartun", 999, 5000), ==, 2000 * MS);
}

/* Below 400 ms never, from 800 ms on always, in between where the ping happens to be sent. */
TEST (anreye)
{
  guint n_found = 0;

  for (gint64 phase_ms = 0; phase_ms < 400; phase_ms += 10)
    {
      gint64 delay_ns = delay_of ("anreye", 2000 + phase_ms, 810);

      g_assert_cmpint (delay_ns, >=, 400 * MS);
      g_assert_cmpint (delay_ns, <=, 800 * MS);
      g_assert_cmpint (delay_of ("anreye", 2000 + phase_ms, 399), ==, -1);
      n_found += delay_of ("anreye", 2000 + phase_ms, 601) >= 0;
    }
  /* Those that begin up to 201 ms before a ping. */
  g_assert_cmpuint (n_found, >=, 19);
  g_assert_cmpuint (n_found, <=, 21);
}

/* A ping a second: a stall that lies between two of them is not seen, whatever its length below a second. */
TEST (mainwatch)
{
  g_autoptr (JankEvents) events = events_new (5500);
  g_autoptr (JankReplay) replay = NULL;

  g_assert_cmpint (delay_of ("mainwatch", 1010, 980), ==, -1);
  g_assert_cmpint (delay_of ("mainwatch", 1990, 40), ==, -1);
  g_assert_cmpint (delay_of ("mainwatch", 1900, 110), ==, -1);
  g_assert_cmpint (delay_of ("mainwatch", 1900, 120), ==, 116 * MS);
  g_assert_cmpint (delay_of ("mainwatch", 1010, 1010), ==, (990 + 16) * MS);

  /* A turn that nobody notices is reported when it falls upon a ping: at 1000, 3000 and 5000 ms. */
  for (gint64 at_ms = 0; at_ms < 5400; at_ms += 500)
    events_add_busy (events, at_ms == 2000 || at_ms == 4000 ? at_ms + 10 : at_ms - 5 < 0 ? 5 : at_ms - 5, at_ms + 30,
                     OTHER);
  replay = events_replay (events, "mainwatch");
  g_assert_cmpuint (replay->truths->len, ==, 0);
  g_assert_cmpuint (replay->n_invented, ==, 3);
  g_assert_cmpuint (replay->n_pings, ==, 5);
}

/* No ping while the last is unanswered. */
TEST (one_ping)
{
  g_autoptr (JankEvents) events = events_new (10000);
  g_autoptr (JankReplay) mainwatch = NULL, anreye = NULL;

  events_add_busy (events, 500, 9500, HEAVY);
  mainwatch = events_replay (events, "mainwatch");
  anreye = events_replay (events, "anreye");
  g_assert_cmpuint (mainwatch->n_pings, ==, 2);
  g_assert_cmpuint (mainwatch->verdicts->len, ==, 1);
  g_assert_cmpuint (anreye->verdicts->len, ==, 1);
  g_assert_cmpuint (anreye->n_pings, ==, 4);
}

/* 20 stacks of 50 ms are a second: of a hang that it notices after 2 s or more, the first half is not in it. */
TEST (matrix)
{
  g_autoptr (JankEvents) events = events_new (10000);
  g_autoptr (JankReplay) replay = NULL;

  events_add_busy (events, 1100, 4300, HEAVY);
  events_show (events, 3100, 4300, LIGHT);
  replay = events_replay (events, "matrix");
  g_assert_cmpuint (replay->n_found, ==, 1);
  /* Checks are at full seconds. */
  g_assert_cmpint (verdict (replay, 0)->at_ns, ==, START + 4000 * MS);
  g_assert_cmpuint (verdict (replay, 0)->n_stacks, ==, 20);
  g_assert_cmpint (verdict (replay, 0)->oldest_ns, >, START + 3000 * MS);
  /* HEAVY had 2 s, LIGHT had 1.2 s: the ring knows of LIGHT only. */
  g_assert_cmpint (truth (replay, 0)->named, ==, LIGHT);
  g_assert_cmpuint (replay->n_right, ==, 0);
}

/* Another heaviest stack has a report of its own and is looked at again soon; the first report stays. */
TEST (matrix_splits)
{
  static const struct { gint64 at_s; guint culprit; gboolean again, splits; } expected[] = {
    { 3, HEAVY, FALSE, FALSE }, { 4, HEAVY, TRUE, FALSE }, { 5, HEAVY, TRUE, FALSE }, { 7, LIGHT, FALSE, TRUE },
    { 8, LIGHT, TRUE, FALSE }, { 9, LIGHT, TRUE, FALSE }, { 11, LIGHT, TRUE, FALSE },
  };
  g_autoptr (JankEvents) events = events_new (14000);
  g_autoptr (JankReplay) replay = NULL;

  events_add_busy (events, 500, 11500, HEAVY);
  events_show (events, 5500, 11500, LIGHT);
  replay = events_replay (events, "matrix");
  g_assert_cmpuint (replay->verdicts->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_assert_cmpint (verdict (replay, i)->at_ns, ==, START + expected[i].at_s * 1000 * MS);
      g_assert_cmpuint (verdict (replay, i)->culprit, ==, expected[i].culprit);
      g_assert_cmpint (verdict (replay, i)->again, ==, expected[i].again);
      g_assert_cmpint (verdict (replay, i)->splits, ==, expected[i].splits);
    }
  g_assert_cmpuint (truth (replay, 0)->named, ==, HEAVY);
}

TEST (matrix_checks)
{
  g_autoptr (JankEvents) events = events_new (20000);
  g_autoptr (JankReplay) replay = NULL;

  /* More than 2 s, at a full second. */
  g_assert_cmpint (delay_of ("matrix", 1000, 2900), ==, -1);
  g_assert_cmpint (delay_of ("matrix", 999, 2002), ==, 2001 * MS);
  g_assert_cmpint (delay_of ("matrix", 1001, 2990), ==, -1);
  g_assert_cmpint (delay_of ("matrix", 1001, 3000), ==, 2999 * MS);

  /* Annealing: checks 1, 1, 2, 3, 5 s apart while it lasts. */
  events_add_busy (events, 500, 15500, HEAVY);
  events_add_busy (events, 16500, 19800, HEAVY);
  replay = events_replay (events, "matrix");
  g_assert_cmpuint (replay->verdicts->len, ==, 6);
  g_assert_cmpint (verdict (replay, 0)->at_ns, ==, START + 3000 * MS);
  g_assert_cmpint (verdict (replay, 1)->at_ns, ==, START + 4000 * MS);
  g_assert_cmpint (verdict (replay, 2)->at_ns, ==, START + 5000 * MS);
  g_assert_cmpint (verdict (replay, 3)->at_ns, ==, START + 7000 * MS);
  g_assert_cmpint (verdict (replay, 4)->at_ns, ==, START + 10000 * MS);
  g_assert_cmpint (verdict (replay, 5)->at_ns, ==, START + 15000 * MS);
  g_assert_true (verdict (replay, 5)->again);
  /* The sixth stretched the next check to 23 s: a hang that begins meanwhile waits for it, as it would there. */
  g_assert_cmpuint (replay->n_found, ==, 1);
}

/* Ten refresh intervals between two frames; told by the second of them. */
TEST (rabbit)
{
  g_autoptr (JankEvents) events = events_new (4000);
  g_autoptr (JankReplay) replay = NULL;

  /* Without frames there is nothing to see. */
  g_assert_cmpint (delay_of ("rabbit", 1000, 1500), ==, -1);

  events_add_busy (events, 500, 640, OTHER);
  events_add_busy (events, 1000, 1600, HEAVY);
  events_show (events, 1000, 1200, LIGHT);
  events_add_busy (events, 3000, 3600, HEAVY);
  events_add_frames (events, 10, 2000);
  replay = events_replay (events, "rabbit");
  g_assert_cmpuint (replay->verdicts->len, ==, 1);
  g_assert_cmpuint (replay->n_found, ==, 1);
  g_assert_cmpuint (replay->n_missed, ==, 2);
  /* Not before the stall is over; a stack every 16.7 ms, which is enough to tell who took most. */
  g_assert_cmpint (verdict (replay, 0)->at_ns, ==, START + 1600 * MS);
  g_assert_cmpuint (verdict (replay, 0)->n_stacks, >=, 34);
  g_assert_cmpuint (verdict (replay, 0)->n_stacks, <=, 37);
  g_assert_cmpint (truth (replay, 1)->named, ==, HEAVY);
  g_assert_cmpuint (replay->n_right, ==, 1);
}

/* A clock that stops and starts again is no stall. */
TEST (rabbit_idle)
{
  g_autoptr (JankEvents) events = events_new (6000);
  g_autoptr (JankReplay) rabbit = NULL, displaylink = NULL;

  events_add_frames (events, 100, 400);
  events_add_frames (events, 5000, 5300);
  rabbit = events_replay (events, "rabbit");
  displaylink = events_replay (events, "displaylink");
  g_assert_cmpuint (rabbit->verdicts->len, ==, 0);
  g_assert_cmpuint (displaylink->verdicts->len, ==, 0);
  g_assert_cmpint (displaylink->least_fps_milli, ==, -1);
}

TEST (displaylink)
{
  g_autoptr (JankEvents) smooth = events_new (5000), one = events_new (5000), two = events_new (5000);
  g_autoptr (JankReplay) replay = NULL, of_one = NULL, of_two = NULL;

  events_add_frames (smooth, 0, 5000);
  replay = events_replay (smooth, "displaylink");
  g_assert_cmpuint (replay->verdicts->len, ==, 0);
  g_assert_cmpint (replay->least_fps_milli, >=, 59900);
  g_assert_cmpint (replay->least_fps_milli, <=, 60100);

  /* A stall of 105 ms is lost in the average of its second. */
  events_add_busy (one, 492, 597, HEAVY);
  events_add_frames (one, 0, 5000);
  of_one = events_replay (one, "displaylink");
  g_assert_cmpuint (of_one->n_missed, ==, 1);
  g_assert_cmpint (of_one->least_fps_milli, <, 56000);
  g_assert_cmpint (of_one->least_fps_milli, >, 53000);

  /* One of 400 ms is not, but nobody is named. */
  events_add_busy (two, 500, 900, HEAVY);
  events_add_frames (two, 0, 5000);
  of_two = events_replay (two, "displaylink");
  g_assert_cmpuint (of_two->n_found, ==, 1);
  g_assert_cmpuint (of_two->n_judged, ==, 0);
  g_assert_cmpuint (of_two->n_stacks, ==, 0);
  g_assert_cmpint (of_two->median_delay_ns, >=, 500 * MS);
  g_assert_cmpint (of_two->median_delay_ns, <=, 550 * MS);
}

/* Nothing happens: no rule says anything, whatever it is. */
TEST (idle)
{
  for (const char *const *preset = jank_preset_get_nicks (); *preset != NULL; preset++)
    {
      g_autoptr (JankEvents) events = events_new (60000);
      g_autoptr (JankReplay) replay = NULL;

      for (gint64 at_ms = 100; at_ms < 59000; at_ms += 300)
        events_add_busy (events, at_ms, at_ms + 10, OTHER);
      replay = events_replay (events, *preset);
      g_assert_cmpuint (replay->verdicts->len, ==, 0);
      g_assert_cmpuint (replay->n_missed + replay->n_invented, ==, 0);
      g_assert_cmpint (replay->median_delay_ns, ==, -1);
    }
}

TESTS ("/replay/replay")
