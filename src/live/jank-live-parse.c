/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "live/jank-live-private.h"

#include <string.h>

#include "json/jank-field-json-private.h"
#include "json/jank-json-private.h"

JankLive *
jank_live_from_json (const char *json)
{
  g_autoptr (JsonNode) node = jank_json_parse (json, strlen (json), JANK_LIVE_SCHEMA, NULL);
  g_autoptr (JankLive) self = node != NULL ? jank_live_new () : NULL;

  if (self == NULL || !jank_table_read (&jank_live_table, self, json_node_get_object (node), NULL) ||
      !jank_live_table.finish (self))
    return NULL;
  return g_steal_pointer (&self);
}

char *
jank_live_page_unpack (const char *page, guint64 *ret_number)
{
  g_autofree char *head = g_strndup (page, JANK_LIVE_HEAD_BYTES);
  const char *text = page + JANK_LIVE_HEAD_BYTES;
  char right[JANK_LIVE_HEAD_BYTES + 1];
  guint64 number, n_bytes;

  if (strlen (head) != JANK_LIVE_HEAD_BYTES)
    return NULL;
  number = g_ascii_strtoull (head + sizeof JANK_LIVE_SCHEMA, NULL, 16);
  n_bytes = g_ascii_strtoull (head + JANK_LIVE_HEAD_BYTES - 5, NULL, 16);
  if (n_bytes > JANK_LIVE_TEXT_BYTES || memchr (text, '\0', n_bytes) != NULL)
    return NULL;
  jank_live_page_make_head (right, number, text, n_bytes);
  if (memcmp (head, right, JANK_LIVE_HEAD_BYTES) != 0)
    return NULL;
  *ret_number = number;
  return g_strndup (text, n_bytes);
}
