/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: GIO's D-Bus message, GLib's hash table and variant. */

#include "dbus/jank-dbus-parts-private.h"

#include <string.h>

#include "base/jank-memory-private.h"

/* How many words of an object are searched for what it points to. */
#define MAX_OBJECT_WORDS 16

/* Header fields of a method call: eight exist. */
#define MAX_FIELDS 16

#define MAX_ARGUMENTS 16
/* Of these, looked at: the interface and the name of a property. */
#define N_TEXTS 2

typedef struct
{
  guint32  size, mask, n_nodes, n_occupied;
  gboolean has_big_keys, has_big_values; /* pointers; else 32 bits each */
  guint64  keys, hashes, values;
} HashTable;

/* Where fields stand in this GIO's objects. */
typedef struct
{
  gboolean known;
  guint    headers; /* word of GDBusMessage that points to its GHashTable */
  guint    data;    /* word of GVariant that points to its bytes */
  guint    own;     /* from GLib 2.90 on, where that word is 0: bytes from the variant to its own; 0: never */
  guint    body;    /* word of GDBusMessage that points to the GVariant of its arguments; 0: unknown */
  guint    tree;    /* word of a GVariant made of others that points to these, before their number; 0: unknown */
  guint64  class;   /* of GDBusMessage */
} Layout;

static gboolean
jank_dbus_message_read_string (guint64 variant, const Layout *layout, gboolean (*has_form) (const char *text),
                               char *ret_text)
{
  guint64 words[MAX_OBJECT_WORDS];

  if (!jank_memory_read_all (variant, words, (layout->data + 1) * sizeof words[0]))
    return FALSE;
  if (words[layout->data] == 0 && layout->own != 0)
    words[layout->data] = variant + layout->own;
  return jank_dbus_instance_read_text (words[layout->data], has_form, ret_text);
}

static guint64
jank_dbus_message_read_slot (guint64 array, gboolean is_big, gsize index)
{
  guint64 big = 0;
  guint32 small = 0;

  if (is_big)
    return jank_memory_read_all (array + index * sizeof big, &big, sizeof big) ? big : 0;
  return jank_memory_read_all (array + index * sizeof small, &small, sizeof small) ? small : 0;
}

/* The beginning of what glib/ghash.c keeps: size, modulus, mask, two counts, flags, three arrays. The size has 64 bits
 * since GLib 2.64 and 32 in 2.90; the modulus, a prime, tells which. */
static gboolean
jank_dbus_message_read_table (guint64 address, HashTable *ret_table)
{
  guint32 words[14];
  guint at;

  if (!jank_memory_read_all (address, words, sizeof words))
    return FALSE;
  at = words[1] != 0 ? 1 : 2;
  *ret_table = (HashTable) {
    .size = words[0], .mask = words[at + 1], .n_nodes = words[at + 2], .n_occupied = words[at + 3],
    .has_big_keys = (words[at + 4] & 1) != 0, .has_big_values = (words[at + 4] & 2) != 0,
  };
  memcpy (&ret_table->keys, &words[4 + 2 * at], sizeof (guint64));
  memcpy (&ret_table->hashes, &words[6 + 2 * at], sizeof (guint64));
  memcpy (&ret_table->values, &words[8 + 2 * at], sizeof (guint64));
  return ret_table->size >= 8 && ret_table->size <= 64 && (ret_table->size & (ret_table->size - 1)) == 0 &&
         ret_table->mask == ret_table->size - 1 && ret_table->n_nodes >= 1 && ret_table->n_nodes <= MAX_FIELDS &&
         ret_table->n_occupied >= ret_table->n_nodes;
}

