/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/jank-protocol-private.h"

#include <string.h>

#include "json/jank-json-private.h"

#ifdef __x86_64__
#define ARCH "amd64"
#else
#define ARCH "arm64"
#endif

void
jank_otlp_attribute (GString *self, const char *key, const char *text)
{
  if (text != NULL && *text != '\0')
    jank_json_put (self, JANK_OTLP_ATTRIBUTE ("'stringValue':%s"), key, text);
}

GString *
jank_otlp_begin_body (const JankSendStyle *style, const char *what, const char *records, const char *app,
                      const char *version)
{
  g_autofree char *resources = g_strconcat ("resource", what, NULL), *scopes = g_strconcat ("scope", what, NULL);
  g_autofree char *os = g_get_os_info (G_OS_INFO_KEY_ID), *os_version = g_get_os_info (G_OS_INFO_KEY_VERSION_ID);
  g_autofree char *id = g_compute_hmac_for_string (G_CHECKSUM_MD5, (const guchar *) style->identity,
                                                   strlen (style->identity), version, -1);
  GString *self = g_string_new (NULL);

  jank_json_put (self, "{%s:[{'resource':{'attributes':[", resources);
  jank_otlp_attribute (self, "service.name", *app != '\0' ? app : "unknown_service");
  jank_otlp_attribute (self, "service.version", version);
  /* Prometheus knows a series by this and the name alone: two versions of a program are two. */
  jank_otlp_attribute (self, "service.instance.id", id);
  jank_otlp_attribute (self, "device.id", style->identity);
  jank_otlp_attribute (self, "os.type", "linux");
  jank_otlp_attribute (self, "os.name", os);
  jank_otlp_attribute (self, "os.version", os_version);
  jank_otlp_attribute (self, "host.arch", ARCH);
  jank_json_put (self, "]},%s:[{'scope':{'name':'jankwatch','version':%s},%s:[", scopes, JANK_VERSION, records);
  return self;
}

GBytes *
jank_otlp_end_body (GString *self)
{
  jank_json_put (self, "]}]}]}");
  return g_string_free_to_bytes (self);
}

guint64
jank_otlp_read_answer (GBytes *answer, char **ret_words)
{
  static const char *const names[] = { "rejectedLogRecords", "rejectedDataPoints" };
  gsize n_bytes;
  const char *bytes = g_bytes_get_data (answer, &n_bytes);
  g_autoptr (JsonNode) root = n_bytes > 0 ? jank_json_parse (bytes, n_bytes, NULL, NULL) : NULL;
  JsonNode *node = root != NULL ? json_object_get_member (json_node_get_object (root), "partialSuccess") : NULL;
  JsonObject *partial = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  gint64 n_refused = 0;

  *ret_words = NULL;
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
  return (guint64) MAX (n_refused, 0);
}
