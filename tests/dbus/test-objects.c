/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Connections, proxies and messages in memory that is not what it seems. */

#include <string.h>
#include <sys/mman.h>

#include "base/jank-memory-private.h"
#include "test.h"
#include "dbus/jank-dbus-parts-private.h"

#define ADDRESS "unix:path=/run/jankwatch/bus"
#define OTHER_ADDRESS "unix:path=/run/other/bus"
#define MAX_WORDS 128
#define N_PROXY_WORDS 16
#define N_ROUNDS 20000

/* What a pointer to a text may lead to. The first is that of a stream's class, where the heap is at 0x3a9fd140. */
static const char *const garbage[] = {
  "@\xd1\x9f:", "\xff\xfe:a=b", "", "a b", "unix:", "wrong:path=/a", "unix:path=/a\n", NULL
};

/* An object's memory, to be changed. */
typedef struct
{
  guint64 words[MAX_WORDS];
  guint   n;
} Copy;

static void
copy_instance (gpointer instance, Copy *ret_copy)
{
  GTypeQuery query;

  g_type_query (G_OBJECT_TYPE (instance), &query);
  ret_copy->n = query.instance_size / sizeof ret_copy->words[0];
  g_assert_cmpuint (ret_copy->n, <=, MAX_WORDS);
  memcpy (ret_copy->words, instance, ret_copy->n * sizeof ret_copy->words[0]);
}

