/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs a rule over recorded events, and says how well it did. A pure function of both; any thread. */

#pragma once

#include "rules/jank-events-private.h"
#include "rules/jank-rule-private.h"

/* What the rule said at a moment. */
typedef struct
{
  gint64   began_ns;  /* of what it reports, as far as it knows */
  gint64   at_ns;     /* when it said so */
  gboolean again;     /* about the same as before */
  gboolean splits;    /* about the same stall, and another stack: a report of its own */
  gboolean final;     /* the stall is over, this is what remains on disk */
  guint    culprit;   /* by the stacks that it had, 0 none */
  guint    n_stacks;  /* that it had */
  gint64   oldest_ns; /* of those */
} JankVerdict;

/* A stall that really was: a busy period of at least as long as was asked for. */
typedef struct
{
  gint64   began_ns, ended_ns;
  guint    culprit;        /* of the report that was made of it, 0 none */
  gboolean found;
  gint64   delay_ns;       /* from its beginning to the first report that knows of it */
  guint    named;          /* as culprit, by that report or its final version; 0 none */
} JankTruth;

typedef struct
{
  GArray *verdicts; /* JankVerdict, by time */
  GArray *truths;   /* JankTruth, by time */
  guint   n_found, n_missed;
  guint   n_invented;      /* reports of a time with no stall in it */
  guint   n_right;         /* of those found: named as the report names them */
  guint   n_judged;        /* of those found: with a report that names somebody */
  gint64  median_delay_ns; /* of those found; -1 without any */
  gint64  least_fps_milli; /* of a rule that counts frames; -1: it never had a figure */
  guint64 n_pings, n_stacks;
} JankReplay;

/* shortest_ns: of a real stall. Returns: (transfer full) */
JankReplay *jank_replay      (const JankRule *rule, const JankEvents *events, gint64 shortest_ns);
void        jank_replay_free (JankReplay *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankReplay, jank_replay_free)
