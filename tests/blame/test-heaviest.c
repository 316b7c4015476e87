/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "blame/jank-heaviest-private.h"
#include "base/jank-clock-private.h"
#include "test.h"

/* A stack of one letter per function, outermost first. */
static JankStack *
make_stack (const char *functions)
{
  guint n = (guint) strlen (functions);
  g_autofree JankCall *frames = g_new0 (JankCall, n);

  for (guint i = 0; i < n; i++)
    frames[n - 1 - i] = (JankCall) { (guint64) functions[i] * 16 + i, (guint64) functions[i] * 16, 0 };
  return jank_stack_new (frames, n, TRUE);
}

static void
clear_sample (gpointer data)
{
  JankSample *sample = data;

  g_clear_pointer (&sample->stack, jank_stack_unref);
}

/* "mab:5 mc:2" → two samples, of 5 and 2 ms; "-" is no stack. Returns: (transfer full) */
static GArray *
make_samples (const char *text)
{
  GArray *samples = g_array_new (FALSE, TRUE, sizeof (JankSample));
  g_auto (GStrv) words = g_strsplit (text, " ", -1);

  g_array_set_clear_func (samples, clear_sample);
  for (guint i = 0; words[i] != NULL; i++)
    {
      char *colon = strchr (words[i], ':');
      JankSample sample = { .at_ns = i, .weight_ns = JANK_NS_PER_MS };

      if (colon != NULL)
        {
          sample.weight_ns = g_ascii_strtoll (colon + 1, NULL, 10) * JANK_NS_PER_MS;
          *colon = '\0';
        }
      sample.stack = words[i][0] == '-' ? NULL : make_stack (words[i]);
      g_array_append_val (samples, sample);
    }
  return samples;
}

static JankCallTree *
make_tree (const GArray *samples)
{
  JankCallTree *tree = jank_call_tree_new ();

  for (guint i = 0; i < samples->len; i++)
    {
      const JankSample *sample = &g_array_index (samples, JankSample, i);

      jank_call_tree_add (tree, sample->stack, sample->weight_ns, 1);
    }
  return tree;
}

/* The sample that shows the heaviest group, how many there are in it, and of which weight. */
TEST (groups)
{
  static const struct {
    gboolean (*find) (const JankSample *samples, guint n_samples, JankHeaviestGroup *ret_group);
    const char *text;
    guint sample, n_samples;
    gint64 weight_ms;
  } cases[] = {
    /* The most repeated innermost function wins, whoever called it. */
    { jank_heaviest_by_weight, "mab mcb md mab me", 3, 3, 3 },
    /* Small work at the end does not hide the large one before it. */
    { jank_heaviest_by_weight, "mw mw mw mw mx", 3, 4, 4 },
    /* A tie goes to the newest. */
    { jank_heaviest_by_weight, "ma mb ma mb mc", 3, 2, 2 },
    { jank_heaviest_by_weight, "ma mb mc", 2, 1, 1 },
    /* No stack is not a stack of its own. */
    { jank_heaviest_by_weight, "- - - ma - -", 3, 1, 1 },
    { jank_heaviest_by_weight, "-:9 ma mb:2 -:9", 2, 1, 2 },
    /* Merged samples count for what they stand for. */
    { jank_heaviest_by_weight, "ma mb:5 ma ma", 1, 1, 5 },
    { jank_heaviest_by_weight, "mb:3 ma ma ma", 3, 3, 3 },
    /* The seeds count samples, whatever time each stands for, so that ties occur. */
    { jank_heaviest_by_count, "ma mb:5 ma ma", 3, 3, 3 },
    { jank_heaviest_by_count, "ma:9 ma:9 mb mb", 3, 2, 2 },
    { jank_heaviest_by_count, "mb mb ma:9", 1, 2, 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GArray) samples = make_samples (cases[i].text);
      JankHeaviestGroup group;

      g_test_message ("%s", cases[i].text);
      g_assert_true (cases[i].find ((const JankSample *) (void *) samples->data, samples->len, &group));
      g_assert_cmpuint (group.sample, ==, cases[i].sample);
      g_assert_cmpuint (group.n_samples, ==, cases[i].n_samples);
      g_assert_cmpint (group.weight_ns, ==, cases[i].weight_ms * JANK_NS_PER_MS);
    }
}