/* Returns: (transfer full): a text that no NUL ends, before memory that cannot be read */
static char *
map_endless_text (void)
{
  char *pages = mmap (NULL, 2 * JANK_MEMORY_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  g_assert_true (pages != MAP_FAILED);
  g_assert_cmpint (mprotect (pages + JANK_MEMORY_PAGE_BYTES, JANK_MEMORY_PAGE_BYTES, PROT_NONE), ==, 0);
  return memcpy (pages + JANK_MEMORY_PAGE_BYTES - strlen (OTHER_ADDRESS), OTHER_ADDRESS, strlen (OTHER_ADDRESS));
}

static GDBusConnection *
make_connection (void)
{
  return g_object_new (G_TYPE_DBUS_CONNECTION, "address", ADDRESS, NULL);
}

/* Each word of a connection leads to text. Returns: how often this changed what is read */
static guint
count_changes (const Copy *connection, gconstpointer text, const char *expected)
{
  guint n_changes = 0;

  for (guint i = sizeof (GObject) / sizeof (guint64); i < connection->n; i++)
    {
      Copy changed = *connection;
      char bus[JANK_DBUS_MAX_NAME];

      changed.words[i] = (guintptr) text;
      g_assert_true (jank_dbus_connection_read ((guintptr) changed.words, bus));
      if (strcmp (bus, ADDRESS) == 0)
        continue;
      g_assert_cmpstr (bus, ==, expected);
      n_changes++;
    }
  return n_changes;
}

/* Once, a word before the one of the address led to bytes that looked like one. */
TEST (connection)
{
  g_autoptr (GDBusConnection) connection = make_connection ();
  g_autofree char *filler = g_strnfill (JANK_DBUS_MAX_NAME, 'a');
  g_autofree char *long_text = g_strconcat (OTHER_ADDRESS, filler, NULL);
  char *endless = map_endless_text ();
  Copy copy;

  copy_instance (connection, &copy);
  g_assert_cmpuint (count_changes (&copy, OTHER_ADDRESS, OTHER_ADDRESS), ==, 1);
  for (guint i = 0; garbage[i] != NULL; i++)
    g_assert_cmpuint (count_changes (&copy, garbage[i], ""), ==, 1);
  g_assert_cmpuint (count_changes (&copy, long_text, ""), ==, 1);
  g_assert_cmpuint (count_changes (&copy, endless, ""), ==, 1);
  g_assert_cmpuint (count_changes (&copy, endless + strlen (OTHER_ADDRESS), ""), ==, 1);
  g_assert_cmpuint (count_changes (&copy, NULL, ""), ==, 1);
  munmap (endless + strlen (OTHER_ADDRESS) - JANK_MEMORY_PAGE_BYTES, 2 * JANK_MEMORY_PAGE_BYTES);
}

/* Neither freed objects nor other types' are believed. */
TEST (instance)
{
  g_autoptr (GDBusConnection) connection = make_connection ();
  g_autoptr (GObject) other = g_object_new (G_TYPE_OBJECT, NULL);
  const guint64 references[] = { 0, G_MAXUINT32, 0x6261626261 };
  char bus[JANK_DBUS_MAX_NAME];
  Copy copy, changed;

  copy_instance (connection, &copy);
  for (guint i = 0; i < G_N_ELEMENTS (references); i++)
    {
      changed = copy;
      changed.words[1] = references[i];
      g_assert_false (jank_dbus_connection_read ((guintptr) changed.words, bus));
    }
  changed = copy;
  changed.words[0] = *(guint64 *) other;
  g_assert_false (jank_dbus_connection_read ((guintptr) changed.words, bus));
  g_assert_false (jank_dbus_connection_read ((guintptr) changed.words + 1, bus));
  g_assert_false (jank_dbus_connection_read (0, bus));
  g_assert_false (jank_dbus_connection_read (G_MAXUINT64 - 7, bus));
}

static GDBusProxy *
make_proxy (void)
{
  return g_object_new (G_TYPE_DBUS_PROXY, "g-name", "org.jankwatch.Name", "g-object-path", "/org/jankwatch/Object",
                       "g-interface-name", "org.jankwatch.Interface", NULL);
}

static gboolean
is_empty_or (const char *text, gboolean (*has_form) (const char *text))
{
  return text[0] == '\0' || (strlen (text) < JANK_DBUS_MAX_NAME && has_form (text));
}

/* Its names, of which the owner's may be missing, lead to garbage. */
TEST (proxy)
{
  g_autoptr (GDBusProxy) proxy = make_proxy ();
  g_autoptr (GArray) classes = jank_dbus_proxy_get_classes ();
  guint64 private[N_PROXY_WORDS];
  guint n_refused = 0;
  JankDBusProxy read;
  Copy copy;

  g_assert_true (jank_dbus_proxy_read ((guintptr) proxy, classes, &read));
  g_assert_cmpstr (read.name, ==, "org.jankwatch.Name");
  copy_instance (proxy, &copy);
  for (guint text = 0; garbage[text] != NULL; text++)
    for (guint i = 0; i < N_PROXY_WORDS; i++)
      {
        memcpy (private, (gpointer) copy.words[sizeof (GObject) / sizeof (guint64)], sizeof private);
        private[i] = (guintptr) garbage[text];
        copy.words[sizeof (GObject) / sizeof (guint64)] = (guintptr) private;
        n_refused += !jank_dbus_proxy_read ((guintptr) copy.words, classes, &read);
        copy_instance (proxy, &copy);
      }
  /* Connection, name, owner, path and interface. */
  g_assert_cmpuint (n_refused, ==, 5 * (G_N_ELEMENTS (garbage) - 1));
}

/* The program's own words may be wrong, too. */
TEST (message)
{
  static const GDBusMessageHeaderField fields[] = {
    G_DBUS_MESSAGE_HEADER_FIELD_PATH, G_DBUS_MESSAGE_HEADER_FIELD_INTERFACE,
    G_DBUS_MESSAGE_HEADER_FIELD_MEMBER, G_DBUS_MESSAGE_HEADER_FIELD_DESTINATION,
  };
  g_autofree char *long_text = g_strnfill (JANK_DBUS_MAX_NAME, 'a');
  const char *const wrong[] = { "", "a b", "\xd1\x9f", "-", long_text };
  JankDBusMessage read;

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    for (guint k = 0; k < G_N_ELEMENTS (wrong); k++)
      {
        g_autoptr (GDBusMessage) message = g_dbus_message_new_method_call ("org.a", "/a", "org.a", "A");

        g_assert_true (jank_dbus_message_read ((guintptr) message, &read));
        g_dbus_message_set_header (message, fields[i], g_variant_new_string (wrong[k]));
        g_assert_false (jank_dbus_message_read ((guintptr) message, &read));
      }
}

/* A message as it is sent, which libdbus has freed, or which is another object's, or with any byte changed. */
TEST (wire)
{
  g_autoptr (GDBusMessage) message = g_dbus_message_new_method_call ("org.b", "/a", "org.a", "A");
  g_autoptr (GRand) random = g_rand_new_with_seed (8);
  guint64 object[64] = { 1 }, header;
  g_autofree guchar *sent = NULL, *bytes = NULL;
  JankDBusMessage read;
  gsize n_bytes;

  g_dbus_message_set_body (message, g_variant_new ("(ss)", "org.c", "B"));
  g_dbus_message_set_serial (message, 7);
  sent = g_dbus_message_to_blob (message, &n_bytes, G_DBUS_CAPABILITY_FLAGS_NONE, NULL);
  bytes = g_memdup2 (sent, n_bytes);
  object[1] = (guintptr) bytes;
  object[20] = (guintptr) (bytes + n_bytes - 18); /* of the body: two texts with their lengths */
  g_assert_true (jank_dbus_wire_read ((guintptr) object, TRUE, &header, &read));
  g_assert_cmpuint (header, ==, (guintptr) bytes);
  g_assert_cmpstr (read.fields[G_DBUS_MESSAGE_HEADER_FIELD_MEMBER], ==, "A");
  g_assert_cmpstr (read.fields[G_DBUS_MESSAGE_HEADER_FIELD_DESTINATION], ==, "org.b");
  g_assert_cmpstr (read.body_interface, ==, "org.c");
  g_assert_cmpstr (read.body_member, ==, "B");

  object[0] = 0;
  g_assert_false (jank_dbus_wire_read ((guintptr) object, TRUE, &header, &read));
  object[0] = 1;
  object[48] = object[1];
  object[1] = 0;
  g_assert_false (jank_dbus_wire_read ((guintptr) object, TRUE, &header, &read));
  g_assert_true (jank_dbus_wire_read ((guintptr) object, FALSE, &header, &read));

  for (guint round = 0; round < N_ROUNDS; round++)
    {
      memcpy (bytes, sent, n_bytes);
      for (guint i = 0; i <= round % 3; i++)
        bytes[g_rand_int_range (random, 0, (gint) n_bytes)] = (guchar) g_rand_int_range (random, 0, 256);
      if (jank_dbus_wire_read ((guintptr) object, FALSE, &header, &read))
        g_assert_true (is_empty_or (read.fields[G_DBUS_MESSAGE_HEADER_FIELD_INTERFACE], g_dbus_is_interface_name) &&
                       is_empty_or (read.fields[G_DBUS_MESSAGE_HEADER_FIELD_DESTINATION], g_dbus_is_name) &&
                       is_empty_or (read.body_interface, g_dbus_is_interface_name) &&
                       g_variant_is_object_path (read.fields[G_DBUS_MESSAGE_HEADER_FIELD_PATH]) &&
                       g_dbus_is_member_name (read.fields[G_DBUS_MESSAGE_HEADER_FIELD_MEMBER]));
    }
}

TESTS ("/dbus/objects")
