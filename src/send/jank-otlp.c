/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/jank-otlp-private.h"

#include <math.h>
#include <string.h>

#include "json/jank-json-private.h"

#ifdef __x86_64__
#define ARCH "amd64"
#else
#define ARCH "arm64"
#endif

static JsonBuilder *
jank_otlp_name (JsonBuilder *self, const char *name)
{
  return name != NULL ? json_builder_set_member_name (self, name) : self;
}

void
jank_otlp_begin (JsonBuilder *self, const char *name)
{
  json_builder_begin_object (jank_otlp_name (self, name));
}

void
jank_otlp_begin_list (JsonBuilder *self, const char *name)
{
  json_builder_begin_array (jank_otlp_name (self, name));
}

void
jank_otlp_text (JsonBuilder *self, const char *name, const char *text)
{
  json_builder_add_string_value (jank_otlp_name (self, name), text);
}

void
jank_otlp_flag (JsonBuilder *self, const char *name, gboolean is_set)
{
  json_builder_add_boolean_value (jank_otlp_name (self, name), is_set);
}

void
jank_otlp_int (JsonBuilder *self, const char *name, gint64 n)
{
  json_builder_add_int_value (jank_otlp_name (self, name), n);
}

void
jank_otlp_int64 (JsonBuilder *self, const char *name, gint64 n)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, n);

  jank_otlp_text (self, name, text);
}

void
jank_otlp_double (JsonBuilder *self, const char *name, double n)
{
  json_builder_add_double_value (jank_otlp_name (self, name), isfinite (n) ? n : 0.0);
}

#define ATTRIBUTE(key, add) \
  do \
    { \
      jank_otlp_begin (self, NULL); \
      jank_otlp_text (self, "key", key); \
      jank_otlp_begin (self, "value"); \
      add; \
      json_builder_end_object (json_builder_end_object (self)); \
    } \
  while (0)

void
jank_otlp_attribute (JsonBuilder *self, const char *key, const char *text)
{
  if (text != NULL)
    ATTRIBUTE (key, jank_otlp_text (self, "stringValue", text));
}

void
jank_otlp_attribute_flag (JsonBuilder *self, const char *key, gboolean is_set)
{
  ATTRIBUTE (key, jank_otlp_flag (self, "boolValue", is_set));
}

void
jank_otlp_attribute_int (JsonBuilder *self, const char *key, gint64 n)
{
  ATTRIBUTE (key, jank_otlp_int64 (self, "intValue", n));
}

void
jank_otlp_attribute_double (JsonBuilder *self, const char *key, double n)
{
  ATTRIBUTE (key, jank_otlp_double (self, "doubleValue", n));
}

JsonBuilder *
jank_otlp_begin_body (const JankSendStyle *style, const char *what, const char *records, const char *app,
                      const char *version)
{
  g_autofree char *resources = g_strconcat ("resource", what, NULL), *scopes = g_strconcat ("scope", what, NULL);
  g_autofree char *os = g_get_os_info (G_OS_INFO_KEY_ID), *os_version = g_get_os_info (G_OS_INFO_KEY_VERSION_ID);
  g_autofree char *id = g_compute_hmac_for_string (G_CHECKSUM_MD5, (const guchar *) style->identity,
                                                   strlen (style->identity), version, -1);
  JsonBuilder *self = json_builder_new ();

  jank_otlp_begin (self, NULL);
  jank_otlp_begin_list (self, resources);
  jank_otlp_begin (self, NULL);
  jank_otlp_begin (self, "resource");
  jank_otlp_begin_list (self, "attributes");
  jank_otlp_attribute (self, "service.name", *app != '\0' ? app : "unknown_service");
  jank_otlp_attribute (self, "service.version", *version != '\0' ? version : NULL);
  /* Prometheus knows a series by this and the name alone: two versions of a program are two. */
  jank_otlp_attribute (self, "service.instance.id", id);
  jank_otlp_attribute (self, "device.id", style->identity);
  jank_otlp_attribute (self, "os.type", "linux");
  jank_otlp_attribute (self, "os.name", os);
  jank_otlp_attribute (self, "os.version", os_version);
  jank_otlp_attribute (self, "host.arch", ARCH);
  json_builder_end_object (json_builder_end_array (self));
  jank_otlp_begin_list (self, scopes);
  jank_otlp_begin (self, NULL);
  jank_otlp_begin (self, "scope");
  jank_otlp_text (self, "name", "jankwatch");
  jank_otlp_text (self, "version", JANK_VERSION);
  json_builder_end_object (self);
  jank_otlp_begin_list (self, records);
  return self;
}

GBytes *
jank_otlp_end_body (JsonBuilder *self)
{
  for (guint i = 0; i < 3; i++)
    json_builder_end_object (json_builder_end_array (self));
  return jank_otlp_steal (self);
}

GBytes *
jank_otlp_steal (JsonBuilder *self)
{
  g_autoptr (JsonNode) root = json_builder_get_root (self);
  char *text = jank_json_generate (root, JANK_JSON_COMPACT);

  return g_bytes_new_take (text, strlen (text));
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
