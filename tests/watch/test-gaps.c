/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "watch/jank-gaps-private.h"

static void
test_overlap (void)
{
  JankGaps gaps = { 0 };

  g_assert_cmpint (jank_gaps_overlap (&gaps, 0, G_MAXINT64, FALSE), ==, 0);
  jank_gaps_add (&gaps, 100, 200, FALSE);
  jank_gaps_add (&gaps, 300, 350, TRUE);
  jank_gaps_add (&gaps, 400, 500, FALSE);

  g_assert_cmpint (jank_gaps_overlap (&gaps, 0, 1000, FALSE), ==, 200);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 0, 1000, TRUE), ==, 50);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 150, 450, FALSE), ==, 100);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 120, 130, FALSE), ==, 10);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 200, 400, FALSE), ==, 0);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 310, 320, TRUE), ==, 10);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 500, 100, FALSE), ==, 0);
}

/* Only the last ones are remembered. */
static void
test_many (void)
{
  JankGaps gaps = { 0 };

  for (gint64 i = 0; i < 3 * JANK_GAPS_SIZE; i++)
    jank_gaps_add (&gaps, i * 10, i * 10 + 1, FALSE);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 0, 1000000, FALSE), ==, JANK_GAPS_SIZE);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 0, 20 * JANK_GAPS_SIZE, FALSE), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/watch/gaps/overlap", test_overlap);
  g_test_add_func ("/watch/gaps/many", test_many);
  return g_test_run ();
}
