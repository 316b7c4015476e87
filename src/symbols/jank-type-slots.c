/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: GLib's type nodes.
 *
 * GLib keeps a node for each type, which no header shows. Its fields have had one order since GLib 2.44 at least, but
 * begin at a place that a debug build moves:
 *
 *   … n_children and flags | children | data | qname | global_gdata | interfaces | prerequisites | supers[] …
 *
 * supers[0] is the type itself, which is its node's address, or 4 × its number for a fundamental type. So the table of
 * fundamental types is recognized by content, supers' offset with it, and each further node is checked the same way. */

#include "config.h"

#include "symbols/jank-type-slots-private.h"

#include <string.h>

#include "base/jank-memory-private.h"
#include "symbols/jank-slot-names-private.h"

#define OBJECT 20 /* G_TYPE_OBJECT >> 2 */
#define FIRST_FUNDAMENTAL 2
#define PAGE_BYTES 4096
#define MAX_SPAN_BYTES (16 << 20)

#define NODE_WORDS 16
#define MIN_SUPERS 7
#define MAX_DEPTH 24
#define MAX_CHILDREN 4096
#define MAX_NODES 20000
#define MAX_INTERFACES 64
#define MAX_STRUCTURE_WORDS 512
#define OBJECT_CLASS_WORDS 17

/* Before supers, in words. */
enum { COUNTS = -7, CHILDREN, DATA, QNAME, INTERFACES = -2 };

/* Words of a node's data. */
enum { SIZES = 1, CLASS_INIT = 4, CLASS = 7, INSTANCE_INIT = 9, DATA_WORDS };

typedef struct
{
  guint64 words[NODE_WORDS + MAX_DEPTH];
  guint64 data[DATA_WORDS];
  guint64 type;
} Node;

typedef struct
{
  guint     supers; /* offset of supers in a node, in words */
  JankSlot *slots;
  guint     n_slots;
  guint     n_nodes;
} Walk;

typedef struct
{
  guint64 words[MAX_STRUCTURE_WORDS];
  guint   n_words;
} Structure;

static gboolean
is_pointer (guint64 word)
{
  return word >= PAGE_BYTES && word < (G_GUINT64_CONSTANT (1) << 47) && word % 8 == 0;
}

static guint64
get_field (const Walk *walk, const Node *node, gint field)
{
  return node->words[(gint) walk->supers + field];
}

/* address: of a node, not yet trusted */
static gboolean
read_node (const Walk *walk, guint64 address, guint64 type, Node *ret_node)
{
  gsize n_bytes;

  memset (ret_node, 0, sizeof *ret_node);
  n_bytes = jank_memory_read (address, ret_node->words, sizeof ret_node->words);
  ret_node->type = type;
  if (n_bytes < (walk->supers + 1) * sizeof (guint64) || get_field (walk, ret_node, 0) != type)
    return FALSE;
  jank_memory_read (get_field (walk, ret_node, DATA), ret_node->data, sizeof ret_node->data);
  return TRUE;
}

static gboolean
read_structure (guint64 address, guint n_bytes, Structure *ret_structure)
{
  ret_structure->n_words = n_bytes / sizeof (guint64);
  return is_pointer (address) && ret_structure->n_words <= MAX_STRUCTURE_WORDS
         && jank_memory_read_all (address, ret_structure->words, ret_structure->n_words * sizeof (guint64));
}

/* Low 16 bits: of a class, or of an interface's functions. */
static guint
get_structure_bytes (const Node *node)
{
  return (guint) (node->data[SIZES] & 0xffff);
}

static JankSlot *
find_slot (const Walk *walk, guint64 function)
{
  guint low = 0, high = walk->n_slots;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (walk->slots[middle].function < function)
        low = middle + 1;
      else
        high = middle;
    }
  return low < walk->n_slots && walk->slots[low].function == function && walk->slots[low].description == NULL
         ? &walk->slots[low] : NULL;
}

/* Takes no lock. */
static const char *
get_name (const Walk *walk, const Node *node)
{
  const char *name = g_quark_to_string ((GQuark) get_field (walk, node, QNAME));

  return name != NULL ? name : "?";
}

/* owner: the type whose structure has the word. Returns: (transfer full): "EditorPage.size_allocate"; where the slot's
 * name is not known, "EditorPage.GtkTextView[60]" */
static char *
describe (const char *type, const char *owner, guint word)
{
  g_autofree char *slot = jank_slot_name (owner, word);

  return slot != NULL ? g_strdup_printf ("%s.%s", type, slot) : g_strdup_printf ("%s.%s[%u]", type, owner, word);
}

static void
match_function (const Walk *walk, const Node *node, guint64 function, const char *name)
{
  JankSlot *slot = find_slot (walk, function);

  if (slot != NULL)
    slot->description = g_strdup_printf ("%s.%s", get_name (walk, node), name);
}

/* The outermost of the type's ancestors whose structure reaches up to word. Returns: its name */
static const char *
find_owner (const Walk *walk, const Node *node, guint word, Node *ret_owner)
{
  const char *name = get_name (walk, node);

  for (guint i = 1; walk->supers + i < G_N_ELEMENTS (node->words) && is_pointer (node->words[walk->supers + i]); i++)
    {
      if (!read_node (walk, node->words[walk->supers + i], node->words[walk->supers + i], ret_owner)
          || get_structure_bytes (ret_owner) <= word * sizeof (guint64))
        return name;
      name = get_name (walk, ret_owner);
    }
  /* GObject is the ancestor without an address. */
  return word < OBJECT_CLASS_WORDS ? "GObject" : name;
}

