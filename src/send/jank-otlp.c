/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/jank-otlp-private.h"

#include <math.h>
#include <string.h>

#ifdef __x86_64__
#define ARCH "amd64"
#else
#define ARCH "arm64"
#endif

/* Of protobuf's wire format. */
enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2 };

void
jank_otlp_init (JankOtlp *self, gboolean json)
{
  *self = (JankOtlp) { g_string_sized_new (4096), json, g_array_new (FALSE, FALSE, sizeof (gsize)), 0 };
}

void
jank_otlp_clear (JankOtlp *self)
{
  if (self->out != NULL)
    g_string_free (g_steal_pointer (&self->out), TRUE);
  g_clear_pointer (&self->begun, g_array_unref);
}

GBytes *
jank_otlp_steal (JankOtlp *self)
{
  return g_string_free_to_bytes (g_steal_pointer (&self->out));
}

/* at: in what was written */
static void
jank_otlp_varint (JankOtlp *self, gsize at, guint64 n)
{
  char letters[10];
  gssize length = 0;

  for (; n >= 0x80; n >>= 7)
    letters[length++] = (char) (n | 0x80);
  letters[length++] = (char) n;
  g_string_insert_len (self->out, (gssize) at, letters, length);
}

/* What stands before a value. name: (nullable); number 0: nothing, in protobuf. Returns: whether JSON is written */
static gboolean
jank_otlp_name (JankOtlp *self, guint number, const char *name, guint wire)
{
  if (!self->json && number > 0)
    jank_otlp_varint (self, self->out->len, number << 3 | wire);
  if (!self->json)
    return FALSE;
  if (self->out->len > 0 && strchr ("{[", self->out->str[self->out->len - 1]) == NULL)
    g_string_append_c (self->out, ',');
  if (name != NULL)
    g_string_append_printf (self->out, "\"%s\":", name);
  return TRUE;
}

void
jank_otlp_begin (JankOtlp *self, guint number, const char *name)
{
  if (jank_otlp_name (self, number, name, WIRE_BYTES))
    g_string_append_c (self->out, '{');
  else
    g_array_append_val (self->begun, self->out->len);
}

/* The length, which stands before the message, is known now. */
void
jank_otlp_end (JankOtlp *self)
{
  gsize began;

  if (self->json)
    {
      g_string_append_c (self->out, '}');
      return;
    }
  began = g_array_index (self->begun, gsize, self->begun->len - 1);
  g_array_set_size (self->begun, self->begun->len - 1);
  if (began > 0)
    jank_otlp_varint (self, began, self->out->len - began);
}

void
jank_otlp_begin_list (JankOtlp *self, const char *name)
{
  if (self->json && jank_otlp_name (self, 0, name, 0))
    g_string_append_c (self->out, '[');
}

void
jank_otlp_end_list (JankOtlp *self)
{
  if (self->json)
    g_string_append_c (self->out, ']');
}

static void
jank_otlp_quote (JankOtlp *self, const char *text)
{
  g_string_append_c (self->out, '"');
  for (; *text != '\0'; text++)
    {
      gsize n = strcspn (text, "\"\\\n\t");

      g_string_append_len (self->out, text, (gssize) n);
      text += n;
      if (*text == '\0')
        break;
      g_string_append_c (self->out, '\\');
      g_string_append_c (self->out, *text == '\n' ? 'n' : *text == '\t' ? 't' : *text);
    }
  g_string_append_c (self->out, '"');
}

void
jank_otlp_text (JankOtlp *self, guint number, const char *name, const char *text)
{
  if (jank_otlp_name (self, number, name, WIRE_BYTES))
    {
      jank_otlp_quote (self, text);
      return;
    }
  jank_otlp_varint (self, self->out->len, strlen (text));
  g_string_append (self->out, text);
}

static void
jank_otlp_fixed64 (JankOtlp *self, guint64 n)
{
  n = GUINT64_TO_LE (n);
  g_string_append_len (self->out, (const char *) &n, sizeof n);
}

/* 64 bits are text in JSON, whose numbers hold 53. */
void
jank_otlp_int (JankOtlp *self, guint number, const char *name, JankOtlpType type, gint64 n)
{
  if (jank_otlp_name (self, number, name, type == JANK_OTLP_FIXED64 ? WIRE_64 : WIRE_VARINT))
    {
      if (type == JANK_OTLP_BOOL)
        g_string_append (self->out, n != 0 ? "true" : "false");
      else
        g_string_append_printf (self->out,
                                type >= JANK_OTLP_INT64 ? "\"%" G_GINT64_FORMAT "\"" : "%" G_GINT64_FORMAT, n);
    }
  else if (type == JANK_OTLP_FIXED64)
    jank_otlp_fixed64 (self, (guint64) n);
  else if (type == JANK_OTLP_SINT32) /* 0, -1, 1, -2 … */
    jank_otlp_varint (self, self->out->len, n < 0 ? (guint64) -n * 2 - 1 : (guint64) n * 2);
  else
    jank_otlp_varint (self, self->out->len, (guint64) n);
}

