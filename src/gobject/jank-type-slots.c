/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: the actions of a widget's class. */

#include "gobject/jank-type-slots-private.h"

#include <stdlib.h>
#include <string.h>
#include <glib-object.h>

#include "base/jank-memory-private.h"
#include "base/jank-order-private.h"
#include "gobject/jank-type-nodes-private.h"

#define MAX_CHILDREN 4096
#define MAX_NODES 20000
#define MAX_STRUCTURE_WORDS 512
#define OBJECT_CLASS_WORDS 17

/* A widget's class structure has its actions behind its last function but padding. */
#define ACTIONS_OWNER_WORD 42
#define ACTIONS_OWNER_WORDS 16
#define ACTION_WORDS 8
#define MAX_ACTIONS 128
#define MAX_ACTION_NAME 96

typedef JankTypeNode Node;

typedef struct
{
  JankTypes types;
  JankSlot *slots;
  guint     n_slots;
  guint     n_nodes;
  guint     actions; /* word that leads to a class' actions, 0: not known yet */
} Walk;

typedef struct
{
  guint64 words[MAX_STRUCTURE_WORDS];
  guint   n_words;
} Structure;

static gboolean
jank_type_slots_read_node (const Walk *walk, guint64 type, Node *ret_node)
{
  return jank_type_is_pointer (type) && jank_type_node_read (&walk->types, type, type, ret_node);
}

static gboolean
jank_type_slots_read_structure (const Walk *walk, guint64 address, guint n_bytes, Structure *ret_structure)
{
  ret_structure->n_words = n_bytes / sizeof (guint64);
  return jank_type_is_pointer (address) && ret_structure->n_words <= MAX_STRUCTURE_WORDS
         && jank_types_read (&walk->types, address, ret_structure->words, ret_structure->n_words * sizeof (guint64));
}

/* Low 16 bits: of a class, or of an interface's functions. */
static guint
jank_type_slots_get_structure_bytes (const Node *node)
{
  return (guint) (node->data[JANK_TYPE_SIZES] & 0xffff);
}

JANK_ORDER_RISING (jank_type_slots_compare_cb, JankSlot, ->function)

static JankSlot *
jank_type_slots_find_slot (const Walk *walk, guint64 function)
{
  JankSlot *slot = bsearch (&(JankSlot) { .function = function }, walk->slots, walk->n_slots, sizeof *walk->slots,
                            jank_type_slots_compare_cb);

  return slot != NULL && slot->description == NULL ? slot : NULL;
}

/* owner: the type whose structure has the word. Returns: (transfer full): "EditorPage.size_allocate"; where the slot's
 * name is not known, "method of EditorPage" */
static char *
jank_type_slots_describe_word (const char *type, const char *owner, guint word)
{
  g_autofree char *slot = jank_slot_name (owner, word);

  return slot != NULL ? g_strdup_printf ("%s.%s", type, slot) : g_strconcat (JANK_SLOT_METHOD, type, NULL);
}

static void
jank_type_slots_match_function (const Walk *walk, const Node *node, guint64 function, const char *name)
{
  JankSlot *slot = jank_type_slots_find_slot (walk, function);

  if (slot != NULL)
    slot->description = g_strdup_printf ("%s.%s", jank_type_node_get_name (&walk->types, node), name);
}

/* The outermost of the type's ancestors whose structure reaches up to word. Returns: its name */
static const char *
jank_type_slots_find_owner (const Walk *walk, const Node *node, guint word, Node *ret_owner)
{
  const char *name = jank_type_node_get_name (&walk->types, node);

  for (guint i = walk->types.supers + 1; i < G_N_ELEMENTS (node->words) && jank_type_is_pointer (node->words[i]); i++)
    {
      if (!jank_type_slots_read_node (walk, node->words[i], ret_owner)
          || jank_type_slots_get_structure_bytes (ret_owner) <= word * sizeof (guint64))
        return name;
      name = jank_type_node_get_name (&walk->types, ret_owner);
    }
  /* GObject is the ancestor without an address. */
  return word < OBJECT_CLASS_WORDS ? "GObject" : name;
}

/* A class begins as a copy of its parent's: only what it has changed is its own. */
static void
jank_type_slots_match_class (const Walk *walk, const Node *node, const Structure *structure, const Structure *parent)
{
  for (guint i = 1; i < structure->n_words; i++)
    {
      JankSlot *slot = jank_type_slots_find_slot (walk, structure->words[i]);
      Node owner;

      if (slot != NULL && (i >= parent->n_words || parent->words[i] != structure->words[i]))
        slot->description = jank_type_slots_describe_word (jank_type_node_get_name (&walk->types, node),
                                                           jank_type_slots_find_owner (walk, node, i, &owner), i);
    }
}

static void
jank_type_slots_match_interface (const Walk *walk, const Node *node, guint64 type, guint64 functions)
{
  Structure structure;
  Node interface;

  if (!jank_type_slots_read_node (walk, type, &interface)
      || !jank_type_slots_read_structure (walk, functions, jank_type_slots_get_structure_bytes (&interface), &structure)
      || structure.n_words < 2 || structure.words[1] != node->type)
    return;
  for (guint i = 2; i < structure.n_words; i++)
    {
      JankSlot *slot = jank_type_slots_find_slot (walk, structure.words[i]);

      if (slot != NULL)
        slot->description = jank_type_slots_describe_word (jank_type_node_get_name (&walk->types, node),
                                                           jank_type_node_get_name (&walk->types, &interface), i);
    }
}

