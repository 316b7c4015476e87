/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: GIO's GDBusProxyPrivate, GDBusConnection and GApplicationImpl. */

#include "dbus/jank-dbus-parts-private.h"

#include <string.h>

#include "base/jank-memory-private.h"

/* How many words of the private structure are looked at, and of a connection. */
#define MAX_PROXY_WORDS 16
#define MAX_CONNECTION_WORDS 64

/* Words of a GApplicationImpl: connection, exported actions, name, a number, and the object's path. */
enum { APPLICATION_CONNECTION, APPLICATION_NAME = 2, APPLICATION_PATH = 4, N_APPLICATION_WORDS };

/* In this order and without a gap, from this word of the private structure on; word 0: unknown. */
typedef enum { CONNECTION, NAME, OWNER, PATH, INTERFACE, N_WORDS } Word;

typedef struct
{
  guint   first; /* word of the connection */
  guint64 init;  /* GDBusProxy's GInitable.init() */
} Layout;

/* Returns: whether there is none, or one of that form */
static gboolean
jank_dbus_proxy_read_text (guint64 address, gboolean (*has_form) (const char *text), char *ret_text)
{
  ret_text[0] = '\0';
  return address == 0 || jank_dbus_instance_read_text (address, has_form, ret_text);
}

static gboolean
jank_dbus_proxy_read_words (guint64 proxy, guint64 *ret_words)
{
  guint64 private;

  return jank_memory_read_all (proxy + sizeof (GObject), &private, sizeof private) &&
         jank_memory_read_all (private, ret_words, MAX_PROXY_WORDS * sizeof ret_words[0]);
}

/* words: from the connection on. FALSE: they are no proxy's */
static gboolean
jank_dbus_proxy_read_names (const guint64 *words, JankDBusProxy *ret_proxy)
{
  return jank_dbus_proxy_read_text (words[NAME], g_dbus_is_name, ret_proxy->name) &&
         jank_dbus_proxy_read_text (words[OWNER], g_dbus_is_unique_name, ret_proxy->owner) &&
         jank_dbus_instance_read_text (words[PATH], g_variant_is_object_path, ret_proxy->path) &&
         jank_dbus_instance_read_text (words[INTERFACE], g_dbus_is_interface_name, ret_proxy->interface);
}

/* word: of the name. */
static gboolean
jank_dbus_proxy_matches (const guint64 *words, guint word, const char *const *texts)
{
  JankDBusProxy proxy;

  return jank_dbus_proxy_read_names (words + word - NAME, &proxy) && strcmp (proxy.name, texts[0]) == 0 &&
         strcmp (proxy.path, texts[1]) == 0 && strcmp (proxy.interface, texts[2]) == 0 &&
         words[word - NAME + OWNER] == 0 && words[word - NAME + CONNECTION] == 0;
}

static Layout
jank_dbus_proxy_learn_layout (GType type)
{
  static const char *const texts[] = { "org.jankwatch.Layout", "/org/jankwatch/Layout", "org.jankwatch.Interface" };
  g_autoptr (GObject) proxy = g_object_new (type, "g-name", texts[0], "g-object-path", texts[1],
                                            "g-interface-name", texts[2], NULL);
  const GInitableIface *initable = g_type_interface_peek (G_OBJECT_GET_CLASS (proxy), G_TYPE_INITABLE);
  guint64 words[MAX_PROXY_WORDS];
  Layout layout = { 0 };

  if (initable == NULL || !jank_dbus_proxy_read_words ((guintptr) proxy, words))
    return layout;
  for (guint i = NAME; i + N_WORDS - NAME <= MAX_PROXY_WORDS && layout.first == 0; i++)
    if (jank_dbus_proxy_matches (words, i, texts))
      layout = (Layout) { i - NAME, (guintptr) initable->init };
  return layout;
}

/* Returns: (nullable): the program has made no proxy yet. A class that is there takes no lock to be used. */
static const Layout *
jank_dbus_proxy_get_layout (void)
{
  static gsize learned;
  static Layout layout;
  GType type = g_type_from_name ("GDBusProxy");

  if (type == 0 || g_type_class_peek (type) == NULL)
    return NULL;
  if (g_once_init_enter (&learned))
    {
      layout = jank_dbus_proxy_learn_layout (type);
      g_once_init_leave (&learned, 1);
    }
  return layout.first != 0 ? &layout : NULL;
}

guint64
jank_dbus_proxy_get_init (void)
{
  const Layout *layout = jank_dbus_proxy_get_layout ();

  return layout != NULL ? layout->init : 0;
}