void
jank_otlp_double (JankOtlp *self, guint number, const char *name, double n)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  guint64 bits;

  n = isfinite (n) ? n : 0.0;
  memcpy (&bits, &n, sizeof bits);
  if (jank_otlp_name (self, number, name, WIRE_64))
    {
      /* 17 digits are always enough, and 15 nearly always. */
      g_ascii_formatd (text, sizeof text, "%.15g", n);
      g_string_append (self->out, g_ascii_strtod (text, NULL) == n ? text : g_ascii_dtostr (text, sizeof text, n));
    }
  else
    jank_otlp_fixed64 (self, bits);
}

void
jank_otlp_counts (JankOtlp *self, guint number, const char *name, const guint64 *counts, guint n)
{
  jank_otlp_begin_list (self, name);
  if (!self->json)
    jank_otlp_begin (self, number, NULL);
  for (guint i = 0; i < n; i++)
    jank_otlp_int (self, 0, NULL, JANK_OTLP_INT64, (gint64) counts[i]);
  if (!self->json)
    jank_otlp_end (self);
  jank_otlp_end_list (self);
}

void
jank_otlp_begin_attributes (JankOtlp *self, guint number)
{
  self->attributes = number;
  jank_otlp_begin_list (self, "attributes");
}

static void
jank_otlp_begin_attribute (JankOtlp *self, const char *key)
{
  jank_otlp_begin (self, self->attributes, NULL);
  jank_otlp_text (self, 1, "key", key);
  jank_otlp_begin (self, 2, "value");
}

static void
jank_otlp_end_attribute (JankOtlp *self)
{
  jank_otlp_end (self);
  jank_otlp_end (self);
}

void
jank_otlp_attribute (JankOtlp *self, const char *key, const char *text)
{
  if (text == NULL)
    return;
  jank_otlp_begin_attribute (self, key);
  jank_otlp_text (self, 1, "stringValue", text);
  jank_otlp_end_attribute (self);
}

void
jank_otlp_attribute_int (JankOtlp *self, const char *key, JankOtlpType type, gint64 n)
{
  jank_otlp_begin_attribute (self, key);
  jank_otlp_int (self, type == JANK_OTLP_BOOL ? 2 : 3, type == JANK_OTLP_BOOL ? "boolValue" : "intValue", type, n);
  jank_otlp_end_attribute (self);
}

void
jank_otlp_attribute_double (JankOtlp *self, const char *key, double n)
{
  jank_otlp_begin_attribute (self, key);
  jank_otlp_double (self, 4, "doubleValue", n);
  jank_otlp_end_attribute (self);
}

static void
jank_otlp_resource (JankOtlp *self, const JankSendStyle *style, const char *app, const char *version)
{
  g_autofree char *os = g_get_os_info (G_OS_INFO_KEY_ID), *os_version = g_get_os_info (G_OS_INFO_KEY_VERSION_ID);
  g_autofree char *id = g_compute_hmac_for_string (G_CHECKSUM_MD5, (const guchar *) style->identity,
                                                   strlen (style->identity), version, -1);

  jank_otlp_begin (self, 1, "resource");
  jank_otlp_begin_attributes (self, 1);
  jank_otlp_attribute (self, "service.name", *app != '\0' ? app : "unknown_service");
  jank_otlp_attribute (self, "service.version", *version != '\0' ? version : NULL);
  /* Prometheus knows a series by this and the name alone: two versions of a program are two. */
  jank_otlp_attribute (self, "service.instance.id", id);
  jank_otlp_attribute (self, "device.id", style->identity);
  jank_otlp_attribute (self, "os.type", "linux");
  jank_otlp_attribute (self, "os.name", os);
  jank_otlp_attribute (self, "os.version", os_version);
  jank_otlp_attribute (self, "host.arch", ARCH);
  jank_otlp_end_list (self);
  jank_otlp_end (self);
}

void
jank_otlp_begin_body (JankOtlp *self, const JankSendStyle *style, const char *what, const char *records,
                      const char *app, const char *version)
{
  g_autofree char *resources = g_strconcat ("resource", what, NULL), *scopes = g_strconcat ("scope", what, NULL);

  jank_otlp_init (self, style->json);
  jank_otlp_begin (self, 0, NULL);
  jank_otlp_begin_list (self, resources);
  jank_otlp_begin (self, 1, NULL);
  jank_otlp_resource (self, style, app, version);
  jank_otlp_begin_list (self, scopes);
  jank_otlp_begin (self, 2, NULL);
  jank_otlp_begin (self, 1, "scope");
  jank_otlp_text (self, 1, "name", "jankwatch");
  jank_otlp_text (self, 2, "version", JANK_VERSION);
  jank_otlp_end (self);
  jank_otlp_begin_list (self, records);
}

GBytes *
jank_otlp_end_body (JankOtlp *self)
{
  for (guint i = 0; i < 3; i++)
    {
      jank_otlp_end_list (self);
      jank_otlp_end (self);
    }
  return jank_otlp_steal (self);
}
