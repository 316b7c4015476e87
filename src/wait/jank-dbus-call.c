/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: GIO's D-Bus message, GLib's hash table. */

#include "config.h"

#include "wait/jank-dbus-call-private.h"

#include <gio/gio.h>
#include <string.h>

#include "base/jank-memory-private.h"
#include "wait/jank-known-functions-private.h"
#include "proc/jank-proc-private.h"

/* How many words of an object are searched for what it points to. */
#define MAX_OBJECT_WORDS 16

/* Bytes of stack from the poll to the function that sends: GLib's calls take less than 2 kB. */
#define MAX_STACK_BYTES 16384

/* Header fields of a method call: eight exist. */
#define MAX_FIELDS 16

#define MAX_NAME 256

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
  guint    own;     /* from GLib 2.90 at the latest, where that word is 0: bytes from the variant to its own; 0: never */
  guint64  type;    /* GType of GDBusMessage */
} Layout;

/* Header fields, by number; empty: not there. */
typedef struct
{
  char text[G_DBUS_MESSAGE_HEADER_FIELD_SIGNATURE + 1][MAX_NAME];
} Fields;

/* A string of printable characters that ends where it should. */
static gboolean
jank_dbus_call_read_string (guint64 variant, const Layout *layout, char *ret_text)
{
  guint64 words[MAX_OBJECT_WORDS];

  if (!jank_memory_read_all (variant, words, (layout->data + 1) * sizeof words[0]))
    return FALSE;
  if (words[layout->data] == 0 && layout->own != 0)
    words[layout->data] = variant + layout->own;
  if (!jank_memory_read_text (words[layout->data], ret_text, MAX_NAME))
    return FALSE;
  if (strlen (ret_text) == MAX_NAME - 1)
    return FALSE;
  for (const char *p = ret_text; *p != '\0'; p++)
    if (!g_ascii_isgraph (*p))
      return FALSE;
  return ret_text[0] != '\0';
}

static guint64
jank_dbus_call_read_slot (guint64 array, gboolean is_big, gsize index)
{
  guint64 big = 0;
  guint32 small = 0;

  if (is_big)
    return jank_memory_read_all (array + index * sizeof big, &big, sizeof big) ? big : 0;
  return jank_memory_read_all (array + index * sizeof small, &small, sizeof small) ? small : 0;
}

/* The beginning of what glib/ghash.c keeps: size, modulus, mask, two counts, flags, three arrays. The size has 64 bits since
 * GLib 2.64 and 32 in 2.90; the modulus, a prime, tells which. */
static gboolean
jank_dbus_call_read_table (guint64 address, HashTable *ret_table)
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
jank_dbus_call_read_fields (guint64 address, const Layout *layout, Fields *ret_fields)
{
  HashTable table;

  memset (ret_fields, 0, sizeof *ret_fields);
  if (!jank_dbus_call_read_table (address, &table))
    return FALSE;
  for (gsize i = 0; i < table.size; i++)
    {
      guint64 key = jank_dbus_call_read_slot (table.keys, table.has_big_keys, i);
      gboolean is_name = key >= G_DBUS_MESSAGE_HEADER_FIELD_PATH && key <= G_DBUS_MESSAGE_HEADER_FIELD_DESTINATION &&
                         key != G_DBUS_MESSAGE_HEADER_FIELD_REPLY_SERIAL;

      /* Hashes 0 and 1 are those of slots without a value. */
      if (!is_name || jank_dbus_call_read_slot (table.hashes, FALSE, i) < 2)
        continue;
      if (!jank_dbus_call_read_string (jank_dbus_call_read_slot (table.values, table.has_big_values, i),
                                       layout, ret_fields->text[key]))
        return FALSE;
    }
  return TRUE;
}

static gboolean
jank_dbus_call_fields_equal (const Fields *fields, const char *path, const char *interface, const char *member,
                             const char *destination)
{
  return strcmp (fields->text[G_DBUS_MESSAGE_HEADER_FIELD_PATH], path) == 0 &&
         strcmp (fields->text[G_DBUS_MESSAGE_HEADER_FIELD_INTERFACE], interface) == 0 &&
         strcmp (fields->text[G_DBUS_MESSAGE_HEADER_FIELD_MEMBER], member) == 0 &&
         strcmp (fields->text[G_DBUS_MESSAGE_HEADER_FIELD_DESTINATION], destination) == 0;
}