GArray *
jank_dbus_proxy_get_classes (void)
{
  g_autoptr (GArray) types = g_array_new (FALSE, FALSE, sizeof (GType));
  GArray *classes = g_array_new (FALSE, FALSE, sizeof (guint64));
  GType type = g_type_from_name ("GDBusProxy");

  if (type != 0)
    g_array_append_val (types, type);
  for (guint i = 0; i < types->len; i++)
    {
      guint n_children;
      g_autofree GType *children = g_type_children (g_array_index (types, GType, i), &n_children);
      guint64 class = (guintptr) g_type_class_peek (g_array_index (types, GType, i));

      g_array_append_vals (types, children, n_children);
      if (class != 0)
        g_array_append_val (classes, class);
    }
  return classes;
}

static gboolean
jank_dbus_connection_is (guint64 address)
{
  GType type = g_type_from_name ("GDBusConnection");
  guint64 class = type != 0 ? (guintptr) g_type_class_peek (type) : 0;

  return class != 0 && jank_dbus_instance_read_class (address) == class;
}

gboolean
jank_dbus_proxy_read (guint64 address, const GArray *classes, JankDBusProxy *ret_proxy)
{
  const Layout *layout = jank_dbus_proxy_get_layout ();
  guint64 words[MAX_PROXY_WORDS], class = jank_dbus_instance_read_class (address);

  if (layout == NULL || class == 0 ||
      !jank_memory_has_word ((const guint64 *) (gconstpointer) classes->data, classes->len, class) ||
      !jank_dbus_proxy_read_words (address, words))
    return FALSE;
  ret_proxy->connection = words[layout->first + CONNECTION];
  return (ret_proxy->connection == 0 || jank_dbus_connection_is (ret_proxy->connection)) &&
         jank_dbus_proxy_read_names (words + layout->first, ret_proxy);
}

static gboolean
jank_dbus_connection_is_bus (const char *text)
{
  return g_dbus_is_supported_address (text, NULL);
}

/* ret_word: of a connection, that points to its address; stays where unknown. Returns: (transfer full): our own */
static GObject *
jank_dbus_connection_learn_word (GType type, gsize *ret_word)
{
  static const char address[] = "unix:path=/org/jankwatch/layout";
  GObject *own = g_object_new (type, "address", address, NULL);
  guint64 words[MAX_CONNECTION_WORDS];
  char bus[JANK_DBUS_MAX_NAME];
  GTypeQuery query;
  gsize n_words;

  g_type_query (type, &query);
  n_words = MIN (query.instance_size / sizeof words[0], MAX_CONNECTION_WORDS);
  if (jank_memory_read_all ((guintptr) own, words, n_words * sizeof words[0]))
    for (gsize i = sizeof (GObject) / sizeof words[0]; i < n_words; i++)
      if (jank_dbus_instance_read_text (words[i], jank_dbus_connection_is_bus, bus) && strcmp (bus, address) == 0)
        *ret_word = i;
  return own;
}

/* Returns: the word, 0: unknown */
static gsize
jank_dbus_connection_get_word (void)
{
  /* It stays: to free one takes a lock that a thread may hold while it looks for the bus. */
  static gsize own; /* (owned) */
  static gsize word;

  if (g_once_init_enter (&own))
    g_once_init_leave (&own, (gsize) jank_dbus_connection_learn_word (g_type_from_name ("GDBusConnection"), &word));
  return word;
}

void
jank_dbus_connection_prepare (void)
{
  g_type_ensure (G_TYPE_DBUS_CONNECTION);
  jank_dbus_connection_get_word ();
}

/* Another process has its class elsewhere: there, an address in its place must do. */
gboolean
jank_dbus_connection_read (guint64 address, char ret_bus[JANK_DBUS_MAX_NAME])
{
  gboolean is_other = jank_memory_get_other () != 0, is_known = FALSE;
  guint64 text;
  gsize word;

  ret_bus[0] = '\0';
  if (is_other ? jank_dbus_instance_read_class (address) == 0 : !jank_dbus_connection_is (address))
    return FALSE;
  word = jank_dbus_connection_get_word ();
  if (word != 0 && jank_memory_read_all (address + word * sizeof text, &text, sizeof text))
    is_known = jank_dbus_instance_read_text (text, jank_dbus_connection_is_bus, ret_bus);
  return !is_other || (is_known && ret_bus[0] != '\0');
}

gboolean
jank_dbus_application_read (guint64 address, JankDBusProxy *ret_application)
{
  guint64 words[N_APPLICATION_WORDS];
  char bus[JANK_DBUS_MAX_NAME];

  memset (ret_application, 0, sizeof *ret_application);
  if (!jank_memory_read_all (address, words, sizeof words) ||
      !jank_dbus_connection_read (words[APPLICATION_CONNECTION], bus))
    return FALSE;
  ret_application->connection = words[APPLICATION_CONNECTION];
  g_strlcpy (ret_application->interface, "org.gtk.Application", sizeof ret_application->interface);
  return jank_dbus_instance_read_text (words[APPLICATION_NAME], g_application_id_is_valid, ret_application->name) &&
         jank_dbus_instance_read_text (words[APPLICATION_PATH], g_variant_is_object_path, ret_application->path);
}
