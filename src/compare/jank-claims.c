/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "compare/jank-claims-private.h"

#include <math.h>
#include <stdlib.h>

#include "base/jank-order-private.h"

#define MAX_RESAMPLES 2000
#define MIN_RESAMPLES 400
#define MAX_DRAWS 400000 /* where there are so many sessions, fewer resamples are as good */
#define SEED 18
#define Z 1.959964 /* of 95 % */

/* Cornish and Fisher's series for Student's quantile: 1 % off for three degrees of freedom, less for more. */
static double
student (guint n, double z)
{
  double v = (double) n - 1, z2 = z * z;

  return z * (1 + (z2 + 1) / (4 * v) + (5 * z2 * z2 + 16 * z2 + 3) / (96 * v * v) +
              (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / (384 * v * v * v));
}

/* Returns: (transfer full): the sessions that have an extent */
static GArray *
filter (const GArray *parts)
{
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (JankPart));

  for (guint i = 0; i < parts->len; i++)
    if (g_array_index (parts, JankPart, i).extent > 0)
      g_array_append_val (kept, g_array_index (parts, JankPart, i));
  return kept;
}

/* random: (nullable): of as many sessions, drawn with it */
static double
get_rate (const GArray *parts, GRand *random)
{
  JankPart sum = { 0 };

  for (guint i = 0; i < parts->len; i++)
    {
      guint at = random != NULL ? (guint) (((guint64) g_rand_int (random) * parts->len) >> 32) : i;

      sum.amount += g_array_index (parts, JankPart, at).amount;
      sum.extent += g_array_index (parts, JankPart, at).extent;
    }
  return sum.amount / sum.extent;
}

JANK_ORDER_RISING (compare_cb, double, [0])

JankClaim
jank_claim_new (const GArray *all_a, const GArray *all_b, double factor)
{
  g_autoptr (GArray) a = filter (all_a), b = filter (all_b);
  gboolean alone = factor <= 0;
  guint n = alone ? b->len : MIN (a->len, b->len);
  JankClaim claim = { NAN, NAN, NAN, NAN, NAN, a->len, b->len, n < JANK_CLAIM_MIN_SESSIONS };
  g_autofree double *changes = NULL;
  GRand *random;
  guint n_resamples = CLAMP (MAX_DRAWS / MAX (a->len + b->len, 1), MIN_RESAMPLES, MAX_RESAMPLES),
      n_beyond = n_resamples / 40;
  double wider;

  if (a->len > 0)
    claim.a = get_rate (a, NULL);
  if (b->len > 0)
    claim.b = get_rate (b, NULL);
  claim.change = claim.b - (alone ? 0 : factor * claim.a);
  if (claim.too_few)
    return claim;

  changes = g_new (double, n_resamples);
  random = g_rand_new_with_seed (SEED);
  for (guint i = 0; i < n_resamples; i++)
    changes[i] = get_rate (b, random) - (alone ? 0 : factor * get_rate (a, random));
  g_rand_free (random);
  qsort (changes, n_resamples, sizeof *changes, compare_cb);
  wider = student (n, Z) / Z * sqrt ((double) n / (n - 1));
  claim.low = claim.change - MAX (claim.change - changes[n_beyond], 0) * wider;
  claim.high = claim.change + MAX (changes[n_resamples - 1 - n_beyond] - claim.change, 0) * wider;
  return claim;
}

void
jank_claim_widen (JankClaim *self, guint n_claims)
{
  guint n = MIN (self->n_a, self->n_b);
  double low = Z, high = 10, wider;

  if (self->too_few || n_claims < 2)
    return;
  /* of the normal distribution, with that much less beyond */
  for (guint i = 0; i < 50; i++)
    *(erfc ((low + high) / 2 * G_SQRT2 / 2) > 0.05 / n_claims ? &low : &high) = (low + high) / 2;
  wider = student (n, low) / student (n, Z);
  self->low = self->change - (self->change - self->low) * wider;
  self->high = self->change + (self->high - self->change) * wider;
}

double
jank_claim_chance (guint n_with, guint n, guint n_other)
{
  double chance = 1;

  for (guint i = 0; i < n_with; i++)
    chance *= ((double) n - i) / ((double) n + n_other - i);
  return chance;
}

void
jank_claim_share (guint n_with, guint n, double *ret_low, double *ret_high)
{
  double share, middle, half, whole;

  *ret_low = 0;
  *ret_high = 1;
  if (n == 0)
    return;
  share = (double) n_with / n;
  whole = 1 + Z * Z / n;
  middle = (share + Z * Z / (2 * n)) / whole;
  half = Z * sqrt (share * (1 - share) / n + Z * Z / (4.0 * n * n)) / whole;
  *ret_low = MAX (middle - half, 0);
  *ret_high = MIN (middle + half, 1);
}
