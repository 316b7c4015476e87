/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "dbus/jank-dbus-call-private.h"

#include <string.h>

#include "base/jank-memory-private.h"
#include "proc/jank-proc-private.h"
#include "dbus/jank-dbus-parts-private.h"
#include "elf/jank-known-functions-private.h"

/* Bytes of stack from the poll to the function that sends: GLib's calls take less than 2 kB. */
#define MAX_STACK_BYTES 16384
/* The same for libdbus and sd-bus, which take less than 1 kB. */
#define MAX_WIRE_WORDS 256
/* An application is among the innermost words; each place is a read. */
#define MAX_APPLICATION_READS 1024

/* What a part of a stack points to: the first of each kind, and whether it is the only one. */
typedef struct
{
  guint64         message_at, proxy_at, connection_at;
  gboolean        has_messages, has_proxies, has_connections; /* several: which is meant cannot be told */
  JankDBusMessage message;
  JankDBusProxy   proxy;
  char            bus[JANK_DBUS_MAX_NAME];
} Found;

/* at: where the first was found. Returns: whether it is the first */
static gboolean
jank_dbus_call_note (guint64 *at, gboolean *has_several, guint64 address)
{
  *has_several |= *at != 0;
  if (*at != 0)
    return FALSE;
  *at = address;
  return TRUE;
}

/* Returns: (transfer full) (nullable) (array length=ret_n_words): that part of the stack */
static guint64 *
jank_dbus_call_read_words (guint64 begin, guint64 end, gsize *ret_n_words)
{
  g_autofree guint64 *words = NULL;

  *ret_n_words = 0;
  if (begin % 8 != 0 || end <= begin || end - begin > MAX_STACK_BYTES)
    return NULL;
  words = g_new (guint64, (end - begin) / sizeof words[0]);
  if (jank_memory_read_all (begin, words, (end - begin) / sizeof words[0] * sizeof words[0]))
    *ret_n_words = (end - begin) / sizeof words[0];
  return g_steal_pointer (&words);
}

/* messages: looks for messages and connections, too. */
static void
jank_dbus_call_search (guint64 begin, guint64 end, gboolean messages, Found *found)
{
  g_autoptr (GArray) proxy_classes = jank_dbus_proxy_get_classes ();
  gsize n_words;
  g_autofree guint64 *words = jank_dbus_call_read_words (begin, end, &n_words);

  for (gsize i = 0; i < n_words; i++)
    {
      JankDBusMessage message;
      JankDBusProxy proxy;
      char bus[JANK_DBUS_MAX_NAME];

      if (words[i] == 0 || words[i] == found->message_at || words[i] == found->proxy_at ||
          words[i] == found->connection_at)
        continue;
      if (messages && jank_dbus_message_read (words[i], &message))
        {
          if (jank_dbus_call_note (&found->message_at, &found->has_messages, words[i]))
            found->message = message;
        }
      else if (jank_dbus_proxy_read (words[i], proxy_classes, &proxy))
        {
          if (jank_dbus_call_note (&found->proxy_at, &found->has_proxies, words[i]))
            found->proxy = proxy;
        }
      else if (messages && jank_dbus_connection_read (words[i], bus) &&
               jank_dbus_call_note (&found->connection_at, &found->has_connections, words[i]))
        g_strlcpy (found->bus, bus, sizeof found->bus);
    }
}

/* Whose property a call asks for. */
static void
jank_dbus_call_fill_property (const JankDBusMessage *message, JankDBusCall *ret_call)
{
  const char *method = message->fields[G_DBUS_MESSAGE_HEADER_FIELD_MEMBER];
  const char *name = strcmp (method, "GetAll") == 0 ? "*" : message->body_member;

  if (strcmp (ret_call->interface, "org.freedesktop.DBus.Properties") == 0 && message->body_interface[0] != '\0' &&
      name[0] != '\0')
    g_snprintf (ret_call->property, sizeof ret_call->property, "%s.%s", message->body_interface, name);
}

