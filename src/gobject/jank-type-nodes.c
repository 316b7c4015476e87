/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gobject/jank-type-nodes-private.h"

#include <string.h>

#include "base/jank-memory-private.h"

#define OBJECT 20 /* G_TYPE_OBJECT >> 2 */
#define FIRST_FUNDAMENTAL 2
#define MAX_SPAN_BYTES (16 << 20)
#define MIN_SUPERS 7

gboolean
jank_type_is_pointer (guint64 word)
{
  return word >= JANK_MEMORY_PAGE_BYTES && word >> JANK_MEMORY_ADDRESS_BITS == 0 && word % 8 == 0;
}

guint64
jank_type_node_get (const JankTypes *types, const JankTypeNode *node, gint field)
{
  return node->words[(gint) types->supers + field];
}

gboolean
jank_types_read (const JankTypes *types, guint64 address, void *buffer, gsize n_bytes)
{
  return types->pages != NULL ? jank_page_cache_read (types->pages, address, buffer, n_bytes)
                              : jank_memory_read_all (address, buffer, n_bytes);
}

/* A node may be the last thing in its mapping. */
static gsize
jank_type_nodes_read_words (const JankTypes *types, guint64 address, guint64 *words, gsize n_bytes)
{
  return types->pages != NULL && jank_page_cache_read (types->pages, address, words, n_bytes)
           ? n_bytes : jank_memory_read (address, words, n_bytes);
}

gboolean
jank_type_node_read (const JankTypes *types, guint64 address, guint64 type, JankTypeNode *ret_node)
{
  gsize n_bytes;

  memset (ret_node, 0, sizeof *ret_node);
  n_bytes = jank_type_nodes_read_words (types, address, ret_node->words, sizeof ret_node->words);
  ret_node->type = type;
  if (n_bytes < (types->supers + 1) * sizeof (guint64) || jank_type_node_get (types, ret_node, 0) != type)
    return FALSE;
  jank_type_nodes_read_words (types, jank_type_node_get (types, ret_node, JANK_TYPE_DATA), ret_node->data,
                              sizeof ret_node->data);
  return TRUE;
}

/* A type is its node's address, except fundamental types; of these only GObject matters here. */
gboolean
jank_type_instance_read (const JankTypes *types, guint64 address, JankTypeNode *ret_node)
{
  guint64 class, type;

  return jank_type_is_pointer (address) && jank_memory_read_all (address, &class, sizeof class)
         && jank_type_is_pointer (class) && jank_memory_read_all (class, &type, sizeof type)
         && (type == 4 * OBJECT || jank_type_is_pointer (type))
         && jank_type_node_read (types, type == 4 * OBJECT ? types->object : type, type, ret_node)
         && ret_node->data[JANK_TYPE_CLASS] == class;
}

const char *
jank_type_node_get_name (const JankTypes *types, const JankTypeNode *node)
{
  const char *name = g_quark_to_string ((GQuark) jank_type_node_get (types, node, JANK_TYPE_QNAME));

  return name != NULL ? name : "?";
}

/* An atomic array: its size in bytes precedes it; one word, then the interfaces. */
guint
jank_type_node_interfaces (const JankTypes *types, const JankTypeNode *node, JankTypeInterface *ret_interfaces)
{
  guint64 array = jank_type_node_get (types, node, JANK_TYPE_INTERFACES), n_bytes;
  guint n;

  if (!jank_type_is_pointer (array) || !jank_types_read (types, array - sizeof array, &n_bytes, sizeof n_bytes))
    return 0;
  n = (guint) MIN (n_bytes / sizeof *ret_interfaces, JANK_TYPE_MAX_INTERFACES);
  return jank_types_read (types, array + sizeof array, ret_interfaces, n * sizeof *ret_interfaces) ? n : 0;
}

gboolean
jank_type_node_is_a (const JankTypes *types, const JankTypeNode *node, guint64 type)
{
  JankTypeInterface interfaces[JANK_TYPE_MAX_INTERFACES];
  guint n;

  for (guint i = types->supers; i < G_N_ELEMENTS (node->words) && node->words[i] != 0; i++)
    if (node->words[i] == type)
      return TRUE;
  n = jank_type_node_interfaces (types, node, interfaces);
  for (guint i = 0; i < n; i++)
    if (interfaces[i].type == type)
      return TRUE;
  return FALSE;
}

static gboolean
jank_type_nodes_are_pointers (const guint64 *words, guint n_words)
{
  for (guint i = 0; i < n_words; i++)
    if (!jank_type_is_pointer (words[i]))
      return FALSE;
  return TRUE;
}

/* table: of fundamental types, not yet checked */
static gboolean
jank_type_nodes_is_table (const guint64 *table, JankTypes *types)
{
  guint64 words[JANK_TYPE_NODE_WORDS];
  JankTypeNode node;

  if (!jank_type_nodes_are_pointers (table + FIRST_FUNDAMENTAL, OBJECT + 1 - FIRST_FUNDAMENTAL)
      || !jank_memory_read_all (table[OBJECT], words, sizeof words))
    return FALSE;
  for (types->supers = MIN_SUPERS; types->supers < JANK_TYPE_NODE_WORDS; types->supers++)
    {
      guint i = OBJECT;

      if (words[types->supers] != 4 * OBJECT)
        continue;
      while (i >= FIRST_FUNDAMENTAL && jank_type_node_read (types, table[i], 4 * i, &node))
        i--;
      types->object = table[OBJECT];
      if (i < FIRST_FUNDAMENTAL)
        return TRUE;
    }
  return FALSE;
}

gboolean
jank_types_find (guint64 begin, guint64 end, JankTypes *ret_types)
{
  gsize n_pages = (MIN (end - begin, MAX_SPAN_BYTES) + JANK_MEMORY_PAGE_BYTES - 1) / JANK_MEMORY_PAGE_BYTES;
  gsize n_bytes = n_pages * JANK_MEMORY_PAGE_BYTES;
  g_autofree guint64 *words = g_malloc0 (n_bytes);

  *ret_types = (JankTypes) { 0 };
  for (gsize at = 0; at < n_bytes; at += JANK_MEMORY_PAGE_BYTES)
    jank_memory_read (begin + at, (char *) words + at, JANK_MEMORY_PAGE_BYTES);
  for (gsize i = 0; i + OBJECT < n_bytes / sizeof *words; i++)
    if (jank_type_is_pointer (words[i + OBJECT]) && jank_type_nodes_is_table (words + i, ret_types))
      return TRUE;
  *ret_types = (JankTypes) { 0 };
  return FALSE;
}
