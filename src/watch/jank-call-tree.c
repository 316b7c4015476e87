/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch/jank-stall-private.h"

struct _JankCallTree
{
  GArray *nodes; /* (owned) JankCallNode; 0 is the root */
};

static guint32
jank_call_tree_append_node (JankCallTree *self, guint32 parent, const JankCall *call)
{
  guint32 index = self->nodes->len;
  JankCallNode node = { .call = *call, .parent = parent, .first_child = JANK_CALL_NODE_NONE,
                        .next_sibling = JANK_CALL_NODE_NONE };

  if (parent != JANK_CALL_NODE_NONE)
    {
      JankCallNode *above = &g_array_index (self->nodes, JankCallNode, parent);

      node.next_sibling = above->first_child;
      above->first_child = index;
    }
  g_array_append_val (self->nodes, node);
  return index;
}

JankCallTree *
jank_call_tree_new (void)
{
  JankCallTree *self = g_new0 (JankCallTree, 1);

  self->nodes = g_array_new (FALSE, FALSE, sizeof (JankCallNode));
  jank_call_tree_append_node (self, JANK_CALL_NODE_NONE, &(JankCall) { .module = JANK_MODULE_NONE });
  return self;
}

void
jank_call_tree_free (JankCallTree *self)
{
  g_array_unref (self->nodes);
  g_free (self);
}

static guint32
jank_call_tree_find_child (JankCallTree *self, guint32 parent, const JankCall *call)
{
  const JankCallNode *nodes = (const JankCallNode *) (void *) self->nodes->data;
  guint32 child = nodes[parent].first_child;

  while (child != JANK_CALL_NODE_NONE &&
         (!jank_call_is_same (&nodes[child].call, call) || nodes[child].call.script_request != call->script_request))
    child = nodes[child].next_sibling;
  return child;
}

static JankCallNode *
jank_call_tree_charge (JankCallTree *self, guint32 index, gint64 weight_ns, guint n_samples)
{
  JankCallNode *node = &g_array_index (self->nodes, JankCallNode, index);

  node->total_ns += weight_ns;
  node->n_samples += n_samples;
  return node;
}

void
jank_call_tree_add (JankCallTree *self, const JankStack *stack, gint64 weight_ns, guint n_samples)
{
  guint32 at = 0;

  jank_call_tree_charge (self, at, weight_ns, n_samples);
  for (guint i = stack != NULL ? stack->n_calls : 0; i > 0; i--)
    {
      const JankCall *call = &stack->calls[i - 1];
      guint32 child;

      if (call->is_aside)
        continue;
      child = jank_call_tree_find_child (self, at, call);
      if (child == JANK_CALL_NODE_NONE)
        {
          if (self->nodes->len >= JANK_CALL_TREE_MAX_NODES)
            break;
          child = jank_call_tree_append_node (self, at, call);
        }
      at = child;
      jank_call_tree_charge (self, at, weight_ns, n_samples);
    }
  g_array_index (self->nodes, JankCallNode, at).self_ns += weight_ns;
}

JankStack *
jank_call_tree_get_stack (const JankCallNode *nodes, guint32 at, guint *ret_n_samples)
{
  JankCall calls[JANK_STACK_MAX_CALLS];
  guint n = 0;

  *ret_n_samples = nodes[at].n_samples;
  for (guint32 k = nodes[at].first_child; k != JANK_CALL_NODE_NONE; k = nodes[k].next_sibling)
    *ret_n_samples -= nodes[k].n_samples;
  if (nodes[at].self_ns == 0 && *ret_n_samples == 0)
    return NULL;
  for (; at != 0 && n < JANK_STACK_MAX_CALLS; at = nodes[at].parent)
    calls[n++] = nodes[at].call;
  return jank_stack_new (calls, n, TRUE);
}

void
jank_call_tree_rename (JankCallTree *self, JankStackRename rename, gpointer data)
{
  g_autoptr (GArray) old = g_steal_pointer (&self->nodes);
  const JankCallNode *nodes = (const JankCallNode *) (void *) old->data;

  self->nodes = g_array_new (FALSE, FALSE, sizeof (JankCallNode));
  jank_call_tree_append_node (self, JANK_CALL_NODE_NONE, &(JankCall) { .module = JANK_MODULE_NONE });
  for (guint32 i = 0; i < old->len; i++)
    {
      guint n_samples;
      JankStack *stack = jank_call_tree_get_stack (nodes, i, &n_samples);

      if (stack == NULL)
        continue;
      stack = rename (stack, data);
      jank_call_tree_add (self, stack, nodes[i].self_ns, n_samples);
      jank_stack_unref (stack);
    }
}

const JankCallNode *
jank_call_tree_get_nodes (const JankCallTree *self, guint *ret_n_nodes)
{
  *ret_n_nodes = self->nodes->len;
  return (const JankCallNode *) (void *) self->nodes->data;
}
