/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One fingerprint over all sessions and programs, or what else reports have in common. Pure; any thread. */

#pragma once

#include "index/jank-filter-private.h"

#define JANK_PROBLEM_N_DAYS 14

/* What the rows of one problem have in common. */
typedef enum
{
  JANK_BY_FINGERPRINT,
  JANK_BY_APP,
  JANK_BY_EXTENSION,
  JANK_BY_WINDOW, /* the active one's title */
  JANK_BY_TAG,    /* each "name=value" */
  JANK_BY_SOURCE,
} JankBy;

/* Rows and texts are borrowed from the rows. */
typedef struct
{
  char            *key;          /* (owned): the fingerprint, or what else they have in common; "": they have none */
  const JankRow   *longest;      /* has the samples of the longest stall */
  GPtrArray       *rows;         /* (owned) (element-type JankRow): newest first */
  guint64          count;
  gint64           total_ns, p50_ns, p95_ns, longest_ns;
  gboolean         estimated;    /* some rows do not say how long their stalls were: percentiles are guesses */
  gint64           watched_ns;      /* its programs, in known sessions; 0: none is */
  double           hang_s_per_hour; /* of that time; -1: there is none */
  gint64           first_us, last_us;
  GPtrArray       *apps;         /* (owned) (element-type utf8) */
  GPtrArray       *versions;     /* (owned) (element-type utf8): versions or build-ids, newest first */
  guint            days[JANK_PROBLEM_N_DAYS]; /* stalls; the last is the newest row's, in local time */
} JankProblem;

/* rows: newest first. files (element-type JankSessionSummary): of the sessions that could have such rows. A row
 * with several tags is in the problem of each. Returns: (transfer full) (element-type JankProblem): those with the most
 * time first */
GPtrArray *jank_problems_new (GPtrArray *rows, GPtrArray *files, JankBy by);
