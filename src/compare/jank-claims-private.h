/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a few sessions prove. The session is the unit of chance: two stalls of one session are not independent of each
 * other. The same input always gives the same answer. Pure; any thread. */

#pragma once

#include <glib.h>

/* With fewer sessions on either side there is no answer. */
#define JANK_CLAIM_MIN_SESSIONS 4
/* A problem that one side does not have is new or gone when chance does that less often, to all
 * claims together. */
#define JANK_CLAIM_MAX_CHANCE 0.05

/* Of one session: what is counted, and in how much. */
typedef struct
{
  double amount, extent;
} JankPart;

typedef struct
{
  double   a, b;           /* amount by extent of each side; NAN: it has no extent */
  double   change;         /* b - factor * a */
  double   low, high;      /* 95 % of it; meaningless while too_few */
  guint    n_a, n_b;       /* sessions with an extent */
  gboolean too_few;
} JankClaim;

/* By a bootstrap over the sessions, and wider than that: few sessions show too little of their own spread. Where the
 * factor is 0, b alone is asked about. a, b: (element-type JankPart) */
JankClaim jank_claim_new    (const GArray *a, const GArray *b, double factor);

/* Makes the intervals of n_claims claims hold all together in 95 of 100 cases (Bonferroni). */
void      jank_claim_widen  (JankClaim *self, guint n_claims);

/* How likely it is that all n_with sessions that have something are among the n sessions of one side, with n_other
 * on the other side, if the sides are the same. */
double    jank_claim_chance (guint n_with, guint n, guint n_other);

/* Wilson's interval of a share, 95 %. */
void      jank_claim_share  (guint n_with, guint n, double *ret_low, double *ret_high);
