/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which sampled stack is to blame for a stall. Pure; any thread. */

#pragma once

#include "settings/jank-settings-private.h"
#include "watch/jank-stall-private.h"

/* Samples with the same innermost function: the same stack, by WeChat Matrix's rule. */
typedef struct
{
  guint  sample;    /* index of the newest */
  guint  n_samples;
  gint64 weight_ns; /* of all */
} JankHeaviestGroup;

/* The heaviest path through a call tree, from the outermost function inward. */
typedef struct
{
  guint32 nodes[JANK_STACK_MAX_CALLS]; /* into the tree's nodes, outermost first, without the root */
  guint   n_nodes;
  guint   n_samples;  /* all that have a stack */
  double  share;      /* 0..1 of their time, with the deepest node on the stack */
  double  self_share; /* 0..1 of their time, in the deepest node itself */
  double  confidence; /* 0..1, see jank_heaviest_confidence() */
} JankHeaviestPath;

/* A call off the path that takes at least a fifth of the stall. */
typedef struct
{
  guint32 node; /* into the tree's nodes */
  gint    from; /* its caller: into the path; from the path's n_nodes on, into the branches; -1: the root */
} JankHeaviestBranch;

/* WeChat Matrix samples at fixed intervals: finds the group with the most samples, the newest of equal ones. Samples
 * are oldest first. FALSE when no sample has a stack. */
gboolean jank_heaviest_by_count   (const JankSample *samples, guint n_samples, JankHeaviestGroup *ret_group);

/* The same where samples have weights: the group with the most weight. */
gboolean jank_heaviest_by_weight  (const JankSample *samples, guint n_samples, JankHeaviestGroup *ret_group);

/* The time that has stacks. The root keeps that of lost samples, of which many are of a thread without a CPU. */
gint64   jank_heaviest_get_known_ns (const JankCallNode *nodes);

/* From the root to its heaviest child, then on as long as the heaviest child has at least half of the known time. The
 * first step needs no half: its share is reported. Of equal children the newest wins. n_nodes is 0 when no sample
 * has a stack. startup: on as long as the heaviest child has half of its parent's time and a fifth of all. A start-up
 * does many things one after the other, and all of them are in main(). */
void     jank_heaviest_path       (const JankCallNode *nodes, guint n_nodes, gboolean startup,
                                   JankHeaviestPath *ret_path);

/* The whole stack that was seen most often, as a path; of equals the one that was seen first later. Shares are of its
 * samples. */
void     jank_heaviest_same       (const JankCallNode *nodes, guint n_nodes, JankHeaviestPath *ret_path);

/* All of them, callers before callees. Returns: (transfer full) (element-type JankHeaviestBranch) */
GArray  *jank_heaviest_branches   (const JankCallNode *nodes, guint n_nodes, const JankHeaviestPath *path);

/* The sample that shows the path best: with the most of its functions in order, and of those of the heaviest branch
 * behind its end, then the heaviest, then the newest. -1 when no sample has a stack. */
gint     jank_heaviest_find_path  (const JankHeaviestPath *path, const JankCallNode *nodes,
                                   const JankSample *samples, guint n_samples);

/* The address of the function that a report of the stall would blame; 0: none. */
guint64  jank_heaviest_find       (const JankStall *stall, JankPick pick);

/* 1 minus the half-width of the 95 % score interval of a share seen in n_samples samples: E. B. Wilson,
 * "Probable Inference, the Law of Succession, and Statistical Inference", Journal of the American Statistical
 * Association 22 (1927), pages 209-212. 0 without samples. */
double   jank_heaviest_confidence (double share, guint n_samples);
