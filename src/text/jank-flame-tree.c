/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Texts are interned, so that pointers tell whether two calls are of one function. */

#include "text/jank-flame-tree-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>

#include "base/jank-hash-private.h"
#include "blame/jank-platform-private.h"
#include "text/jank-named-stacks-private.h"

/* Its functions without a name are labelled with its file name. */
#define GLIB_FILE "libglib-2.0.so"

typedef struct
{
  guint       parent;
  const char *label, *module;
} Key;

struct _JankFlameTree
{
  GArray       *nodes; /* (owned) JankFlameNode */
  GHashTable   *texts; /* (owned): interned */
  GHashTable   *known; /* (owned) (nullable): Key to node; until finished */
  guint         depth;
};

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;

  return g_direct_hash (key->label) * 31 + g_direct_hash (key->module) * 7 + key->parent * 2654435761u;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->parent == y->parent && x->label == y->label && x->module == y->module;
}

/* Returns: (transfer none): the same for the same text */
static const char *
intern (GHashTable *texts, const char *text)
{
  const char *known = g_hash_table_lookup (texts, text);
  char *copy;

  if (known != NULL)
    return known;
  copy = g_strdup (text);
  g_hash_table_add (texts, copy);
  return copy;
}

static JankFlameNode *
node_at (const JankFlameTree *self, guint node)
{
  return &g_array_index (self->nodes, JankFlameNode, node);
}

static guint
append (JankFlameTree *self, guint parent, const char *label, const char *module, gboolean is_platform)
{
  JankFlameNode node = {
    .label = label,
    .module = module,
    .parent = parent,
    .first_child = JANK_FLAME_NONE,
    .next_sibling = JANK_FLAME_NONE,
    .own = module[0] != '\0' && !is_platform && !jank_platform_contains (module),
  };

  if (parent != JANK_FLAME_NONE)
    {
      node.next_sibling = node_at (self, parent)->first_child;
      node.depth = node_at (self, parent)->depth + 1;
      node_at (self, parent)->first_child = self->nodes->len;
    }
  self->depth = MAX (self->depth, node.depth + 1);
  g_array_append_val (self->nodes, node);
  return self->nodes->len - 1;
}

JankFlameTree *
jank_flame_tree_new (const char *root)
{
  JankFlameTree *self = g_new0 (JankFlameTree, 1);

  self->nodes = g_array_new (FALSE, FALSE, sizeof (JankFlameNode));
  self->texts = g_hash_table_new_full (jank_hash_text, g_str_equal, g_free, NULL);
  self->known = g_hash_table_new_full (key_hash, key_equal, g_free, NULL);
  append (self, JANK_FLAME_NONE, intern (self->texts, root), "", TRUE);
  return self;
}

void
jank_flame_tree_free (JankFlameTree *self)
{
  g_array_unref (self->nodes);
  g_hash_table_unref (self->texts);
  g_clear_pointer (&self->known, g_hash_table_unref);
  g_free (self);
}

static guint
find_child (JankFlameTree *self, guint parent, const JankFlameCall *call)
{
  Key key = {
    .parent = parent,
    .label = intern (self->texts, call->label),
    .module = intern (self->texts, call->module),
  };
  gpointer known;
  guint node;

  if (g_hash_table_lookup_extended (self->known, &key, NULL, &known))
    return GPOINTER_TO_UINT (known);
  node = append (self, parent, key.label, key.module, call->is_platform);
  g_hash_table_insert (self->known, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (node));
  return node;
}

void
jank_flame_tree_add (JankFlameTree *self, const JankFlameCall *calls, guint n_calls, gint64 weight_ns)
{
  guint node = JANK_FLAME_ROOT;

  node_at (self, node)->total_ns += weight_ns;
  for (guint i = 0; i < MIN (n_calls, JANK_FLAME_MAX_DEPTH - 1); i++)
    {
      node = find_child (self, node, &calls[i]);
      node_at (self, node)->total_ns += weight_ns;
    }
  node_at (self, node)->self_ns += weight_ns;
}

static int
compare_cb (gconstpointer a, gconstpointer b, gpointer data)
{
  const JankFlameNode *x = node_at (data, *(const guint *) a), *y = node_at (data, *(const guint *) b);

  return x->total_ns > y->total_ns ? -1 : x->total_ns < y->total_ns ? 1 : strcmp (x->label, y->label);
}