/* A short text may stand in the variant, a long one does not. */
static void
jank_dbus_call_learn_variant (Layout *layout)
{
  g_autofree char *text = g_strnfill (MAX_NAME, 'x');
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

/* The type exists: a thread waits for the answer to such a message. */
static Layout
jank_dbus_call_learn_layout (void)
{
  static const char path[] = "/org/jankwatch/Layout", interface[] = "org.jankwatch.Interface";
  static const char member[] = "Method", destination[] = "org.jankwatch.Destination";
  g_autoptr (GDBusMessage) message = g_dbus_message_new_method_call (destination, path, interface, member);
  Layout layout = { .type = G_TYPE_DBUS_MESSAGE };

  jank_dbus_call_learn_variant (&layout);
  for (guint i = 1; i < MAX_OBJECT_WORDS && !layout.known && layout.data != 0; i++)
    {
      guint64 word;
      Fields fields;

      if (!jank_memory_read_all ((guintptr) message + i * sizeof word, &word, sizeof word) ||
          !jank_dbus_call_read_fields (word, &layout, &fields) || !jank_dbus_call_fields_equal (&fields, path,
                                                                                                interface, member, destination))
        continue;
      layout.headers = i;
      layout.known = TRUE;
    }
  return layout;
}

static const Layout *
jank_dbus_call_get_layout (void)
{
  static gsize learned;
  static Layout layout;

  if (g_once_init_enter (&learned))
    {
      layout = jank_dbus_call_learn_layout ();
      g_once_init_leave (&learned, 1);
    }
  return &layout;
}

/* FALSE: no message that calls a method stands there. */
static gboolean
jank_dbus_call_read_message (const Layout *layout, guint64 address, Fields *ret_fields)
{
  guint64 words[MAX_OBJECT_WORDS], type;
  guint32 message_type;

  if (address == 0 || address % sizeof (gpointer) != 0 ||
      !jank_memory_read_all (address, words, (layout->headers + 1) * sizeof words[0]) ||
      !jank_memory_read_all (words[0], &type, sizeof type) || type != layout->type)
    return FALSE;
  /* The first field behind the GObject. */
  memcpy (&message_type, (const guint8 *) words + sizeof (GObject), sizeof message_type);
  return message_type == G_DBUS_MESSAGE_TYPE_METHOD_CALL &&
         jank_dbus_call_read_fields (words[layout->headers], layout, ret_fields) &&
         ret_fields->text[G_DBUS_MESSAGE_HEADER_FIELD_MEMBER][0] != '\0';
}

/* Two different messages are there: which one is waited for cannot be told. */
static gboolean
jank_dbus_call_find_message (const Layout *layout, guint64 begin, guint64 end, Fields *ret_fields)
{
  g_autofree guint64 *words = NULL;
  guint64 found = 0;
  gsize n_words;

  if (begin % 8 != 0 || end <= begin || end - begin > MAX_STACK_BYTES)
    return FALSE;
  n_words = (end - begin) / sizeof words[0];
  words = g_new (guint64, n_words);
  if (!jank_memory_read_all (begin, words, n_words * sizeof words[0]))
    return FALSE;

  for (gsize i = 0; i < n_words; i++)
    {
      Fields fields;

      if (words[i] == found || !jank_dbus_call_read_message (layout, words[i], &fields))
        continue;
      if (found != 0)
        return FALSE;
      found = words[i];
      *ret_fields = fields;
    }
  return found != 0;
}

static void
jank_dbus_call_fill_call (const Fields *fields, JankDBusCall *ret_call)
{
  const char *interface = fields->text[G_DBUS_MESSAGE_HEADER_FIELD_INTERFACE];
  const char *member = fields->text[G_DBUS_MESSAGE_HEADER_FIELD_MEMBER];
  g_autofree char *method = interface[0] != '\0' ? g_strdup_printf ("%s.%s", interface, member) : g_strdup (member);

  jank_proc_text (ret_call->method, sizeof ret_call->method, method);
  g_strlcpy (ret_call->destination, fields->text[G_DBUS_MESSAGE_HEADER_FIELD_DESTINATION],
             sizeof ret_call->destination);
  g_strlcpy (ret_call->path, fields->text[G_DBUS_MESSAGE_HEADER_FIELD_PATH], sizeof ret_call->path);
}

gboolean
jank_dbus_call_look (guint64 sp, const guint64 *functions, const guint64 *cfas, guint n_functions,
                     JankDBusCall *ret_call)
{
  memset (ret_call, 0, sizeof *ret_call);
  for (guint i = 0; i < n_functions; i++)
    {
      JankKnownFunction known;
      Fields fields;

      jank_known_function_look (functions[i], &known);
      if (known.role == JANK_ROLE_DBUS_CALL || known.role == JANK_ROLE_DBUS_LIBDBUS)
        return TRUE;
      if (known.role != JANK_ROLE_DBUS_SEND)
        continue;
      if (cfas != NULL && cfas[i] != 0 && jank_dbus_call_get_layout ()->known &&
          jank_dbus_call_find_message (jank_dbus_call_get_layout (), sp, cfas[i], &fields))
        jank_dbus_call_fill_call (&fields, ret_call);
      return TRUE;
    }
  return FALSE;
}