static void
jank_dbus_call_fill (const JankDBusMessage *message, JankDBusCall *ret_call)
{
  const char *interface = message->fields[G_DBUS_MESSAGE_HEADER_FIELD_INTERFACE];
  const char *member = message->fields[G_DBUS_MESSAGE_HEADER_FIELD_MEMBER];
  const char *destination = message->fields[G_DBUS_MESSAGE_HEADER_FIELD_DESTINATION];
  g_autofree char *method = interface[0] != '\0' ? g_strdup_printf ("%s.%s", interface, member) : g_strdup (member);

  jank_proc_text (ret_call->method, sizeof ret_call->method, method);
  g_strlcpy (ret_call->name, destination, sizeof ret_call->name);
  if (g_dbus_is_unique_name (destination))
    g_strlcpy (ret_call->owner, destination, sizeof ret_call->owner);
  g_strlcpy (ret_call->path, message->fields[G_DBUS_MESSAGE_HEADER_FIELD_PATH], sizeof ret_call->path);
  g_strlcpy (ret_call->interface, interface, sizeof ret_call->interface);
  jank_dbus_call_fill_property (message, ret_call);
}

/* A proxy sends to the owner of its name. */
static gboolean
jank_dbus_call_is_of_proxy (const JankDBusCall *call, const JankDBusProxy *proxy)
{
  return proxy->name[0] != '\0' && strcmp (call->path, proxy->path) == 0 &&
         (strcmp (call->name, proxy->owner) == 0 || strcmp (call->name, proxy->name) == 0);
}

/* Where the calls of one library end that begin at i: a proxy's are around the one that sends. Returns: 0 unknown */
static guint64
jank_dbus_call_find_end (const JankCall *calls, guint n_calls, guint i)
{
  JankKnownFunction first, known;

  jank_known_function_look (calls[i].function, &first);
  for (known = first; i + 1 < n_calls && known.library == first.library;)
    jank_known_function_look (calls[++i].function, &known);
  return calls[known.library == first.library ? i : i - 1].cfa;
}

static void
jank_dbus_call_look_at_message (guint64 sp, guint64 end, guint64 outer_end, JankDBusCall *ret_call)
{
  Found found = { 0 }, outer = { 0 };

  jank_dbus_call_search (sp, end, TRUE, &found);
  if (!found.has_connections)
    g_strlcpy (ret_call->bus, found.bus, sizeof ret_call->bus);
  if (found.message_at == 0 || found.has_messages)
    return;
  jank_dbus_call_fill (&found.message, ret_call);
  jank_dbus_call_search (sp, outer_end, FALSE, &outer);
  if (outer.proxy_at != 0 && !outer.has_proxies && jank_dbus_call_is_of_proxy (ret_call, &outer.proxy))
    g_strlcpy (ret_call->name, outer.proxy.name, sizeof ret_call->name);
}

static void
jank_dbus_call_fill_names (const JankDBusProxy *proxy, JankDBusCall *ret_call)
{
  jank_dbus_connection_read (proxy->connection, ret_call->bus);
  g_strlcpy (ret_call->name, proxy->name, sizeof ret_call->name);
  g_strlcpy (ret_call->owner, proxy->owner, sizeof ret_call->owner);
  g_strlcpy (ret_call->path, proxy->path, sizeof ret_call->path);
  g_strlcpy (ret_call->interface, proxy->interface, sizeof ret_call->interface);
}

/* While a proxy is made, its calls are asynchronous ones of its own, in no message on this stack. */
static void
jank_dbus_call_look_at_new_proxy (guint64 sp, guint64 end, JankDBusCall *ret_call)
{
  Found found = { 0 };

  jank_dbus_call_search (sp, end, FALSE, &found);
  if (found.proxy_at != 0 && !found.has_proxies)
    jank_dbus_call_fill_names (&found.proxy, ret_call);
}

