/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include "input/jank-input-answers-private.h"

#define MS JANK_NS_PER_MS

/* Two clocks. */
static const char own, other;

/* What the toolkit says. */
static JankInputWait wait;
static const void *wait_clock; /* NULL: the interaction's own */
static gint64 busy_ms;

static JankInputBoard board;
static JankInputAnswers answers;

static JankInputWait
find_wait (const void **clock, gint64 since_ns)
{
  if (wait_clock != NULL)
    *clock = wait_clock;
  return wait;
}

static gint64
get_busy_ns (gint64 from_ns, gint64 to_ns)
{
  return busy_ms * MS;
}

static gint64 slow_ms; /* of the slow one, how long it took */

static void
on_slow (gint64 stamp_ns, gint64 answered_ns)
{
  slow_ms = (answered_ns - stamp_ns) / MS;
}

static const JankInputFuncs funcs = { find_wait, get_busy_ns, on_slow };

static void
set_up (void)
{
  wait = JANK_INPUT_NO_FRAME;
  wait_clock = NULL;
  busy_ms = slow_ms = 0;
  memset (&board, 0, sizeof board);
  answers = (JankInputAnswers) { .board = &board, .funcs = &funcs };
}

static void
add_of (JankInteractionKind kind, gint64 stamp_ms, gint64 handled_ms, gboolean needs_frame)
{
  JankInteraction interaction = { .kind = kind, .stamp_ns = stamp_ms * MS, .handled_ns = handled_ms * MS };

  jank_input_answers_add (&answers, &interaction, jank_input_board_push (&board, &interaction), &own, needs_frame);
}

static void
add (gint64 stamp_ms, gint64 handled_ms)
{
  add_of (JANK_INTERACTION_PRESS, stamp_ms, handled_ms, FALSE);
}

static void
paint (const void *clock, gint64 began_ms, gint64 ended_ms)
{
  jank_input_answers_painted (&answers, clock, began_ms * MS, ended_ms * MS, TRUE, 0);
}

/* Returns: of the longest, in ms; n of them were answered */
static gint64
sum_up (guint n, JankInputFigures *figures)
{
  g_assert_true (jank_input_board_sum_up (&board, figures));
  g_assert_cmpuint (figures->answered.n, ==, n);
  g_assert_cmpint (figures->answered.longest_ns % MS, ==, 0);
  return figures->answered.longest_ns / MS;
}

static gint64
get_longest_ms (guint n)
{
  JankInputFigures figures;

  return sum_up (n, &figures);
}

/* Until the turn's end. */
TEST_WITH (gpointer, set_up, NULL, self, without_a_frame)
{
  add (1000, 1002);
  g_assert_cmpint (get_longest_ms (0), ==, 0);
  g_assert_false (jank_input_answers_turn_ended (&answers, 1050 * MS));
  g_assert_cmpint (get_longest_ms (1), ==, 50);
}

TEST_WITH (gpointer, set_up, NULL, self, with_a_frame)
{
  JankInteraction kept[JANK_INPUT_N_KEPT];

  wait = JANK_INPUT_FRAME;
  add (1000, 1002);
  g_assert_true (jank_input_answers_turn_ended (&answers, 1050 * MS));
  paint (&other, 1052, 1060);
  g_assert_cmpint (get_longest_ms (0), ==, 0);
  g_assert_true (jank_input_answers_turn_ended (&answers, 1060 * MS));
  paint (&own, 1062, 1070);
  g_assert_cmpint (get_longest_ms (1), ==, 70);
  g_assert_cmpuint (jank_input_board_read (&board, kept), ==, 1);
  g_assert_cmpint (kept[0].done_ns, ==, 1050 * MS);
  g_assert_cmpint (kept[0].answered_ns, ==, 1070 * MS);
  paint (&own, 1080, 1090);
  g_assert_false (jank_input_answers_turn_ended (&answers, 1100 * MS));
  g_assert_cmpint (get_longest_ms (1), ==, 70);
}

/* Only where the loop was busy meanwhile, and for longer than is good. */
TEST_WITH (gpointer, set_up, NULL, self, slow)
{
  wait = JANK_INPUT_FRAME;
  busy_ms = 200;
  add (1000, 1002);
  g_assert_cmpint (jank_input_answers_get_oldest (&answers), ==, 1000 * MS);
  paint (&own, 1180, 1190);
  g_assert_cmpint (slow_ms, ==, 0);
  g_assert_cmpint (jank_input_answers_get_oldest (&answers), ==, 0);
  add (2000, 2002);
  paint (&own, 2290, 2300);
  g_assert_cmpint (slow_ms, ==, 0);
  busy_ms = 290;
  add (3000, 3002);
  paint (&own, 3290, 3300);
  g_assert_cmpint (slow_ms, ==, 300);
}

