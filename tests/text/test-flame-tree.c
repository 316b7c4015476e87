/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stacks folded into one tree: what a flame graph draws, what “summary --top-down” prints. Of reports: cli/summary. */

#include "text/jank-flame-tree-private.h"
#include "test.h"

TEST (tree_order)
{
  g_autoptr (JankFlameTree) tree = jank_flame_tree_new ("all");
  const JankFlameCall light[] = { { "main", "program" }, { "light", "program" } };
  const JankFlameCall heavy[] = { { "main", "program" }, { "heavy", "libgtk-4.so.1" }, { "inner", "libc.so.6" } };
  const JankFlameNode *node;

  jank_flame_tree_add (tree, light, 2, 30);
  jank_flame_tree_add (tree, heavy, 3, 50);
  jank_flame_tree_add (tree, heavy, 2, 20);
  jank_flame_tree_finish (tree);
  g_assert_cmpuint (jank_flame_tree_get_n (tree), ==, 5);
  g_assert_cmpuint (jank_flame_tree_get_depth (tree), ==, 4);

  node = jank_flame_tree_get (tree, JANK_FLAME_ROOT);
  g_assert_cmpint (node->total_ns, ==, 100);
  node = jank_flame_tree_get (tree, node->first_child);
  g_assert_cmpstr (node->label, ==, "main");
  g_assert_true (node->own);
  node = jank_flame_tree_get (tree, node->first_child);
  g_assert_cmpstr (node->label, ==, "heavy");
  g_assert_false (node->own);
  g_assert_cmpint (node->total_ns, ==, 70);
  g_assert_cmpint (node->self_ns, ==, 20);
  node = jank_flame_tree_get (tree, node->next_sibling);
  g_assert_cmpstr (node->label, ==, "light");
  g_assert_cmpint (node->start_ns, ==, 70);
  g_assert_cmpuint (node->next_sibling, ==, JANK_FLAME_NONE);
}

/* Deeper than anything may be: cut, not crashed. */
TEST (tree_deep)
{
  g_autoptr (JankFlameTree) tree = jank_flame_tree_new ("all");
  g_autofree JankFlameCall *calls = g_new (JankFlameCall, 10000);

  for (guint i = 0; i < 10000; i++)
    calls[i] = (JankFlameCall) { "again", "program" };
  jank_flame_tree_add (tree, calls, 10000, 1);
  jank_flame_tree_finish (tree);
  g_assert_cmpuint (jank_flame_tree_get_depth (tree), ==, JANK_FLAME_MAX_DEPTH);
}

TESTS ("/text/flame-tree")
