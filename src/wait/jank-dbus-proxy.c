/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Private layout: GIO's GDBusProxyPrivate and GDBusConnection. */

#include "config.h"

#include "wait/jank-dbus-proxy-private.h"

#include <string.h>

#include "wait/jank-dbus-instance-private.h"

/* How many words of the private structure are looked at, and of a connection. */
#define MAX_PROXY_WORDS 16
#define MAX_CONNECTION_WORDS 40

/* In this order and without a gap, from this word of the private structure on; word 0: unknown. */
typedef enum { CONNECTION, NAME, OWNER, PATH, INTERFACE, N_WORDS } Word;

typedef struct
{
  guint   first; /* word of the connection */
  guint64 init;  /* GDBusProxy's GInitable.init() */
} Layout;

static gboolean
jank_dbus_proxy_read_text (guint64 address, char *ret_text)
{
  ret_text[0] = '\0';
  return address == 0 || (jank_memory_read_text (address, ret_text, JANK_DBUS_MAX_NAME) &&
                          g_utf8_validate (ret_text, -1, NULL));
}

static gboolean
jank_dbus_proxy_read_words (guint64 proxy, guint64 *ret_words)
{
  guint64 private;

  return jank_memory_read_all (proxy + sizeof (GObject), &private, sizeof private) &&
         jank_memory_read_all (private, ret_words, MAX_PROXY_WORDS * sizeof ret_words[0]);
}

/* word: of the name. */
static gboolean
jank_dbus_proxy_matches (const guint64 *words, guint word, const char *const *texts)
{
  static const Word order[] = { NAME, PATH, INTERFACE };
  char text[JANK_DBUS_MAX_NAME];

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if (!jank_dbus_proxy_read_text (words[word + order[i] - NAME], text) || strcmp (text, texts[i]) != 0)
      return FALSE;
  return words[word + OWNER - NAME] == 0 && words[word - (NAME - CONNECTION)] == 0;
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
jank_dbus_proxy_get_types (void)
{
  GArray *types = g_array_new (FALSE, FALSE, sizeof (GType));
  GType type = g_type_from_name ("GDBusProxy");

  if (type != 0)
    g_array_append_val (types, type);
  for (guint i = 0; i < types->len; i++)
    {
      guint n_children;
      g_autofree GType *children = g_type_children (g_array_index (types, GType, i), &n_children);

      g_array_append_vals (types, children, n_children);
    }
  return types;
}

static gboolean
jank_dbus_proxy_has_type (const GArray *types, guint64 type)
{
  for (guint i = 0; type != 0 && i < types->len; i++)
    if (g_array_index (types, GType, i) == type)
      return TRUE;
  return FALSE;
}

static gboolean
jank_dbus_proxy_is_valid (const JankDBusProxy *self)
{
  return (self->name[0] == '\0' || g_dbus_is_name (self->name)) &&
         (self->owner[0] == '\0' || g_dbus_is_name (self->owner)) &&
         g_variant_is_object_path (self->path) && g_dbus_is_interface_name (self->interface);
}

gboolean
jank_dbus_proxy_read (guint64 address, const GArray *types, JankDBusProxy *ret_proxy)
{
  const Layout *layout = jank_dbus_proxy_get_layout ();
  guint64 words[MAX_PROXY_WORDS], connection;

  if (layout == NULL || !jank_dbus_proxy_has_type (types, jank_dbus_instance_read_type (address)) ||
      !jank_dbus_proxy_read_words (address, words))
    return FALSE;
  connection = words[layout->first + CONNECTION];
  if (connection != 0 && jank_dbus_instance_read_type (connection) != g_type_from_name ("GDBusConnection"))
    return FALSE;
  ret_proxy->connection = connection;
  return jank_dbus_proxy_read_text (words[layout->first + NAME], ret_proxy->name) &&
         jank_dbus_proxy_read_text (words[layout->first + OWNER], ret_proxy->owner) &&
         jank_dbus_proxy_read_text (words[layout->first + PATH], ret_proxy->path) &&
         jank_dbus_proxy_read_text (words[layout->first + INTERFACE], ret_proxy->interface) &&
         jank_dbus_proxy_is_valid (ret_proxy);
}

/* No other text of a connection has the form of an address. */
gboolean
jank_dbus_connection_read (guint64 address, char ret_bus[JANK_DBUS_MAX_NAME])
{
  guint64 words[MAX_CONNECTION_WORDS], type = jank_dbus_instance_read_type (address);

  ret_bus[0] = '\0';
  if (type == 0 || type != g_type_from_name ("GDBusConnection"))
    return FALSE;
  if (jank_memory_read_all (address, words, sizeof words))
    for (guint i = 3; i < MAX_CONNECTION_WORDS; i++)
      if (words[i] >= 4096 && jank_dbus_proxy_read_text (words[i], ret_bus) && g_dbus_is_address (ret_bus))
        return TRUE;
  ret_bus[0] = '\0';
  return TRUE;
}
