/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Two sets of sessions side by side: their figures, and each problem that one of them has. Pure; one thread. */

#pragma once

#include "compare/jank-claims-private.h"
#include "index/jank-row-private.h"
#include "store/jank-session-private.h"

typedef enum
{
  JANK_METRIC_HANG_RATE,   /* s/h in stalls of more than 250 ms */
  JANK_METRIC_STALLS,      /* 1/h */
  JANK_METRIC_STALLED,     /* s/h in all stalls */
  JANK_METRIC_LONGEST,     /* ms: mean of each session's longest stall */
  JANK_METRIC_FPS,
  JANK_METRIC_LATE_SHARE,  /* % of frames, late by the program's fault */
  JANK_METRIC_HITCH_RATIO, /* ms/s */
  JANK_METRIC_INPUT_P98,   /* ms: mean of what each session's interactions took, 98 of 100 at most */
  JANK_N_METRICS,
} JankMetric;

typedef enum
{
  JANK_CHANGE_CANNOT_TELL,
  JANK_CHANGE_NEW,
  JANK_CHANGE_SLOWER,
  JANK_CHANGE_FASTER,
  JANK_CHANGE_GONE,
  JANK_N_CHANGES,
} JankChange;

extern const char *const jank_metric_nicks[JANK_N_METRICS];
extern const char *const jank_metric_units[JANK_N_METRICS];
extern const char *const jank_change_nicks[JANK_N_CHANGES];

/* One fingerprint. */
typedef struct
{
  const JankRow *longest[2]; /* (nullable): of each side, borrowed */
  guint          n_with[2];  /* sessions that have it */
  JankClaim      time;       /* ms in it per hour that was watched */
  JankChange    verdict;
  guint64        n_loose;    /* stalls of processes without a session: they count for nothing */
} JankDifference;

typedef struct
{
  guint      n_sessions[2];
  gint64     watched_ns[2];
  guint      n_shared;       /* processes that both sets have: left out of both */
  GArray    *parts[JANK_N_METRICS][2]; /* (owned) (element-type JankPart) */
  JankClaim  metrics[JANK_N_METRICS];
  GPtrArray *differences;    /* (owned) (element-type JankDifference): by verdict, those with the most time first */
} JankComparison;

/* Each array has one of A and one of B; rows (element-type JankRow), which must outlive the result, and files
 * (element-type JankSessionSummary) of the processes that could have them. Returns: (transfer full) */
JankComparison *jank_comparison_new  (GPtrArray *const rows[2], GPtrArray *const files[2]);
void            jank_comparison_free (JankComparison *self);

/* Whether b is worse (1), better (-1), or that cannot be told (0). */
gint            jank_comparison_judge (const JankComparison *self, JankMetric metric);

/* For people. "12.5", "+0.25"; of a claim its interval, or that there is none; of a verdict and of a judgement a word.
 * Returns: (transfer full) */
char           *jank_comparison_number_text    (double number, gboolean with_sign);
char           *jank_comparison_change_text    (const JankClaim *claim, double divisor);
const char     *jank_comparison_name_change   (JankChange change);

/* A sentence for each thing that counts for nothing, without a full stop. a, b: what the sets are called.
 * Returns: (transfer full) (element-type utf8) */
GPtrArray      *jank_comparison_list_left_out  (const JankComparison *self, const char *a, const char *b);

typedef enum
{
  JANK_LIMIT_KEPT,
  JANK_LIMIT_EXCEEDED,
  JANK_LIMIT_CANNOT_TELL,
} JankLimitResult;

extern const char *const jank_limit_nicks[JANK_LIMIT_CANNOT_TELL + 1];

/* text: "hang-rate>+10%" (than A by so much), "fps<-5" (than A, in the metric's unit), "longest>500" (B alone), or
 * "new>0" and "slower>0" (problems). JANK_ERROR_INVALID. self (nullable): only look at the text. Returns: FALSE with
 * an error */
gboolean        jank_comparison_check (const JankComparison *self, const char *text, JankLimitResult *ret_result,
                                       GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankComparison, jank_comparison_free)