/* An application that has sent its command line to the first instance waits in a loop of its own for the answer; the
 * message is gone. */
static gboolean
jank_dbus_call_look_at_application (guint64 sp, guint64 end, JankDBusCall *ret_call)
{
  gsize n_words;
  g_autofree guint64 *words = jank_dbus_call_read_words (sp, end, &n_words);
  JankDBusProxy application;
  JANK_MEMORY_BUDGET (MAX_APPLICATION_READS);

  for (gsize i = 0; i < n_words; i++)
    if (words[i] % sizeof words[i] == 0 && words[i] - sp >= end - sp &&
        jank_dbus_application_read (words[i], &application))
      {
        jank_dbus_call_fill_names (&application, ret_call);
        g_strlcpy (ret_call->method, "org.gtk.Application.CommandLine", sizeof ret_call->method);
        return TRUE;
      }
  return FALSE;
}

/* The message is in the hands of the function that sends it. */
static void
jank_dbus_call_look_at_wire (guint64 sp, guint64 end, gboolean is_libdbus, JankDBusCall *ret_call)
{
  guint64 words[MAX_WIRE_WORDS], known = 0, header;
  gsize n_words = end > sp ? MIN ((end - sp) / sizeof words[0], MAX_WIRE_WORDS) : 0;
  JankDBusMessage message, first;

  if (sp % sizeof words[0] != 0 || !jank_memory_read_all (sp, words, n_words * sizeof words[0]))
    return;
  for (gsize i = 0; i < n_words; i++)
    {
      if (!jank_dbus_wire_read (words[i], is_libdbus, &header, &message) || header == known)
        continue;
      if (known != 0)
        return;
      known = header;
      first = message;
    }
  if (known != 0)
    jank_dbus_call_fill (&first, ret_call);
}

gboolean
jank_dbus_call_look (guint64 sp, const JankCall *calls, guint n_calls, JankDBusCall *ret_call)
{
  guint64 init = jank_dbus_proxy_get_init (), loop_library = 0, loop_end = 0;
  JankRole inner = JANK_ROLE_NONE;

  memset (ret_call, 0, sizeof *ret_call);
  for (guint i = 0; i < n_calls; i++)
    {
      gboolean has_end = calls[i].cfa != 0;
      JankKnownFunction known;

      if (init != 0 && calls[i].function == init)
        {
          if (has_end)
            jank_dbus_call_look_at_new_proxy (sp, calls[i].cfa, ret_call);
          return TRUE;
        }
      jank_known_function_look (calls[i].function, &known);
      if (known.role == JANK_ROLE_DBUS_SEND && has_end)
        {
          guint64 outer_end = jank_dbus_call_find_end (calls, n_calls, i);

          jank_dbus_call_look_at_message (sp, calls[i].cfa, outer_end, ret_call);
        }
      if ((known.role == JANK_ROLE_DBUS_LIBDBUS || known.role == JANK_ROLE_DBUS_SD_BUS) && has_end)
        jank_dbus_call_look_at_wire (sp, calls[i].cfa, known.role == JANK_ROLE_DBUS_LIBDBUS, ret_call);
      if (known.role == JANK_ROLE_DBUS_SEND || known.role == JANK_ROLE_DBUS_CALL ||
          known.role == JANK_ROLE_DBUS_LIBDBUS || known.role == JANK_ROLE_DBUS_SD_BUS)
        return TRUE;
      if (inner == JANK_ROLE_LOOP && has_end)
        {
          loop_library = known.library;
          loop_end = jank_dbus_call_find_end (calls, n_calls, i);
        }
      if (known.role == JANK_ROLE_APPLICATION)
        return known.library == loop_library && jank_dbus_call_look_at_application (sp, loop_end, ret_call);
      inner = known.role;
    }
  return FALSE;
}