static void
sort_children (JankFlameTree *self, guint node, GArray *children)
{
  gint64 start_ns = node_at (self, node)->start_ns;
  guint *next = &node_at (self, node)->first_child;

  g_array_set_size (children, 0);
  for (guint child = *next; child != JANK_FLAME_NONE; child = node_at (self, child)->next_sibling)
    g_array_append_val (children, child);
  g_array_sort_with_data (children, compare_cb, self);
  for (guint i = 0; i < children->len; i++)
    {
      guint child = g_array_index (children, guint, i);

      *next = child;
      next = &node_at (self, child)->next_sibling;
      node_at (self, child)->start_ns = start_ns;
      start_ns += node_at (self, child)->total_ns;
    }
  *next = JANK_FLAME_NONE;
}

/* Parents come before their children. */
void
jank_flame_tree_finish (JankFlameTree *self)
{
  g_autoptr (GArray) children = g_array_new (FALSE, FALSE, sizeof (guint));

  g_clear_pointer (&self->known, g_hash_table_unref);
  for (guint node = 0; node < self->nodes->len; node++)
    sort_children (self, node, children);
}

guint
jank_flame_find_dispatch (const JankFlameCall *calls, guint n_calls)
{
  guint dispatch = 0;

  while (dispatch < n_calls && !g_str_has_prefix (calls[dispatch].label, "g_main_"))
    dispatch++;
  while (dispatch < n_calls && g_str_has_prefix (calls[dispatch].module, GLIB_FILE) &&
         (g_str_has_prefix (calls[dispatch].label, "g_main_") || g_str_has_prefix (calls[dispatch].label, GLIB_FILE)))
    dispatch++;
  return dispatch < n_calls ? dispatch : 0;
}

/* Outermost first. Returns: how many of them lead to the dispatch of a source */
static guint
name_calls (JankNamedStacks *names, gint stack, GArray *calls)
{
  const GArray *named = jank_named_stacks_get (names, stack);

  g_array_set_size (calls, 0);
  for (guint i = 0; i < named->len; i++)
    {
      const JankNamedCall *from = &g_array_index (named, JankNamedCall, i);
      JankFlameCall call = { from->unread ? _(from->name) : from->name, from->holder, from->platform };

      g_array_append_val (calls, call);
    }
  return jank_flame_find_dispatch ((const JankFlameCall *) (gpointer) calls->data, calls->len);
}

static void
reverse (JankFlameCall *calls, guint n)
{
  for (guint i = 0; i < n / 2; i++)
    {
      JankFlameCall call = calls[i];

      calls[i] = calls[n - 1 - i];
      calls[n - 1 - i] = call;
    }
}

void
jank_flame_tree_add_report (JankFlameTree *self, JankReport *report, JankFlameOrder order)
{
  g_autoptr (JankNamedStacks) names = jank_named_stacks_new (report);
  g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof (JankFlameCall));
  g_autoptr (GArray) spans = jank_report_get_sample_spans (report);
  g_autofree gint64 *stack_ns = g_new0 (gint64, report->stacks->len + 1); /* by stack + 1 */

  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSpan *span = &g_array_index (spans, JankReportSpan, i);

      stack_ns[((JankReportSample *) g_ptr_array_index (report->samples, i))->stack +
               1] += MAX (span->to_ns - span->from_ns, 1);
    }
  for (guint i = 0; i <= report->stacks->len; i++)
    {
      guint dispatch, n;
      JankFlameCall *calls;

      if (stack_ns[i] == 0)
        continue;
      dispatch = name_calls (names, (gint) i - 1, array);
      calls = (JankFlameCall *) (gpointer) array->data + dispatch;
      n = array->len - dispatch;
      if (order == JANK_FLAME_BOTTOM_UP)
        reverse (calls, n);
      jank_flame_tree_add (self, calls, n, stack_ns[i]);
    }
}

JankFlameTree *
jank_flame_tree_from_report (JankReport *report)
{
  JankFlameTree *self = jank_flame_tree_new (_("All samples"));

  jank_flame_tree_add_report (self, report, JANK_FLAME_TOP_DOWN);
  jank_flame_tree_finish (self);
  return self;
}

guint
jank_flame_tree_get_n (const JankFlameTree *self)
{
  return self->nodes->len;
}

const JankFlameNode *
jank_flame_tree_get (const JankFlameTree *self, guint node)
{
  g_assert (node < self->nodes->len);
  return node_at (self, node);
}

guint
jank_flame_tree_get_depth (const JankFlameTree *self)
{
  return self->depth;
}
