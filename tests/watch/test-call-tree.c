/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "watch/jank-stall-private.h"
#include "test.h"

#define N_ROUNDS 300
#define N_STACKS 3000

/* A letter per function, outermost first; pc is another address of the function each time. */
static JankStack *
make_stack (const char *functions, guint64 line)
{
  guint n = (guint) strlen (functions);
  g_autofree JankCall *frames = g_new0 (JankCall, n);

  for (guint i = 0; i < n; i++)
    frames[n - 1 - i] = (JankCall) { (guint64) functions[i] * 256 + line, (guint64) functions[i] * 256, 0 };
  return jank_stack_new (frames, n, TRUE);
}

static void
add (JankCallTree *tree, const char *functions, gint64 weight_ns, guint n_samples)
{
  static guint64 line;
  g_autoptr (JankStack) stack = make_stack (functions, line++ % 256);

  jank_call_tree_add (tree, stack, weight_ns, n_samples);
}

/* The node at the end of a path from the root. */
static const JankCallNode *
find (JankCallTree *tree, const char *path)
{
  guint n_nodes;
  const JankCallNode *nodes = jank_call_tree_get_nodes (tree, &n_nodes);
  const JankCallNode *at = &nodes[0];

  for (; *path != '\0'; path++)
    {
      guint32 child = at->first_child;

      while (child != JANK_CALL_NODE_NONE && nodes[child].call.function != (guint64) *path * 256)
        child = nodes[child].next_sibling;
      g_assert_cmpuint (child, <, n_nodes);
      g_assert_true (&nodes[nodes[child].parent] == at);
      at = &nodes[child];
    }
  return at;
}

static void
assert_node (JankCallTree *tree, const char *path, gint64 total_ns, gint64 self_ns, guint n_samples)
{
  const JankCallNode *node = find (tree, path);

  g_assert_cmpint (node->total_ns, ==, total_ns);
  g_assert_cmpint (node->self_ns, ==, self_ns);
  g_assert_cmpuint (node->n_samples, ==, n_samples);
}

/* Total is self and what the children have; every sample counts once on each of its nodes. */
static void
check_sums (JankCallTree *tree, gint64 total_ns, guint n_samples)
{
  guint n_nodes;
  const JankCallNode *nodes = jank_call_tree_get_nodes (tree, &n_nodes);
  gint64 self_ns = 0;

  g_assert_cmpuint (n_nodes, <=, JANK_CALL_TREE_MAX_NODES);
  g_assert_cmpint (nodes[0].total_ns, ==, total_ns);
  g_assert_cmpuint (nodes[0].n_samples, ==, n_samples);
  g_assert_cmpuint (nodes[0].parent, ==, JANK_CALL_NODE_NONE);
  for (guint i = 0; i < n_nodes; i++)
    {
      gint64 sum_ns = nodes[i].self_ns;

      self_ns += nodes[i].self_ns;
      for (guint32 child = nodes[i].first_child; child != JANK_CALL_NODE_NONE; child = nodes[child].next_sibling)
        {
          g_assert_cmpuint (child, >, i);
          g_assert_cmpuint (nodes[child].parent, ==, i);
          g_assert_cmpuint (nodes[child].n_samples, <=, nodes[i].n_samples);
          sum_ns += nodes[child].total_ns;
        }
      g_assert_cmpint (sum_ns, ==, nodes[i].total_ns);
    }
  g_assert_cmpint (self_ns, ==, total_ns);
}

TEST (property)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (21);

  for (guint round = 0; round < N_ROUNDS; round++)
    {
      g_autoptr (JankCallTree) tree = jank_call_tree_new ();
      gint64 total_ns = 0;
      guint n_samples = (guint) g_rand_int_range (random, 0, 100);

      for (guint i = 0; i < n_samples; i++)
        {
          g_autofree char *functions = g_strnfill ((gsize) g_rand_int_range (random, 1, 12), 'a');
          gint64 weight_ns = g_rand_int_range (random, 0, 1000);

          for (char *c = functions; *c != '\0'; c++)
            *c = (char) g_rand_int_range (random, 'a', 'e');
          add (tree, functions, weight_ns, 1);
          total_ns += weight_ns;
        }
      check_sums (tree, total_ns, n_samples);
    }
}

/* More functions than there is room for: cut short, and the time is kept by the last that has room. */
TEST (bound)
{
  g_autoptr (JankCallTree) tree = jank_call_tree_new ();
  const JankCallNode *nodes;
  gint64 cut_ns = 0;
  guint n_nodes, n_cut = 0;

  for (guint i = 0; i < N_STACKS; i++)
    {
      JankCall frames[4];
      g_autoptr (JankStack) stack = NULL;

      for (guint k = 0; k < 4; k++)
        frames[k] = (JankCall) { .pc = 1000 + i * 4 + k, .function = 1000 + i * 4 + k };
      frames[3].function = 1;
      stack = jank_stack_new (frames, 4, TRUE);
      jank_call_tree_add (tree, stack, 10, 1);
    }
  nodes = jank_call_tree_get_nodes (tree, &n_nodes);
  g_assert_cmpuint (n_nodes, ==, JANK_CALL_TREE_MAX_NODES);
  /* The root, one common function, three of its own for each of the first ones. */
  n_cut = N_STACKS - (JANK_CALL_TREE_MAX_NODES - 2) / 3;
  for (guint i = 0; i < n_nodes; i++)
    if (nodes[i].call.function < 1000 || (nodes[i].call.function - 1000) % 4 != 0)
      cut_ns += nodes[i].self_ns;
  g_assert_cmpint (cut_ns, ==, n_cut * 10);
  check_sums (tree, N_STACKS * 10, N_STACKS);

  /* What is known already is still told apart. */
  add (tree, "m", 5, 1);
  check_sums (tree, N_STACKS * 10 + 5, N_STACKS + 1);
}

/* One whose outermost call is x becomes "ade". */
static JankStack *
rename_cb (JankStack *stack, gpointer data)
{
  if (stack->n_calls == 0 || stack->calls[stack->n_calls - 1].function != (guint64) 'x' * 256)
    return stack;
  jank_stack_unref (stack);
  return make_stack ("ade", 0);
}

TEST (rename)
{
  g_autoptr (JankCallTree) tree = jank_call_tree_new ();

  add (tree, "abc", 1, 1);
  add (tree, "ad", 2, 1);
  add (tree, "xyz", 10, 1);
  add (tree, "xyz", 20, 0);
  add (tree, "xy", 40, 1);
  jank_call_tree_add (tree, NULL, 80, 1);
  jank_call_tree_rename (tree, rename_cb, NULL);
  assert_node (tree, "", 153, 80, 5);
  assert_node (tree, "a", 73, 0, 4);
  assert_node (tree, "abc", 1, 1, 1);
  assert_node (tree, "ad", 72, 2, 3);
  assert_node (tree, "ade", 70, 70, 2);
}

/* A function that now computes, now waits between two calls of a script, is one node. */
TEST (aside)
{
  g_autoptr (JankCallTree) tree = jank_call_tree_new ();
  g_autoptr (JankStack) waits = make_stack ("anb", 0);

  waits->calls[1].is_aside = TRUE;
  add (tree, "ab", 1, 1);
  jank_call_tree_add (tree, waits, 2, 1);
  assert_node (tree, "ab", 3, 3, 2);
}

TESTS ("/watch/call-tree")
