/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Claims about sessions that are drawn from known distributions, with a seed. */

#include <math.h>

#include "compare/jank-claims-private.h"
#include "test.h"

/* Stalls as programs have them: most sessions have a little, a few have much. Returns: (transfer full) */
static GArray *
draw (GRand *random, guint n, double mean)
{
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (JankPart));

  for (guint i = 0; i < n; i++)
    {
      JankPart part = { 0, g_rand_double_range (random, 0.5, 1.5) };

      part.amount = part.extent * mean * -log (1 - g_rand_double (random));
      g_array_append_val (parts, part);
    }
  return parts;
}

/* How often, of n, a difference of the two is claimed: how often b is more, and less. */
static void
count (guint n_sessions, double mean_a, double mean_b, guint n, guint *ret_more, guint *ret_less)
{
  GRand *random = g_rand_new_with_seed (n_sessions);

  *ret_more = *ret_less = 0;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GArray) a = draw (random, n_sessions, mean_a), b = draw (random, n_sessions, mean_b);
      JankClaim claim = jank_claim_new (a, b, 1);

      *ret_more += claim.low > 0;
      *ret_less += claim.high < 0;
    }
  g_rand_free (random);
  g_test_message ("%u sessions: %g and %g: of %u, %u more, %u less", n_sessions, mean_a, mean_b, n, *ret_more,
                  *ret_less);
}

TEST (equal)
{
  for (guint n = JANK_CLAIM_MIN_SESSIONS; n <= 32; n *= 2)
    {
      guint more, less;

      count (n, 1, 1, 300, &more, &less);
      g_assert_cmpuint (more + less, <=, 300 / 14);
    }
}

TEST (different)
{
  guint more, less;

  count (24, 1, 4, 100, &more, &less);
  g_assert_cmpuint (more, >=, 90);
  g_assert_cmpuint (less, ==, 0);
  count (24, 4, 1, 100, &more, &less);
  g_assert_cmpuint (less, >=, 90);
  g_assert_cmpuint (more, ==, 0);
}

TEST (few)
{
  GRand *random = g_rand_new_with_seed (1);
  g_autoptr (GArray) few = draw (random, JANK_CLAIM_MIN_SESSIONS - 1, 1), enough =
      draw (random, JANK_CLAIM_MIN_SESSIONS, 9);
  g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (JankPart));
  JankPart nothing = { 5, 0 };
  JankClaim claim = jank_claim_new (few, enough, 1), again;

  g_assert_true (claim.too_few);
  /* Without extent it is no session. */
  g_array_append_val (few, nothing);
  claim = jank_claim_new (few, enough, 1);
  g_assert_true (claim.too_few);
  g_assert_cmpuint (claim.n_a, ==, JANK_CLAIM_MIN_SESSIONS - 1);
  claim = jank_claim_new (none, enough, 1);
  g_assert_true (claim.too_few && isnan (claim.a) && !isnan (claim.b));
  /* b alone */
  claim = jank_claim_new (none, enough, 0);
  g_assert_false (claim.too_few);
  g_assert_true (claim.low < claim.b && claim.b < claim.high);
  again = jank_claim_new (none, enough, 0);
  g_assert_true (claim.low == again.low && claim.high == again.high);
  g_rand_free (random);
}

TEST (exact)
{
  g_autoptr (GArray) a = g_array_new (FALSE, FALSE, sizeof (JankPart)), b =
      g_array_new (FALSE, FALSE, sizeof (JankPart));
  double low, high;
  JankClaim claim;

  for (guint i = 0; i < 5; i++)
    {
      g_array_append_val (a, ((JankPart) { 2, 1 }));
      g_array_append_val (b, ((JankPart) { 3, 1 }));
    }
  claim = jank_claim_new (a, b, 1.5);
  g_assert_cmpfloat_with_epsilon (claim.low, 0, 1e-9);
  g_assert_cmpfloat_with_epsilon (claim.high, 0, 1e-9);
  claim = jank_claim_new (a, b, 1);
  g_assert_cmpfloat_with_epsilon (claim.low, 1, 1e-9);

  g_assert_cmpfloat_with_epsilon (jank_claim_chance (3, 3, 3), 0.05, 1e-9);
  g_assert_cmpfloat_with_epsilon (jank_claim_chance (2, 2, 2), 1 / 6.0, 1e-9);
  g_assert_cmpfloat_with_epsilon (jank_claim_chance (1, 5, 5), 0.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (jank_claim_chance (2, 2, 0), 1, 1e-9);
  /* As tables of Wilson's interval have them. */
  jank_claim_share (0, 10, &low, &high);
  g_assert_cmpfloat_with_epsilon (low, 0, 1e-9);
  g_assert_cmpfloat_with_epsilon (high, 0.2775, 1e-3);
  jank_claim_share (5, 10, &low, &high);
  g_assert_cmpfloat_with_epsilon (low, 0.2366, 1e-3);
  jank_claim_share (0, 0, &low, &high);
  g_assert_true (low == 0 && high == 1);
}

TESTS ("/compare/claims")
