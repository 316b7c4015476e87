/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include "input/jank-input-board-private.h"

#define MS       JANK_NS_PER_MS
#define N_ROUNDS 20000

/* A stall from 1000 to 1400 ms. */
#define BEGAN_NS (1000 * MS)
#define ENDED_NS (1400 * MS)

static void
push (JankInputBoard *board, JankInteractionKind kind, gint64 stamp_ms, gint64 handled_ms)
{
  JankInteraction interaction = { .kind = kind, .stamp_ns = stamp_ms * MS, .handled_ns = handled_ms * MS };

  jank_input_board_push (board, &interaction);
}

/* Returns: in ms, 0: nobody did */
static gint64
find (JankInputBoard *board, JankInteractionKind kind)
{
  JankInteraction found;
  gint64 waited_ns;

  if (!jank_input_board_find (board, BEGAN_NS, ENDED_NS, &found, &waited_ns))
    return 0;
  g_assert_cmpuint (found.kind, ==, kind);
  g_assert_cmpint (waited_ns % MS, ==, 0);
  return waited_ns / MS;
}

TEST (nobody)
{
  JankInputBoard board = { 0 };

  g_assert_cmpint (find (&board, 0), ==, 0);
  push (&board, JANK_INTERACTION_KEY, 900, 901);   /* before it */
  push (&board, JANK_INTERACTION_KEY, 1600, 1601); /* after it */
  push (&board, JANK_INTERACTION_KEY, 1390, 1401); /* too short to feel */
  push (&board, JANK_INTERACTION_KEY, 1300, 1800); /* behind another one */
  g_assert_cmpint (find (&board, 0), ==, 0);
}

/* Its own handler keeps the loop. */
TEST (begins_it)
{
  JankInputBoard board = { 0 };

  push (&board, JANK_INTERACTION_PRESS, 900, 902);
  push (&board, JANK_INTERACTION_RELEASE, 998, 1001);
  push (&board, JANK_INTERACTION_KEY, 1200, 1402);
  g_assert_cmpint (find (&board, JANK_INTERACTION_RELEASE), ==, 402);
}

TEST (waits_behind_it)
{
  JankInputBoard board = { 0 };

  push (&board, JANK_INTERACTION_SCROLL, 1370, 1401);
  push (&board, JANK_INTERACTION_PRESS, 1100, 1402);
  push (&board, JANK_INTERACTION_RELEASE, 1100, 1404);
  g_assert_cmpint (find (&board, JANK_INTERACTION_PRESS), ==, 302);
}

TEST (changes)
{
  JankInputBoard board = { 0 };
  JankInteraction interaction = { JANK_INTERACTION_TOUCH, 1100 * MS, 1401 * MS, "", "", 0, 0 }, found;
  gint64 waited_ns;

  g_assert_cmpuint (jank_input_board_push (&board, &interaction), ==, 0);
  g_assert_false (jank_input_board_is_named (&board, ENDED_NS));
  g_strlcpy (interaction.widget, "GtkButton", sizeof interaction.widget);
  g_strlcpy (interaction.label, "Open", sizeof interaction.label);
  jank_input_board_change (&board, 0, &interaction);
  g_assert_true (jank_input_board_is_named (&board, ENDED_NS));
  g_assert_false (jank_input_board_is_named (&board, ENDED_NS + 10 * MS));
  g_assert_false (jank_input_board_is_named (&board, BEGAN_NS));
  g_assert_true (jank_input_board_find (&board, BEGAN_NS, ENDED_NS, &found, &waited_ns));
  g_assert_cmpstr (found.label, ==, "Open");
}

/* As one click, of the longer of the two. */
TEST (counts_clicks)
{
  const struct { JankInteractionKind kind; gint64 ms; guint64 n; gint64 total_ms; } answers[] = {
    { JANK_INTERACTION_PRESS, 300, 1, 300 },  { JANK_INTERACTION_RELEASE, 20, 1, 300 },
    { JANK_INTERACTION_PRESS, 10, 2, 310 },   { JANK_INTERACTION_KEY, 5, 3, 315 },
    { JANK_INTERACTION_RELEASE, 400, 3, 705 }, { JANK_INTERACTION_RELEASE, 7, 4, 712 },
  };
  g_autofree JankInputBoard *board = g_new0 (JankInputBoard, 1);

  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    {
      JankInteraction interaction = { .kind = answers[i].kind, .answered_ns = answers[i].ms * MS };
      JankInputFigures figures;

      jank_input_board_answer (board, jank_input_board_push (board, &interaction), &interaction);
      g_assert_true (jank_input_board_sum_up (board, &figures));
      g_assert_cmpuint (figures.answered.n, ==, answers[i].n);
      g_assert_cmpint (figures.answered.total_ns, ==, answers[i].total_ms * MS);
    }
}

static gpointer
push_many (gpointer data)
{
  JankInputBoard *board = data;

  for (gint64 i = 1; i <= N_ROUNDS; i++)
    {
      JankInteraction interaction = { JANK_INTERACTION_KEY, (1000 + i) * MS, (1000 + 2 * i) * MS, "", "", 0, 0 };

      g_snprintf (interaction.label, sizeof interaction.label, "%" G_GINT64_FORMAT, i);
      interaction.answered_ns = interaction.stamp_ns + i * MS;
      jank_input_board_answer (board, jank_input_board_push (board, &interaction), &interaction);
      jank_input_board_count_motion (board);
    }
  return NULL;
}

static void
check_figures (JankInputBoard *board)
{
  JankInputFigures figures;

  if (!jank_input_board_sum_up (board, &figures) || figures.answered.n == 0)
    return;
  g_assert_cmpuint (figures.n_of[JANK_INTERACTION_KEY], ==, figures.answered.n);
  g_assert_cmpint (figures.answered.longest_ns, ==, (gint64) figures.answered.n * MS);
  g_assert_cmpint (figures.longest.answered_ns - figures.longest.stamp_ns, ==, figures.answered.longest_ns);
  g_assert_cmpint (g_ascii_strtoll (figures.longest.label, NULL, 10), ==, (gint64) figures.answered.n);
}

/* All that a reader gets of one is of one moment. */
TEST (another_thread_reads)
{
  g_autofree JankInputBoard *board = g_new0 (JankInputBoard, 1);
  GThread *thread = g_thread_new ("writer", push_many, board);
  guint64 n = 0;

  while (n < N_ROUNDS)
    {
      JankInteraction found;
      gint64 waited_ns;

      n = atomic_load_explicit (&board->n, memory_order_acquire);
      check_figures (board);
      if (!jank_input_board_find (board, 0, G_MAXINT64 / 2, &found, &waited_ns))
        continue;
      g_assert_cmpint ((found.handled_ns - 1000 * MS) / 2, ==, found.stamp_ns - 1000 * MS);
      g_assert_cmpint (g_ascii_strtoll (found.label, NULL, 10), ==, found.stamp_ns / MS - 1000);
    }
  g_thread_join (thread);
  g_assert_cmpuint (atomic_load (&board->n_motion), ==, N_ROUNDS);
}

TESTS ("/input/input-board")
