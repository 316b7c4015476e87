/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stacks folded into one tree: what a flame graph draws, what “summary --top-down” prints. */

#include "base/jank-clock-private.h"
#include "text/jank-flame-tree-private.h"
#include "report-fixture.h"
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

/* Returns: (nullable): the first call of that label under parent */
static const JankFlameNode *
find (const JankFlameTree *tree, const JankFlameNode *parent, const char *label)
{
  const JankFlameNode *found = NULL;

  for (guint child = parent->first_child; child != JANK_FLAME_NONE && found == NULL;
       child = jank_flame_tree_get (tree, child)->next_sibling)
    {
      found = jank_flame_tree_get (tree, child);
      if (!g_str_equal (found->label, label))
        found = find (tree, found, label);
    }
  return found;
}

/* Of each handmade report 1180 ms are in compute_primes() and divides(), which is inlined, 80 of them in is_prime(),
 * 24 in its caller's sleep, and of 20 no stack was read. */
TEST (merged)
{
  g_autoptr (JankReport) one = report_fixture_new ("20261121-153012-4242-1");
  g_autoptr (JankReport) two = report_fixture_new ("20261121-153012-4242-2");
  g_autoptr (JankFlameTree) down = jank_flame_tree_new ("all");
  g_autoptr (JankFlameTree) up = jank_flame_tree_new ("all");
  const JankFlameNode *node;

  jank_flame_tree_add_report (down, one, JANK_FLAME_TOP_DOWN);
  jank_flame_tree_add_report (down, two, JANK_FLAME_TOP_DOWN);
  jank_flame_tree_finish (down);
  node = find (down, jank_flame_tree_get (down, JANK_FLAME_ROOT), "on_button_clicked");
  g_assert_cmpint (node->total_ns, ==, 2 * 1204 * JANK_NS_PER_MS);
  node = find (down, node, "compute_primes");
  g_assert_cmpint (node->total_ns, ==, 2 * 1180 * JANK_NS_PER_MS);
  node = find (down, node, "divides");
  g_assert_cmpint (node->self_ns, ==, 2 * 1100 * JANK_NS_PER_MS);
  g_assert_cmpint (jank_flame_tree_get (down, JANK_FLAME_ROOT)->total_ns, ==, 2 * 1224 * JANK_NS_PER_MS);

  jank_flame_tree_add_report (up, one, JANK_FLAME_BOTTOM_UP);
  jank_flame_tree_add_report (up, two, JANK_FLAME_BOTTOM_UP);
  jank_flame_tree_finish (up);
  node = find (up, jank_flame_tree_get (up, JANK_FLAME_ROOT), "is_prime");
  g_assert_cmpint (node->total_ns, ==, 2 * 80 * JANK_NS_PER_MS);
  node = find (up, node, "compute_primes");
  g_assert_cmpint (node->total_ns, ==, 2 * 80 * JANK_NS_PER_MS);
  node = find (up, jank_flame_tree_get (up, JANK_FLAME_ROOT), "divides");
  g_assert_cmpint (node->total_ns, ==, 2 * 1100 * JANK_NS_PER_MS);
}

TESTS ("/text/flame-tree")