static gboolean
jank_dbus_message_read_fields (guint64 address, const Layout *layout, JankDBusMessage *ret_fields)
{
  static gboolean (*const forms[]) (const char *) = {
    [G_DBUS_MESSAGE_HEADER_FIELD_PATH] = g_variant_is_object_path,
    [G_DBUS_MESSAGE_HEADER_FIELD_INTERFACE] = g_dbus_is_interface_name,
    [G_DBUS_MESSAGE_HEADER_FIELD_MEMBER] = g_dbus_is_member_name,
    [G_DBUS_MESSAGE_HEADER_FIELD_ERROR_NAME] = g_dbus_is_interface_name,
    [G_DBUS_MESSAGE_HEADER_FIELD_DESTINATION] = g_dbus_is_name,
  };
  HashTable table;

  memset (ret_fields, 0, sizeof *ret_fields);
  if (!jank_dbus_message_read_table (address, &table))
    return FALSE;
  for (gsize i = 0; i < table.size; i++)
    {
      guint64 key = jank_dbus_message_read_slot (table.keys, table.has_big_keys, i);

      /* Hashes 0 and 1 are those of slots without a value. */
      if (key >= G_N_ELEMENTS (forms) || forms[key] == NULL ||
          jank_dbus_message_read_slot (table.hashes, FALSE, i) < 2)
        continue;
      if (!jank_dbus_message_read_string (jank_dbus_message_read_slot (table.values, table.has_big_values, i),
                                          layout, forms[key], ret_fields->fields[key]))
        return FALSE;
    }
  return TRUE;
}

/* Of a message of our own, by which the layout is learned. */
static const char *const own_fields[] = {
  [G_DBUS_MESSAGE_HEADER_FIELD_PATH] = "/org/jankwatch/Layout",
  [G_DBUS_MESSAGE_HEADER_FIELD_INTERFACE] = "org.jankwatch.Interface",
  [G_DBUS_MESSAGE_HEADER_FIELD_MEMBER] = "Method",
  [G_DBUS_MESSAGE_HEADER_FIELD_DESTINATION] = "org.jankwatch.Destination",
};

static gboolean
jank_dbus_message_is_own (const JankDBusMessage *message)
{
  for (guint i = 0; i < G_N_ELEMENTS (own_fields); i++)
    if (own_fields[i] != NULL && strcmp (message->fields[i], own_fields[i]) != 0)
      return FALSE;
  return TRUE;
}

/* Made but not yet sent, the arguments are variants of their own; else one text follows the other in memory. */
static void
jank_dbus_message_read_body (guint64 body, const Layout *layout, JankDBusMessage *message)
{
  guint64 words[MAX_OBJECT_WORDS], children[N_TEXTS];
  char *interface = message->body_interface, *member = message->body_member;
  guint64 n;

  if (layout->tree == 0 || !jank_memory_read_all (body, words, sizeof words))
    return;
  n = words[layout->tree + 1] <= MAX_ARGUMENTS ? MIN (words[layout->tree + 1], N_TEXTS) : 0;
  if (n != 0 && jank_memory_read_all (words[layout->tree], children, n * sizeof children[0]) &&
      jank_dbus_message_read_string (children[0], layout, g_dbus_is_interface_name, interface))
    {
      if (n == N_TEXTS)
        jank_dbus_message_read_string (children[1], layout, g_dbus_is_member_name, member);
    }
  else if (jank_dbus_message_read_string (body, layout, g_dbus_is_interface_name, interface))
    jank_dbus_instance_read_text (words[layout->data] + strlen (interface) + 1, g_dbus_is_member_name, member);
}

/* A short text may stand in the variant, a long one does not. */
static void
jank_dbus_message_learn_variant (Layout *layout)
{
  g_autofree char *text = g_strnfill (JANK_DBUS_MAX_NAME, 'x');
  g_autoptr (GVariant) large = g_variant_ref_sink (g_variant_new_string (text));
  g_autoptr (GVariant) small = g_variant_ref_sink (g_variant_new_string ("x"));
  gsize own = (guintptr) g_variant_get_data (small) - (guintptr) small;
  gconstpointer data = g_variant_get_data (large);

  for (guint i = 1; i < 8 && layout->data == 0; i++)
    {
      gpointer word;

      if (jank_memory_read_all ((guintptr) large + i * sizeof word, &word, sizeof word) && word == data)
        layout->data = i;
    }
  if (own < MAX_OBJECT_WORDS * sizeof (gpointer))
    layout->own = (guint) own;
}