/* Events that are handled right before the frame, in one turn with it. */
/* An input method has it: no frame is its answer, and the others keep theirs. */
TEST_WITH (gpointer, set_up, NULL, self, forgotten)
{
  wait = JANK_INPUT_FRAME;
  add_of (JANK_INTERACTION_KEY, 1000, 1002, TRUE);
  add (1010, 1011);
  jank_input_answers_forget (&answers, 0);
  jank_input_answers_forget (&answers, 7);
  g_assert_cmpint (jank_input_answers_get_oldest (&answers), ==, 1010 * MS);
  g_assert_true (jank_input_answers_turn_ended (&answers, 1020 * MS));
  paint (&own, 1022, 1030);
  g_assert_cmpint (get_longest_ms (1), ==, 20);
}

TEST_WITH (gpointer, set_up, NULL, self, inside_the_frame)
{
  add_of (JANK_INTERACTION_SCROLL, 1000, 1010, FALSE);
  paint (&own, 1009, 1016);
  g_assert_cmpint (get_longest_ms (1), ==, 16);
  g_assert_false (jank_input_answers_turn_ended (&answers, 1017 * MS));
  g_assert_cmpint (get_longest_ms (1), ==, 16);
}

/* It opened another window. */
TEST_WITH (gpointer, set_up, NULL, self, another_clock)
{
  wait = JANK_INPUT_FRAME;
  wait_clock = &other;
  add (1000, 1002);
  g_assert_true (jank_input_answers_turn_ended (&answers, 1010 * MS));
  paint (&own, 1012, 1014);
  paint (&other, 1020, 1030);
  g_assert_cmpint (get_longest_ms (1), ==, 30);
}

/* A cycle that paints nothing answers nothing; nor does a request that was taken back, or whose clock is gone. */
TEST_WITH (gpointer, set_up, NULL, self, nothing_is_drawn)
{
  wait = JANK_INPUT_FRAME;
  add (1000, 1002);
  g_assert_true (jank_input_answers_turn_ended (&answers, 1010 * MS));
  jank_input_answers_painted (&answers, &own, 1020 * MS, 1030 * MS, FALSE, 0);
  g_assert_cmpint (get_longest_ms (1), ==, 10);
  add (2000, 2002);
  g_assert_true (jank_input_answers_turn_ended (&answers, 2020 * MS));
  wait = JANK_INPUT_NO_FRAME;
  g_assert_false (jank_input_answers_turn_ended (&answers, 2500 * MS));
  g_assert_cmpint (get_longest_ms (2), ==, 20);
}

/* Nobody knows whether a frame is asked for while the display has not taken the last one. */
TEST_WITH (gpointer, set_up, NULL, self, display_holds)
{
  wait = JANK_INPUT_HELD;
  add (1000, 1002);
  g_assert_true (jank_input_answers_turn_ended (&answers, 1004 * MS));
  paint (&own, 1020, 1025);
  g_assert_cmpint (get_longest_ms (1), ==, 25);
  add (2000, 2002);
  g_assert_true (jank_input_answers_turn_ended (&answers, 2040 * MS));
  g_assert_false (jank_input_answers_turn_ended (&answers, 2200 * MS));
  g_assert_cmpint (get_longest_ms (2), ==, 40);
}

/* Its window is not shown: nobody waits for the frame, and how long it took says nothing. */
TEST_WITH (gpointer, set_up, NULL, self, not_shown)
{
  wait = JANK_INPUT_FRAME;
  add (1000, 1002);
  g_assert_true (jank_input_answers_turn_ended (&answers, 1004 * MS));
  busy_ms = 5;
  paint (&own, 3000, 3010);
  g_assert_cmpint (get_longest_ms (0), ==, 0);
  add (4000, 4002);
  g_assert_true (jank_input_answers_turn_ended (&answers, 4004 * MS));
  busy_ms = 1990;
  paint (&own, 6000, 6010);
  g_assert_cmpint (get_longest_ms (1), ==, 2010);
}