static void
jank_type_slots_match_interfaces (const Walk *walk, const Node *node)
{
  JankTypeInterface interfaces[JANK_TYPE_MAX_INTERFACES];
  guint n = jank_type_node_interfaces (&walk->types, node, interfaces);

  for (guint i = 0; i < n; i++)
    jank_type_slots_match_interface (walk, node, interfaces[i].type, interfaces[i].functions);
}

/* As gtk_widget_class_install_action() makes it: next, name, type of the widget, …, function */
static gboolean
jank_type_slots_read_action (const Walk *walk, guint64 address, guint64 *ret_words, char *ret_name, Node *ret_owner)
{
  static const char characters[] = G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS ".-_";

  return jank_type_is_pointer (address) && jank_types_read (&walk->types, address, ret_words,
                                                            ACTION_WORDS * sizeof *ret_words)
         && jank_type_slots_read_node (walk, ret_words[2], ret_owner)
         && jank_memory_read_text (ret_words[1], ret_name, MAX_ACTION_NAME)
         && strchr (ret_name, '.') != NULL && strspn (ret_name, characters) == strlen (ret_name);
}

/* A list, of the class' own actions first, then of its parents'. */
static void
jank_type_slots_match_actions (Walk *walk, const Structure *structure)
{
  guint64 words[ACTIONS_OWNER_WORDS], action[ACTION_WORDS], at = 0;
  char name[MAX_ACTION_NAME];
  Node owner;

  if (structure->n_words <= ACTIONS_OWNER_WORD || !jank_type_is_pointer (structure->words[ACTIONS_OWNER_WORD])
      || !jank_types_read (&walk->types, structure->words[ACTIONS_OWNER_WORD], words, sizeof words))
    return;
  for (guint i = 1; i < ACTIONS_OWNER_WORDS && walk->actions == 0; i++)
    if (jank_type_slots_read_action (walk, words[i], action, name, &owner))
      walk->actions = i;
  if (walk->actions != 0)
    at = words[walk->actions];
  for (guint n = 0; n < MAX_ACTIONS && at != 0 &&
       jank_type_slots_read_action (walk, at, action, name, &owner); n++, at = action[0])
    for (guint i = 3; i < ACTION_WORDS; i++)
      {
        JankSlot *slot = jank_type_slots_find_slot (walk, action[i]);

        if (slot != NULL)
          slot->description = g_strdup_printf ("%s action %s", jank_type_node_get_name (&walk->types, &owner), name);
      }
}

/* parent: the structure of the class above */
static void
jank_type_slots_match_node (Walk *walk, const Node *node, const Structure *parent, guint depth)
{
  g_autofree Structure *structure = g_new (Structure, 1);
  guint32 n_known = (guint32) jank_type_node_get (&walk->types, node, JANK_TYPE_COUNTS);
  guint n_children = MIN (n_known, MAX_CHILDREN);
  g_autofree guint64 *children = g_new (guint64, n_children);

  jank_type_slots_match_function (walk, node, node->data[JANK_TYPE_CLASS_INIT], "class_init");
  jank_type_slots_match_function (walk, node, node->data[JANK_TYPE_INSTANCE_INIT], "init");
  if (jank_type_slots_read_structure (walk, node->data[JANK_TYPE_CLASS],
                                      jank_type_slots_get_structure_bytes (node), structure)
      && structure->n_words > 0 && structure->words[0] == node->type)
    {
      jank_type_slots_match_class (walk, node, structure, parent);
      jank_type_slots_match_actions (walk, structure);
    }
  else
    *structure = *parent; /* no object of the class was made yet */
  jank_type_slots_match_interfaces (walk, node);

  if (depth == JANK_TYPE_MAX_DEPTH
      || !jank_types_read (&walk->types, jank_type_node_get (&walk->types, node, JANK_TYPE_CHILDREN), children,
                           n_children * sizeof (guint64)))
    return;
  for (guint i = 0; i < n_children && walk->n_nodes < MAX_NODES; i++)
    {
      g_autofree Node *child = g_new (Node, 1);

      walk->n_nodes++;
      if (jank_type_slots_read_node (walk, children[i], child) && child->words[walk->types.supers + 1] == node->type)
        jank_type_slots_match_node (walk, child, structure, depth + 1);
    }
}

void
jank_type_slots_describe (guint64 types_begin, guint64 types_end, JankSlot *slots, guint n_slots)
{
  const Structure nothing = { .n_words = 0 };
  g_autofree Node *object = g_new (Node, 1);
  Walk walk = { .slots = slots, .n_slots = n_slots };

  if (!jank_types_find (types_begin, types_end, &walk.types))
    return;
  walk.types.pages = jank_page_cache_new ();
  if (jank_type_node_read (&walk.types, walk.types.object, G_TYPE_OBJECT, object))
    jank_type_slots_match_node (&walk, object, &nothing, 0);
  jank_page_cache_free (walk.types.pages);
}
