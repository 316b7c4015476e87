/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: an object's texts. Its own memory and its private data, which stands before it, are searched for
 * them. */

#include "gobject/jank-type-nodes-private.h"

#include <string.h>

#include "base/jank-memory-private.h"

#define MAX_TEXT_BYTES 64
#define MAX_OBJECT_BYTES 1024
#define MAX_CHILDREN 4
#define MAX_DATA 64
#define QDATA_WORD 2 /* of GObject */

/* The words of an object: its private data stands before it. */
typedef struct
{
  guint64 words[2 * MAX_OBJECT_BYTES / sizeof (guint64)];
  guint   n_words;
} Content;

gboolean
jank_instance_read_text (guint64 address, char *ret_text, gsize n_bytes)
{
  if (address < JANK_MEMORY_PAGE_BYTES || !jank_memory_read_text (address, ret_text, n_bytes) || ret_text[0] == '\0'
      || strlen (ret_text) >= n_bytes - 1 || !g_utf8_validate (ret_text, -1, NULL))
    return FALSE;
  for (const char *p = ret_text; *p != '\0'; p = g_utf8_next_char (p))
    if (!g_unichar_isprint (g_utf8_get_char (p)))
      return FALSE;
  return TRUE;
}

gboolean
jank_instance_is_a (const JankTypes *types, const JankTypeNode *node, const char *name)
{
  JankTypeNode ancestor;

  if (strcmp (jank_type_node_get_name (types, node), name) == 0)
    return TRUE;
  for (guint i = types->supers + 1; i < G_N_ELEMENTS (node->words) && jank_type_is_pointer (node->words[i]); i++)
    if (jank_type_node_read (types, node->words[i], node->words[i], &ancestor)
        && strcmp (jank_type_node_get_name (types, &ancestor), name) == 0)
      return TRUE;
  return FALSE;
}

static void
jank_instance_read_content (guint64 instance, const JankTypeNode *node, Content *ret_content)
{
  guint n_bytes = (guint) (node->data[JANK_TYPE_INSTANCE_SIZES] & 0xffff);
  guint n_private = (guint) (node->data[JANK_TYPE_INSTANCE_SIZES] >> 16 & 0xffff);

  n_private = MIN ((n_private + 15) / 16 * 16, MAX_OBJECT_BYTES);
  ret_content->n_words = (guint) (jank_memory_read (instance - n_private, ret_content->words,
                                                    n_private + MIN (n_bytes, MAX_OBJECT_BYTES)) / sizeof (guint64));
}

/* Whether text is label as displayed, without the mnemonics' underscores. */
static gboolean
jank_instance_is_shown_for (const char *label, const char *text)
{
  for (; *label != '\0'; label++)
    if (*label == *text)
      text++;
    else if (*label != '_')
      return FALSE;
  return *text == '\0';
}

/* A label keeps its text twice, side by side: as set, and as displayed. */
static gboolean
jank_instance_find_shown (const Content *content, char *ret_text)
{
  char label[MAX_TEXT_BYTES];

  for (guint i = 0; i + 1 < content->n_words; i++)
    if (content->words[i] != content->words[i + 1]
        && jank_instance_read_text (content->words[i], label, sizeof label)
        && jank_instance_read_text (content->words[i + 1], ret_text,
                                    MAX_TEXT_BYTES) && jank_instance_is_shown_for (label, ret_text))
      return TRUE;
  return FALSE;
}

/* Child and parent point to each other. With several labels we cannot tell which one is the widget's own. */
static gboolean
jank_instance_find_label (const JankTypes *types, guint64 widget, const Content *content, char *ret_text)
{
  guint64 label = 0;

  for (guint i = 0; i < content->n_words; i++)
    {
      JankTypeNode node;
      Content child;
      char text[MAX_TEXT_BYTES];

      if (content->words[i] == widget || content->words[i] == label
          || !jank_type_instance_read (types, content->words[i], &node)
          || strcmp (jank_type_node_get_name (types, &node), "GtkLabel") != 0)
        continue;
      jank_instance_read_content (content->words[i], &node, &child);
      if (!jank_memory_has_word (child.words, child.n_words, widget) || !jank_instance_find_shown (&child, text))
        continue;
      if (label != 0)
        return FALSE;
      label = content->words[i];
      g_strlcpy (ret_text, text, MAX_TEXT_BYTES);
    }
  return label != 0;
}

/* GTK 4 stores a widget's ID under the first name and another object's under the second; GTK 3 uses the last. The list
 * address's lowest bits are flags. */
static gboolean
jank_instance_find_id (guint64 instance, char *ret_text)
{
  static const char *const keys[] = { "gtk-builder-set-id", "gtk-builder-id", "gtk-builder-name" };
  struct { guint64 key, data, destroy; } items[MAX_DATA];
  guint64 list;
  guint32 n;

  if (!jank_memory_read_all (instance + QDATA_WORD * sizeof list, &list, sizeof list)
      || (list & ~(guint64) 7) < JANK_MEMORY_PAGE_BYTES)
    return FALSE;
  list &= ~(guint64) 7;
  if (!jank_memory_read_all (list, &n, sizeof n) || n == 0 || n > MAX_DATA
      || !jank_memory_read_all (list + sizeof list, items, n * sizeof items[0]))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      const char *key = g_quark_to_string ((GQuark) items[i].key);

      for (guint k = 0; key != NULL && k < G_N_ELEMENTS (keys); k++)
        if (strcmp (key, keys[k]) == 0)
          return jank_instance_read_text (items[i].data, ret_text, MAX_TEXT_BYTES);
    }
  return FALSE;
}

char *
jank_instance_describe (const JankTypes *types, guint64 instance, const JankTypeNode *node)
{
  Content content;
  char text[MAX_TEXT_BYTES];

  if (jank_instance_is_a (types, node, "GtkWidget"))
    {
      jank_instance_read_content (instance, node, &content);
      if (strcmp (jank_type_node_get_name (types, node), "GtkLabel") == 0
          ? jank_instance_find_shown (&content, text)
          : jank_instance_find_label (types, instance, &content, text))
        return g_strdup_printf ("“%s”", text);
    }
  return jank_instance_find_id (instance, text) && !g_str_has_prefix (text, "_") ? g_strdup_printf ("#%s", text) : NULL;
}