/* An input method has taken the key. */
TEST_WITH (gpointer, set_up, NULL, self, texts)
{
  add_of (JANK_INTERACTION_KEY, 1000, 1001, TRUE);
  g_assert_false (jank_input_answers_turn_ended (&answers, 1002 * MS));
  g_assert_cmpint (get_longest_ms (0), ==, 0);
  wait = JANK_INPUT_FRAME;
  add_of (JANK_INTERACTION_KEY, 1000, 1050, TRUE);
  g_assert_true (jank_input_answers_turn_ended (&answers, 1052 * MS));
  paint (&own, 1060, 1061);
  g_assert_cmpint (get_longest_ms (1), ==, 61);
}

TEST_WITH (gpointer, set_up, NULL, self, presented)
{
  JankInputFigures figures;

  wait = JANK_INPUT_FRAME;
  add (1000, 1002);
  add (1000, 1002);
  g_assert_true (jank_input_answers_turn_ended (&answers, 1004 * MS));
  paint (&own, 1010, 1020);
  jank_input_answers_painted (&answers, &other, 1030 * MS, 1035 * MS, TRUE, 1025 * MS);
  sum_up (2, &figures);
  g_assert_cmpuint (figures.presented.n, ==, 0);
  jank_input_answers_painted (&answers, &own, 1030 * MS, 1035 * MS, TRUE, 1025 * MS);
  sum_up (2, &figures);
  g_assert_cmpuint (figures.presented.n, ==, 2);
  g_assert_cmpint (figures.presented.longest_ns, ==, 25 * MS);
  /* A time before the frame is none of it. */
  add (2000, 2002);
  jank_input_answers_turn_ended (&answers, 2004 * MS);
  paint (&own, 2010, 2020);
  jank_input_answers_painted (&answers, &own, 2030 * MS, 2035 * MS, TRUE, 1025 * MS);
  sum_up (3, &figures);
  g_assert_cmpuint (figures.presented.n, ==, 2);
}

TEST_WITH (gpointer, set_up, NULL, self, figures)
{
  const JankInteractionKind kinds[] = { JANK_INTERACTION_PRESS, JANK_INTERACTION_RELEASE, JANK_INTERACTION_KEY,
                                        JANK_INTERACTION_SCROLL };
  JankInputFigures figures;

  for (int i = 1; i <= 100; i++)
    {
      JankInteraction named = { .widget = "GtkButton", .handled_ns = (1000 * i + 2) * MS };

      add_of (kinds[i % 4], 1000 * i, 1000 * i + 1, FALSE);
      g_snprintf (named.label, sizeof named.label, "%d", i);
      jank_input_answers_renew (&answers, &named, board.n - 2);
      if (i == 100)
        jank_input_answers_renew (&answers, &named, board.n - 1);
      g_assert_false (jank_input_answers_turn_ended (&answers, (1000 * i + 4 * i) * MS));
    }
  /* All but the first release are of a press. */
  g_assert_cmpint (sum_up (100 - 24, &figures), ==, 400);
  g_assert_cmpint (ABS (figures.answered.p50_ns - 200 * MS), <, 4 * MS);
  g_assert_cmpint (ABS (figures.answered.p75_ns - 300 * MS), <, 5 * MS);
  g_assert_cmpint (ABS (figures.answered.p98_ns - 392 * MS), <, 7 * MS);
  g_assert_cmpuint (figures.n_of[JANK_INTERACTION_RELEASE], ==, 25);
  g_assert_cmpuint (figures.n_of[JANK_INTERACTION_TOUCH], ==, 0);
  g_assert_cmpstr (figures.longest.label, ==, "100");
  g_assert_cmpint (figures.longest.handled_ns, ==, 100002 * MS);
  g_assert_cmpuint (figures.longest.kind, ==, JANK_INTERACTION_PRESS);
}

/* What is too much at a time counts for nothing, and harms nothing. */
TEST_WITH (gpointer, set_up, NULL, self, many)
{
  wait = JANK_INPUT_FRAME;
  for (int i = 0; i < 3 * JANK_INPUT_N_OPEN; i++)
    add (1000, 1002);
  g_assert_true (jank_input_answers_turn_ended (&answers, 1004 * MS));
  paint (&own, 1010, 1020);
  paint (&own, 1030, 1040);
  g_assert_cmpint (get_longest_ms (JANK_INPUT_N_OPEN), ==, 20);
  answers.n_open = answers.n_shown = 0;
}

TESTS ("/input/input-answers")
