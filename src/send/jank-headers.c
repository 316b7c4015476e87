/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/jank-headers-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/jank-error.h"

#define HEADERS  "OTEL_EXPORTER_OTLP_HEADERS"
#define ENDPOINT "OTEL_EXPORTER_OTLP_ENDPOINT"
/* Of a token, by RFC 9110. */
#define NAME_LETTERS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "!#$%&'*+-.^_`|~"

/* A line break would begin another header. */
static gboolean
jank_headers_is_value (const char *text)
{
  for (; *text != '\0'; text++)
    if (g_ascii_iscntrl (*text))
      return FALSE;
  return TRUE;
}

/* pair: "NAME=VALUE", percent-encoded */
static gboolean
jank_headers_add (GPtrArray *self, char *pair)
{
  char *equals = strchr (pair, '=');
  g_autofree char *name = equals != NULL ? g_strstrip (g_strndup (pair, (gsize) (equals - pair))) : NULL;
  g_autofree char *value = equals != NULL ? g_uri_unescape_string (g_strstrip (equals + 1), NULL) : NULL;

  if (value == NULL || *name == '\0' || strspn (name, NAME_LETTERS) != strlen (name) || !jank_headers_is_value (value))
    return FALSE;
  g_ptr_array_add (self, g_steal_pointer (&name));
  g_ptr_array_add (self, g_steal_pointer (&value));
  return TRUE;
}

static gboolean
jank_headers_is_same_server (const char *a, const char *b)
{
  g_autoptr (GUri) one = g_uri_parse (a, G_URI_FLAGS_SCHEME_NORMALIZE, NULL);
  g_autoptr (GUri) two = g_uri_parse (b, G_URI_FLAGS_SCHEME_NORMALIZE, NULL);

  return one != NULL && two != NULL && g_uri_get_port (one) == g_uri_get_port (two) &&
         g_strcmp0 (g_uri_get_scheme (one), g_uri_get_scheme (two)) == 0 &&
         g_strcmp0 (g_uri_get_host (one), g_uri_get_host (two)) == 0;
}

char **
jank_headers_from_environment (const char *url, GError **error)
{
  const char *text = g_getenv (HEADERS), *endpoint = g_getenv (ENDPOINT);
  gboolean is_any = *url == '\0' || endpoint == NULL;
  gboolean is_for_it = text != NULL && (is_any || jank_headers_is_same_server (url, endpoint));
  g_auto (GStrv) pairs = g_strsplit (is_for_it ? text : "", ",", -1);
  g_autoptr (GPtrArray) headers = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; pairs[i] != NULL; i++)
    if (*g_strstrip (pairs[i]) != '\0' && !jank_headers_add (headers, pairs[i]))
      {
        g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID,
                     _("Part %u of %s is not NAME=VALUE with a percent-encoded value. Nothing is sent"), i + 1,
                     HEADERS);
        return NULL;
      }
  g_ptr_array_add (headers, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&headers), FALSE);
}