static void
assert_letters (const JankHeaviestPath *path, const JankCallNode *nodes, const char *expected)
{
  g_autoptr (GString) found = g_string_new (NULL);

  for (guint i = 0; i < path->n_nodes; i++)
    g_string_append_c (found, (char) (nodes[path->nodes[i]].call.function / 16));
  g_assert_cmpstr (found->str, ==, expected);
}

/* sample is the one that shows the path, -1 for none. */
static void
assert_path_of (gboolean startup, const char *text, const char *expected, double share, double self_share, gint sample)
{
  g_autoptr (GArray) samples = make_samples (text);
  g_autoptr (JankCallTree) tree = make_tree (samples);
  JankHeaviestPath path;
  const JankCallNode *nodes;
  guint n_nodes;

  nodes = jank_call_tree_get_nodes (tree, &n_nodes);
  jank_heaviest_path (nodes, n_nodes, startup, &path);
  assert_letters (&path, nodes, expected);
  g_assert_cmpfloat_with_epsilon (path.share, share, 1e-12);
  g_assert_cmpfloat_with_epsilon (path.self_share, self_share, 1e-12);
  g_assert_cmpint (jank_heaviest_find_path (&path, nodes, (const JankSample *) (void *) samples->data, samples->len),
                   ==, sample);
}

#define assert_path(...) assert_path_of (FALSE, __VA_ARGS__)

/* Loading, then “startup” and “activate” within the run: half of the parent will do, a fifth of all is needed. */
TEST (path_startup)
{
  static const char text[] = "ml ml ml mrs mrs mrw mrax mrax mrax mrax";

  assert_path_of (FALSE, text, "mr", 0.7, 0, 9);
  assert_path_of (TRUE, text, "mrax", 0.4, 0.4, 9);
  assert_path_of (TRUE, "mab mac mad mae maf mag", "ma", 1, 0, 5);
}

TEST (path_examples)
{
  assert_path ("mab mab mab", "mab", 1, 1, 2);
  /* Half is enough, less is not. */
  assert_path ("mab mac", "mac", 0.5, 0.5, 1);
  assert_path ("mab mab mac mac", "mac", 0.5, 0.5, 3);
  assert_path ("mab mac mad", "ma", 1, 0, 2);
  assert_path ("mab mab mac mad", "mab", 0.5, 0.5, 1);
  /* The sample is of the heaviest callee, though a lighter one has a heavier sample. */
  assert_path ("mab:3 mab:3 mac:5 mad:3", "ma", 1, 0, 1);
  /* A hot caller of many small callees, which the innermost function does not show. */
  assert_path ("mab mac mad mae ma mxy", "ma", 5.0 / 6, 1.0 / 6, 4);
  /* Weight counts, not samples; the heaviest sample shows it. */
  assert_path ("mab:9 mac mac mac mab", "mab", 10.0 / 13, 10.0 / 13, 0);
  /* Shares are of the time that has stacks. */
  assert_path ("mab -:3", "mab", 1, 1, 0);
  /* Nothing holds half: the first step is told with its share. */
  assert_path ("ab cd ef", "e", 1.0 / 3, 0, 2);
  assert_path ("mmm mmm mm", "mmm", 2.0 / 3, 2.0 / 3, 1);
  assert_path ("- -", "", 0, 0, -1);
}

/* Whole stacks are counted, whatever time each stands for. */
TEST (same)
{
  static const struct { const char *text, *expected; double share; } cases[] = {
    { "mab mab mac", "mab", 2.0 / 3 },
    /* A caller that is on every stack was innermost once. */
    { "mab mac mac ma mab mac", "mac", 0.5 },
    { "mab:9 mc mc", "mc", 2.0 / 3 },
    /* A tie goes to the newer; stacks that could not be read do not count. */
    { "mab - - mac", "mac", 0.5 },
    { "- -", "", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GArray) samples = make_samples (cases[i].text);
      g_autoptr (JankCallTree) tree = make_tree (samples);
      JankHeaviestPath path;
      const JankCallNode *nodes;
      guint n_nodes;

      nodes = jank_call_tree_get_nodes (tree, &n_nodes);
      jank_heaviest_same (nodes, n_nodes, &path);
      assert_letters (&path, nodes, cases[i].expected);
      g_assert_cmpfloat_with_epsilon (path.share, cases[i].share, 1e-12);
    }
}

