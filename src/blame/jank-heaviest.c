/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "blame/jank-heaviest-private.h"

#include <math.h>

/* Two-sided 95 % quantile of the standard normal distribution. */
#define Z_95 1.959963984540054

/* A branch has at least this part of the known time. */
#define BRANCH_PART 5
/* Calls in all branches: at most five of them end in different calls. */
#define MAX_BRANCHES JANK_STACK_MAX_CALLS

static gboolean
jank_heaviest_has_stack (const JankSample *sample)
{
  return sample->stack != NULL && sample->stack->n_calls != 0;
}

static gboolean
jank_heaviest_same_innermost (const JankSample *a, const JankSample *b)
{
  return jank_heaviest_has_stack (a) && jank_heaviest_has_stack (b) &&
         jank_call_is_same (&a->stack->calls[0], &b->stack->calls[0]);
}

static gboolean
jank_heaviest_find_group (const JankSample *samples, guint n_samples, gboolean by_count, JankHeaviestGroup *ret_group)
{
  JankHeaviestGroup best = { 0 };

  /* From the newest down, so that a tie goes to the newest. */
  for (guint i = n_samples; i-- > 0;)
    {
      JankHeaviestGroup group = { .sample = i };

      for (guint k = 0; k < n_samples; k++)
        if (jank_heaviest_same_innermost (&samples[i], &samples[k]))
          {
            group.n_samples++;
            group.weight_ns += samples[k].weight_ns;
          }
      if (by_count ? group.n_samples > best.n_samples
                   : group.n_samples != 0 && (best.n_samples == 0 || group.weight_ns > best.weight_ns))
        best = group;
    }

  if (best.n_samples == 0)
    return FALSE;
  *ret_group = best;
  return TRUE;
}

gboolean
jank_heaviest_by_count (const JankSample *samples, guint n_samples, JankHeaviestGroup *ret_group)
{
  return jank_heaviest_find_group (samples, n_samples, TRUE, ret_group);
}

gboolean
jank_heaviest_by_weight (const JankSample *samples, guint n_samples, JankHeaviestGroup *ret_group)
{
  return jank_heaviest_find_group (samples, n_samples, FALSE, ret_group);
}

double
jank_heaviest_confidence (double share, guint n_samples)
{
  double n = n_samples;
  double half_width;

  if (n_samples == 0)
    return 0;
  half_width = Z_95 / (1 + Z_95 * Z_95 / n) * sqrt (share * (1 - share) / n + Z_95 * Z_95 / (4 * n * n));
  return 1 - half_width;
}

gint64
jank_heaviest_get_known_ns (const JankCallNode *nodes)
{
  return nodes[0].total_ns - nodes[0].self_ns;
}

static gboolean
jank_heaviest_is_branch (const JankCallNode *nodes, guint32 node)
{
  return nodes[node].total_ns > 0 && nodes[node].total_ns >= jank_heaviest_get_known_ns (nodes) / BRANCH_PART;
}

/* Nodes are made in the order of their first sample. Returns: JANK_CALL_NODE_NONE for a leaf */
static guint32
jank_heaviest_find_heaviest_child (const JankCallNode *nodes, guint32 parent)
{
  guint32 heaviest = JANK_CALL_NODE_NONE;

  for (guint32 i = nodes[parent].first_child; i != JANK_CALL_NODE_NONE; i = nodes[i].next_sibling)
    if (heaviest == JANK_CALL_NODE_NONE || nodes[i].total_ns > nodes[heaviest].total_ns
        || (nodes[i].total_ns == nodes[heaviest].total_ns && i > heaviest))
      heaviest = i;
  return heaviest;
}

void
jank_heaviest_path (const JankCallNode *nodes, guint n_nodes, gboolean startup, JankHeaviestPath *ret_path)
{
  gint64 whole_ns, of_ns;
  guint32 node;

  *ret_path = (JankHeaviestPath) { .n_nodes = 0 };
  if (n_nodes == 0)
    return;

  whole_ns = of_ns = jank_heaviest_get_known_ns (nodes);
  for (guint32 i = nodes[0].first_child; i != JANK_CALL_NODE_NONE; i = nodes[i].next_sibling)
    ret_path->n_samples += nodes[i].n_samples;
  node = jank_heaviest_find_heaviest_child (nodes, 0);
  while (node != JANK_CALL_NODE_NONE && ret_path->n_nodes < G_N_ELEMENTS (ret_path->nodes)
         && (ret_path->n_nodes == 0
             || (nodes[node].total_ns >= of_ns - nodes[node].total_ns
                 && (!startup || jank_heaviest_is_branch (nodes, node)))))
    {
      ret_path->nodes[ret_path->n_nodes++] = node;
      if (startup)
        of_ns = nodes[node].total_ns;
      node = jank_heaviest_find_heaviest_child (nodes, node);
    }

  if (ret_path->n_nodes != 0 && whole_ns > 0)
    {
      const JankCallNode *deepest = &nodes[ret_path->nodes[ret_path->n_nodes - 1]];

      ret_path->share = (double) deepest->total_ns / (double) whole_ns;
      ret_path->self_share = (double) deepest->self_ns / (double) whole_ns;
      ret_path->confidence = jank_heaviest_confidence (ret_path->share, ret_path->n_samples);
    }
}

