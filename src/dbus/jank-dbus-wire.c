/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "dbus/jank-dbus-parts-private.h"

#include <string.h>

#include "base/jank-memory-private.h"

/* libdbus 1.14 has the pointer to the header in an object's second word, sd-bus of systemd 252 in the 49th. What is
 * behind libdbus' may be a message that was freed. */
#define MAX_OBJECT_WORDS  64
#define MAX_LIBDBUS_WORDS 4

#define MAX_FIELDS_BYTES 2048

/* Both libraries count an object's references in its first 32 bits; libdbus keeps messages without any for reuse. */
#define MAX_REFERENCES 100000

/* The order of bytes, the message's type, flags, version, bytes of the body, serial number, bytes of the fields. */
typedef struct
{
  guint8  order, type, flags, version;
  guint32 n_body, serial, n_fields;
} Header;

static gboolean
jank_dbus_wire_is_call (const Header *header)
{
  return header->order == (G_BYTE_ORDER == G_LITTLE_ENDIAN ? 'l' : 'B') &&
         header->type == G_DBUS_MESSAGE_TYPE_METHOD_CALL &&
         (header->flags & ~(G_DBUS_MESSAGE_FLAGS_NO_AUTO_START |
                            G_DBUS_MESSAGE_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION)) == 0 &&
         header->version == 1 && header->serial != 0 && header->n_fields > 0 && header->n_fields <= MAX_FIELDS_BYTES;
}

/* A text of a type such as 's', which stands at begin. Returns: where it ends; NULL: it is none */
static const char *
jank_dbus_wire_get_text (const char *begin, const char *end, const char **ret_text)
{
  guint32 n;

  if (end - begin < (gssize) sizeof n)
    return NULL;
  memcpy (&n, begin, sizeof n);
  *ret_text = begin + sizeof n;
  if (n >= JANK_DBUS_MAX_NAME || (gsize) (end - *ret_text) <= n || (*ret_text)[n] != '\0' || strlen (*ret_text) != n)
    return NULL;
  return *ret_text + n + 1;
}

/* The texts may be anything, which a report must not have. */
static gboolean
jank_dbus_wire_has_form (const JankDBusMessage *message)
{
  const char *interface = message->fields[G_DBUS_MESSAGE_HEADER_FIELD_INTERFACE];
  const char *destination = message->fields[G_DBUS_MESSAGE_HEADER_FIELD_DESTINATION];

  return g_dbus_is_member_name (message->fields[G_DBUS_MESSAGE_HEADER_FIELD_MEMBER]) &&
         g_variant_is_object_path (message->fields[G_DBUS_MESSAGE_HEADER_FIELD_PATH]) &&
         (interface[0] == '\0' || g_dbus_is_interface_name (interface)) &&
         (destination[0] == '\0' || g_dbus_is_name (destination));
}

/* Each is a struct of a number and a variant, at a multiple of 8: number, length of the type, type, 0, value. */
static gboolean
jank_dbus_wire_read_fields (const char *begin, gsize n_bytes, JankDBusMessage *ret_message)
{
  const char *at = begin, *end = begin + n_bytes;

  memset (ret_message, 0, sizeof *ret_message);
  while (at != NULL && end - at > 4)
    {
      guint8 number = (guint8) at[0], n_type = (guint8) at[1];
      const char *text = NULL;

      if (n_type != 1 || at[3] != '\0')
        return FALSE;
      if (at[2] == 'g')
        at = (gsize) (end - at) > 6 + (gsize) (guint8) at[4] ? at + 6 + (guint8) at[4] : end;
      else if (at[2] == 'u')
        at += 8;
      else if (at[2] == 's' || at[2] == 'o')
        at = jank_dbus_wire_get_text (at + 4, end, &text);
      else
        return FALSE;
      if (text != NULL && at != NULL && number < G_N_ELEMENTS (ret_message->fields))
        g_strlcpy (ret_message->fields[number], text, sizeof ret_message->fields[number]);
      if (at != NULL)
        at = begin + ((gsize) (at - begin) + 7) / 8 * 8;
    }
  return at != NULL && jank_dbus_wire_has_form (ret_message);
}

/* What the call's arguments begin with: an interface and the name of a property. What has an interface alone may be
 * something else. Returns: whether it has both */
static gboolean
jank_dbus_wire_read_body (guint64 address, gsize n_bytes, JankDBusMessage *message)
{
  char body[2 * JANK_DBUS_MAX_NAME];
  const char *interface, *member, *end;
  gboolean has_both;

  n_bytes = jank_memory_read (address, body, MIN (n_bytes, sizeof body));
  end = jank_dbus_wire_get_text (body, body + n_bytes, &interface);
  if (end == NULL || !g_dbus_is_interface_name (interface))
    return FALSE;
  has_both = jank_dbus_wire_get_text (body + ((gsize) (end - body) + 3) / 4 * 4, body + n_bytes, &member) != NULL &&
             g_dbus_is_member_name (member);
  if (has_both || message->body_interface[0] == '\0')
    g_strlcpy (message->body_interface, interface, sizeof message->body_interface);
  if (has_both)
    g_strlcpy (message->body_member, member, sizeof message->body_member);
  return has_both;
}

gboolean
jank_dbus_wire_read (guint64 address, gboolean is_libdbus, guint64 *ret_header, JankDBusMessage *ret_message)
{
  guint64 words[MAX_OBJECT_WORDS];
  char fields[MAX_FIELDS_BYTES + 16]; /* a field's end may be after the last's */
  gsize n_words;

  if (address < JANK_MEMORY_PAGE_BYTES || address % sizeof words[0] != 0)
    return FALSE;
  n_words = jank_memory_read (address, words, sizeof words) / sizeof words[0];
  if (n_words == 0 || (guint32) words[0] == 0 || (guint32) words[0] > MAX_REFERENCES)
    return FALSE;
  for (gsize i = 0; i < (is_libdbus ? MIN (n_words, MAX_LIBDBUS_WORDS) : n_words); i++)
    {
      Header header;

      if (words[i] < JANK_MEMORY_PAGE_BYTES || words[i] % sizeof words[0] != 0 ||
          !jank_memory_read_all (words[i], &header, sizeof header) || !jank_dbus_wire_is_call (&header) ||
          !jank_memory_read_all (words[i] + sizeof header, fields, header.n_fields) ||
          !jank_dbus_wire_read_fields (fields, header.n_fields, ret_message))
        continue;
      *ret_header = words[i];
      for (gsize k = 0; k < n_words && header.n_body > 0; k++)
        if (words[k] >= JANK_MEMORY_PAGE_BYTES && jank_dbus_wire_read_body (words[k], header.n_body, ret_message))
          break;
      return TRUE;
    }
  return FALSE;
}