static void
jank_dbus_message_learn_body (GDBusMessage *message, Layout *layout)
{
  GVariant *texts[] = { g_variant_new_string ("a"), g_variant_new_string ("b") };
  GVariant *body = g_variant_new ("(@s@s)", texts[0], texts[1]);
  guint64 words[MAX_OBJECT_WORDS], children[N_TEXTS];

  g_dbus_message_set_body (message, body);
  if (!jank_memory_read_all ((guintptr) body, words, 8 * sizeof words[0]))
    return;
  for (guint i = 1; i < 7 && layout->tree == 0; i++)
    if (words[i + 1] == G_N_ELEMENTS (texts) && jank_memory_read_all (words[i], children, sizeof children) &&
        children[0] == (guintptr) texts[0] && children[1] == (guintptr) texts[1])
      layout->tree = i;
  if (layout->tree == 0 || !jank_memory_read_all ((guintptr) message, words, sizeof words))
    return;
  for (guint i = 1; i < MAX_OBJECT_WORDS && layout->body == 0; i++)
    if (words[i] == (guintptr) body)
      layout->body = i;
}

/* The type exists: a thread waits for the answer to such a message. */
static Layout
jank_dbus_message_learn_layout (void)
{
  g_autoptr (GDBusMessage) message =
    g_dbus_message_new_method_call (own_fields[G_DBUS_MESSAGE_HEADER_FIELD_DESTINATION],
                                    own_fields[G_DBUS_MESSAGE_HEADER_FIELD_PATH],
                                    own_fields[G_DBUS_MESSAGE_HEADER_FIELD_INTERFACE],
                                    own_fields[G_DBUS_MESSAGE_HEADER_FIELD_MEMBER]);
  Layout layout = { .class = (guintptr) G_OBJECT_GET_CLASS (message) };

  jank_dbus_message_learn_variant (&layout);
  jank_dbus_message_learn_body (message, &layout);
  for (guint i = 1; i < MAX_OBJECT_WORDS && !layout.known && layout.data != 0; i++)
    {
      guint64 word;
      JankDBusMessage fields;

      if (!jank_memory_read_all ((guintptr) message + i * sizeof word, &word, sizeof word) ||
          !jank_dbus_message_read_fields (word, &layout, &fields) || !jank_dbus_message_is_own (&fields))
        continue;
      layout.headers = i;
      layout.known = TRUE;
    }
  return layout;
}

static const Layout *
jank_dbus_message_get_layout (void)
{
  static gsize learned;
  static Layout layout;

  if (g_once_init_enter (&learned))
    {
      layout = jank_dbus_message_learn_layout ();
      g_once_init_leave (&learned, 1);
    }
  return &layout;
}

void
jank_dbus_message_prepare (void)
{
  jank_dbus_message_get_layout ();
  jank_dbus_connection_prepare ();
}

/* Another process has its classes elsewhere: there, what the fields hold must do. */
gboolean
jank_dbus_message_read (guint64 address, JankDBusMessage *ret_message)
{
  const Layout *layout = jank_dbus_message_get_layout ();
  guint64 words[MAX_OBJECT_WORDS], class = jank_dbus_instance_read_class (address);
  guint32 message_type;

  if (!layout->known || class == 0 || (class != layout->class && jank_memory_get_other () == 0) ||
      !jank_memory_read_all (address, words, (MAX (layout->headers, layout->body) + 1) * sizeof words[0]))
    return FALSE;
  /* The first field behind the GObject. */
  memcpy (&message_type, (const guint8 *) words + sizeof (GObject), sizeof message_type);
  if (message_type != G_DBUS_MESSAGE_TYPE_METHOD_CALL ||
      !jank_dbus_message_read_fields (words[layout->headers], layout, ret_message) ||
      ret_message->fields[G_DBUS_MESSAGE_HEADER_FIELD_MEMBER][0] == '\0')
    return FALSE;
  if (layout->body != 0 && words[layout->body] != 0)
    jank_dbus_message_read_body (words[layout->body], layout, ret_message);
  return TRUE;
}
