/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a server answers that has taken a body: OTLP's ExportLogsServiceResponse and ExportMetricsServiceResponse. */

#include "send/jank-otlp-private.h"

#include "json/jank-json-private.h"

/* What is left of a message of protobuf. */
typedef struct
{
  const guint8 *at, *end;
} Rest;

static gboolean
jank_otlp_answer_read_varint (Rest *rest, guint64 *ret_n)
{
  *ret_n = 0;
  for (guint shift = 0; rest->at < rest->end && shift < 64; shift += 7)
    {
      guint8 byte = *rest->at++;

      *ret_n |= (guint64) (byte & 0x7f) << shift;
      if (byte < 0x80)
        return TRUE;
    }
  return FALSE;
}

/* ret_n: of a number, or how many bytes ret_bytes has. FALSE: there is no further field, or a damaged one */
static gboolean
jank_otlp_answer_read_field (Rest *rest, guint64 *ret_number, guint64 *ret_n, Rest *ret_bytes)
{
  guint64 key;

  if (!jank_otlp_answer_read_varint (rest, &key))
    return FALSE;
  *ret_number = key >> 3;
  *ret_bytes = (Rest) { rest->at, rest->at };
  if ((key & 7) == 0)
    return jank_otlp_answer_read_varint (rest, ret_n);
  if ((key & 7) == 2 ? !jank_otlp_answer_read_varint (rest, ret_n) : (key & 7) != 1 && (key & 7) != 5)
    return FALSE;
  if ((key & 7) != 2)
    *ret_n = (key & 7) == 1 ? 8 : 4;
  if (*ret_n > (guint64) (rest->end - rest->at))
    return FALSE;
  *ret_bytes = (Rest) { rest->at, rest->at + *ret_n };
  rest->at += *ret_n;
  return TRUE;
}

/* In both answers field 1, in which 1 is the number and 2 the words. */
static gint64
jank_otlp_answer_read_protobuf (const char *bytes, gsize n_bytes, char **ret_words)
{
  Rest rest = { (const guint8 *) bytes, (const guint8 *) bytes + n_bytes }, partial, text;
  guint64 number, n;
  gint64 n_refused = 0;

  while (jank_otlp_answer_read_field (&rest, &number, &n, &partial))
    while (number == 1 && jank_otlp_answer_read_field (&partial, &number, &n, &text))
      {
        if (number == 1 && text.at == text.end)
          n_refused = (gint64) n;
        else if (number == 2 && *ret_words == NULL)
          *ret_words = g_strndup ((const char *) text.at, (gsize) (text.end - text.at));
        number = 1;
      }
  return n_refused;
}

static gint64
jank_otlp_answer_read_json (const char *bytes, gsize n_bytes, char **ret_words)
{
  static const char *const names[] = { "rejectedLogRecords", "rejectedDataPoints" };
  g_autoptr (JsonNode) root = jank_json_parse (bytes, n_bytes, NULL, NULL);
  JsonNode *node = root != NULL ? json_object_get_member (json_node_get_object (root), "partialSuccess") : NULL;
  JsonObject *partial = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  gint64 n_refused = 0;

  if (partial == NULL)
    return 0;
  *ret_words = g_strdup (jank_json_get_text (partial, "errorMessage"));
  for (guint i = 0; i < G_N_ELEMENTS (names) && n_refused == 0; i++)
    {
      const char *text = jank_json_get_text (partial, names[i]);

      /* 64 bits are text in protobuf's JSON; readers take numbers, too. */
      if (text != NULL ? !g_ascii_string_to_signed (text, 10, 0, G_MAXINT64, &n_refused, NULL)
                       : !jank_json_node_to_int (json_object_get_member (partial, names[i]), &n_refused))
        n_refused = 0;
    }
  return n_refused;
}

guint64
jank_otlp_read_answer (const JankSendStyle *style, GBytes *answer, char **ret_words)
{
  gsize n_bytes;
  const char *bytes = g_bytes_get_data (answer, &n_bytes);
  gint64 n_refused;

  *ret_words = NULL;
  if (n_bytes == 0)
    return 0;
  n_refused = style->json ? jank_otlp_answer_read_json (bytes, n_bytes, ret_words)
                          : jank_otlp_answer_read_protobuf (bytes, n_bytes, ret_words);
  return (guint64) MAX (n_refused, 0);
}