/* expected: each branch as its function, its caller, and whole milliseconds: "c<a:20" */
static void
assert_branches (const char *text, const char *expected)
{
  g_autoptr (GArray) samples = make_samples (text);
  g_autoptr (JankCallTree) tree = make_tree (samples);
  g_autoptr (GArray) branches = NULL;
  g_autoptr (GString) found = g_string_new (NULL);
  const JankCallNode *nodes;
  JankHeaviestPath path;
  guint n_nodes;

  nodes = jank_call_tree_get_nodes (tree, &n_nodes);
  jank_heaviest_path (nodes, n_nodes, FALSE, &path);
  branches = jank_heaviest_branches (nodes, n_nodes, &path);
  for (guint i = 0; i < branches->len; i++)
    {
      const JankHeaviestBranch *branch = &g_array_index (branches, JankHeaviestBranch, i);
      const JankCallNode *node = &nodes[branch->node], *caller = &nodes[0];

      g_assert_cmpint (branch->from, <, (gint) (path.n_nodes + i));
      if (branch->from >= (gint) path.n_nodes)
        caller = &nodes[g_array_index (branches, JankHeaviestBranch, (guint) branch->from - path.n_nodes).node];
      else if (branch->from >= 0)
        caller = &nodes[path.nodes[branch->from]];
      g_string_append_printf (found, "%s%c<%c:%d", i > 0 ? " " : "", (gint) (node->call.function / 16),
                              caller->call.function != 0 ? (gint) (caller->call.function / 16) : '-',
                              (gint) (node->total_ns / JANK_NS_PER_MS));
    }
  g_assert_cmpstr (found->str, ==, expected);
}

TEST (branches)
{
  assert_branches ("mab mab", "");
  assert_branches ("mab:611 mac:291", "c<a:291");
  /* None has half: all are branches. */
  assert_branches ("mab:40 mac:40 mad:20", "b<a:40 c<a:40 d<a:20");
  assert_branches ("mab:61 mac:20 mad:19", "c<a:20");
  /* A branch has branches, and one may begin at the root. */
  assert_branches ("mab:60 mxy:20 mxz:20", "x<m:40 y<x:20 z<x:20");
  assert_branches ("mab:60 xy:40", "x<-:40 y<x:40");
  /* A fifth of the time that has stacks. */
  assert_branches ("-:900 mab:75 mac:25", "c<a:25");
  assert_branches ("- -", "");
}

TEST (path_sample)
{
  g_autoptr (GArray) samples = make_samples ("mab mab:2 mxaxbx:2 ma:9 -:9 mba:5");
  g_autoptr (GArray) ring = make_samples ("mxa mx -:3 mb");
  g_autoptr (JankCallTree) tree = make_tree (samples);
  JankHeaviestPath path = { .n_nodes = 3 };
  const JankCallNode *nodes;
  guint n_nodes;

  /* m, a, b in the tree, in the order in which its first stack made them. */
  nodes = jank_call_tree_get_nodes (tree, &n_nodes);
  for (guint i = 0; i < path.n_nodes; i++)
    path.nodes[i] = i + 1;

  /* In order, with others between them; of equal ones the newest. */
  g_assert_cmpint (jank_heaviest_find_path (&path, nodes, (const JankSample *) (void *) samples->data, samples->len),
                   ==, 2);
  /* The ring has no such stack any more: the most of it, from the outermost. */
  g_assert_cmpint (jank_heaviest_find_path (&path, nodes, (const JankSample *) (void *) ring->data, ring->len),
                   ==, 0);
}

/* By Wilson's formula, calculated apart. */
TEST (confidence)
{
  g_assert_cmpfloat (jank_heaviest_confidence (0.5, 0), ==, 0);
  g_assert_cmpfloat_with_epsilon (jank_heaviest_confidence (0.5, 20), 0.7992980081982123, 1e-12);
  g_assert_cmpfloat_with_epsilon (jank_heaviest_confidence (1, 20), 0.9194374209735903, 1e-12);
  g_assert_cmpfloat_with_epsilon (jank_heaviest_confidence (0, 10), 0.8612336000685554, 1e-12);
  g_assert_cmpfloat_with_epsilon (jank_heaviest_confidence (0.9, 100), 0.9404317377778808, 1e-12);
  g_assert_cmpfloat_with_epsilon (jank_heaviest_confidence (1, 1), 0.6032746571886187, 1e-12);
}

TESTS ("/blame/heaviest")