/* A class begins as a copy of its parent's: only what it has changed is its own. */
static void
match_class (const Walk *walk, const Node *node, const Structure *structure, const Structure *parent)
{
  for (guint i = 1; i < structure->n_words; i++)
    {
      JankSlot *slot = find_slot (walk, structure->words[i]);
      Node owner;

      if (slot != NULL && (i >= parent->n_words || parent->words[i] != structure->words[i]))
        slot->description = describe (get_name (walk, node), find_owner (walk, node, i, &owner), i);
    }
}

static void
match_interface (const Walk *walk, const Node *node, guint64 type, guint64 functions)
{
  Structure structure;
  Node interface;

  if (!is_pointer (type) || !read_node (walk, type, type, &interface)
      || !read_structure (functions, get_structure_bytes (&interface), &structure)
      || structure.n_words < 2 || structure.words[1] != node->type)
    return;
  for (guint i = 2; i < structure.n_words; i++)
    {
      JankSlot *slot = find_slot (walk, structure.words[i]);

      if (slot != NULL)
        slot->description = describe (get_name (walk, node), get_name (walk, &interface), i);
    }
}

/* An atomic array: its bytes stand before it; one word, then type, functions and state of each interface. */
static void
match_interfaces (const Walk *walk, const Node *node)
{
  guint64 words[2 + 3 * MAX_INTERFACES];
  guint64 array = get_field (walk, node, INTERFACES);
  guint n;

  if (!is_pointer (array) || !jank_memory_read_all (array - sizeof (guint64), words, 2 * sizeof (guint64)))
    return;
  n = (guint) MIN (words[0] / (3 * sizeof (guint64)), MAX_INTERFACES);
  if (!jank_memory_read_all (array - sizeof (guint64), words, (2 + 3 * n) * sizeof (guint64)))
    return;
  for (guint i = 0; i < n; i++)
    match_interface (walk, node, words[2 + 3 * i], words[3 + 3 * i]);
}

/* parent: the structure of the class above */
static void
match_node (Walk *walk, const Node *node, const Structure *parent, guint depth)
{
  g_autofree Structure *structure = g_new (Structure, 1);
  guint n_children = (guint) MIN (get_field (walk, node, COUNTS) & G_MAXUINT32, MAX_CHILDREN);
  g_autofree guint64 *children = g_new (guint64, n_children);

  match_function (walk, node, node->data[CLASS_INIT], "class_init");
  match_function (walk, node, node->data[INSTANCE_INIT], "init");
  if (read_structure (node->data[CLASS], get_structure_bytes (node), structure)
      && structure->n_words > 0 && structure->words[0] == node->type)
    match_class (walk, node, structure, parent);
  else
    *structure = *parent; /* no object of the class was made yet */
  match_interfaces (walk, node);

  if (depth == MAX_DEPTH
      || !jank_memory_read_all (get_field (walk, node, CHILDREN), children, n_children * sizeof (guint64)))
    return;
  for (guint i = 0; i < n_children && walk->n_nodes < MAX_NODES; i++)
    {
      g_autofree Node *child = g_new (Node, 1);

      walk->n_nodes++;
      if (is_pointer (children[i]) && read_node (walk, children[i], children[i], child)
          && child->words[walk->supers + 1] == node->type)
        match_node (walk, child, structure, depth + 1);
    }
}

static gboolean
are_pointers (const guint64 *words, guint n_words)
{
  for (guint i = 0; i < n_words; i++)
    if (!is_pointer (words[i]))
      return FALSE;
  return TRUE;
}

/* table: of fundamental types, not yet trusted */
static gboolean
is_table (const guint64 *table, Walk *walk, Node *ret_object)
{
  guint64 words[NODE_WORDS];

  if (!are_pointers (table + FIRST_FUNDAMENTAL, OBJECT + 1 - FIRST_FUNDAMENTAL)
      || !jank_memory_read_all (table[OBJECT], words, sizeof words))
    return FALSE;
  for (walk->supers = MIN_SUPERS; walk->supers < NODE_WORDS; walk->supers++)
    {
      guint i = OBJECT;

      if (words[walk->supers] != 4 * OBJECT)
        continue;
      while (i >= FIRST_FUNDAMENTAL && read_node (walk, table[i], 4 * i, ret_object))
        i--;
      if (i < FIRST_FUNDAMENTAL)
        return read_node (walk, table[OBJECT], 4 * OBJECT, ret_object);
    }
  return FALSE;
}

static gboolean
find_object (guint64 begin, guint64 end, Walk *walk, Node *ret_object)
{
  gsize n_bytes = (MIN (end - begin, MAX_SPAN_BYTES) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  g_autofree guint64 *words = g_malloc0 (n_bytes);

  for (gsize at = 0; at < n_bytes; at += PAGE_BYTES)
    jank_memory_read (begin + at, (char *) words + at, PAGE_BYTES);
  for (gsize i = 0; i + OBJECT < n_bytes / sizeof *words; i++)
    if (is_pointer (words[i + OBJECT]) && is_table (words + i, walk, ret_object))
      return TRUE;
  return FALSE;
}

void
jank_type_slots_describe (guint64 types_begin, guint64 types_end, JankSlot *slots, guint n_slots)
{
  const Structure nothing = { .n_words = 0 };
  g_autofree Node *object = g_new (Node, 1);
  Walk walk = { .slots = slots, .n_slots = n_slots };

  if (find_object (types_begin, types_end, &walk, object))
    match_node (&walk, object, &nothing, 0);
}