/* From node to the outermost function, and then turned round. */
static void
jank_heaviest_lead_to (const JankCallNode *nodes, guint32 node, JankHeaviestPath *path)
{
  for (; node != 0 && path->n_nodes < G_N_ELEMENTS (path->nodes); node = nodes[node].parent)
    path->nodes[path->n_nodes++] = node;
  for (guint i = 0; i < path->n_nodes / 2; i++)
    {
      guint32 outer = path->nodes[path->n_nodes - 1 - i];

      path->nodes[path->n_nodes - 1 - i] = path->nodes[i];
      path->nodes[i] = outer;
    }
}

void
jank_heaviest_same (const JankCallNode *nodes, guint n_nodes, JankHeaviestPath *ret_path)
{
  g_autofree guint32 *n_ended = g_new0 (guint32, MAX (n_nodes, 1));
  guint32 best = 0, n_known;

  *ret_path = (JankHeaviestPath) { .n_nodes = 0 };
  for (guint32 i = 0; i < n_nodes; i++)
    {
      n_ended[i] += nodes[i].n_samples;
      if (i > 0)
        n_ended[nodes[i].parent] -= nodes[i].n_samples;
    }
  for (guint32 i = 1; i < n_nodes; i++)
    if (n_ended[i] > 0 && (best == 0 || n_ended[i] >= n_ended[best]))
      best = i;
  if (best == 0)
    return;
  n_known = nodes[0].n_samples - n_ended[0];
  jank_heaviest_lead_to (nodes, best, ret_path);
  ret_path->n_samples = n_known;
  ret_path->share = ret_path->self_share = (double) n_ended[best] / (double) n_known;
  ret_path->confidence = jank_heaviest_confidence (ret_path->share, n_known);
}

/* A node is made after its parent. */
GArray *
jank_heaviest_branches (const JankCallNode *nodes, guint n_nodes, const JankHeaviestPath *path)
{
  GArray *branches = g_array_new (FALSE, FALSE, sizeof (JankHeaviestBranch));
  g_autofree gint *indices = g_new (gint, MAX (n_nodes, 1));

  for (guint i = 0; i < n_nodes; i++)
    indices[i] = -1;
  for (guint i = 0; i < path->n_nodes; i++)
    indices[path->nodes[i]] = (gint) i;
  for (guint32 i = 1; i < n_nodes && branches->len < MAX_BRANCHES; i++)
    {
      JankHeaviestBranch branch = { i, indices[nodes[i].parent] };

      if (indices[i] >= 0 || !jank_heaviest_is_branch (nodes, i))
        continue;
      indices[i] = (gint) (path->n_nodes + branches->len);
      g_array_append_val (branches, branch);
    }
  return branches;
}

/* How many functions of the path are on the stack, in order from the outermost. */
static guint
jank_heaviest_count_steps (const JankHeaviestPath *path, const JankCallNode *nodes, const JankStack *stack)
{
  guint n = 0;

  for (guint i = stack->n_calls; i-- > 0 && n < path->n_nodes;)
    if (jank_call_is_same (&stack->calls[i], &nodes[path->nodes[n]].call))
      n++;
  return n;
}

/* Where no callee has half, the path goes on with the branch that has most. */
static JankHeaviestPath *
jank_heaviest_extend (const JankHeaviestPath *path, const JankCallNode *nodes)
{
  JankHeaviestPath *longer = g_memdup2 (path, sizeof *path);
  guint32 node = path->n_nodes > 0 ? path->nodes[path->n_nodes - 1] : JANK_CALL_NODE_NONE;

  while (node != JANK_CALL_NODE_NONE && longer->n_nodes < G_N_ELEMENTS (longer->nodes))
    {
      node = jank_heaviest_find_heaviest_child (nodes, node);
      if (node == JANK_CALL_NODE_NONE || !jank_heaviest_is_branch (nodes, node))
        break;
      longer->nodes[longer->n_nodes++] = node;
    }
  return longer;
}

gint
jank_heaviest_find_path (const JankHeaviestPath *path, const JankCallNode *nodes,
                         const JankSample *samples, guint n_samples)
{
  g_autofree JankHeaviestPath *longer = jank_heaviest_extend (path, nodes);
  gint best = -1;
  guint best_steps = 0;

  for (guint i = 0; i < n_samples; i++)
    {
      guint steps;

      if (!jank_heaviest_has_stack (&samples[i]))
        continue;
      steps = jank_heaviest_count_steps (longer, nodes, samples[i].stack);
      if (best < 0 || steps > best_steps
          || (steps == best_steps && samples[i].weight_ns >= samples[best].weight_ns))
        {
          best = (gint) i;
          best_steps = steps;
        }
    }
  return best;
}

guint64
jank_heaviest_find (const JankStall *stall, JankPick pick)
{
  g_autofree JankHeaviestPath *path = NULL;
  const JankSample *samples = jank_sample_ring_get_all (stall->ring);
  const JankCallNode *nodes;
  JankHeaviestGroup group;
  guint n_nodes;

  if (pick == JANK_PICK_LAST20)
    return jank_heaviest_by_count (samples, jank_sample_ring_get_size (stall->ring), &group)
           ? samples[group.sample].stack->calls[0].function : 0;
  path = g_new (JankHeaviestPath, 1);
  nodes = jank_call_tree_get_nodes (stall->tree, &n_nodes);
  if (pick == JANK_PICK_SAME)
    jank_heaviest_same (nodes, n_nodes, path);
  else
    jank_heaviest_path (nodes, n_nodes, stall->kind == JANK_STALL_STARTUP, path);
  return path->n_nodes > 0 ? nodes[path->nodes[path->n_nodes - 1]].call.function : 0;
}
