/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/jank-protocol-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/jank-error.h"

#define HEADERS  "OTEL_EXPORTER_OTLP_HEADERS"
#define ENDPOINT "OTEL_EXPORTER_OTLP_ENDPOINT"
/* They would begin another header. */
#define BREAKS "\r\n"
/* Of a token, by RFC 9110. */
#define NAME_LETTERS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "!#$%&'*+-.^_`|~"

/* pair: "NAME=VALUE", percent-encoded */
static gboolean
jank_target_add (GPtrArray *self, char *pair)
{
  char *equals = strchr (pair, '=');
  g_autofree char *name = equals != NULL ? g_strstrip (g_strndup (pair, (gsize) (equals - pair))) : NULL;
  g_autofree char *value = equals != NULL ? g_uri_unescape_string (g_strstrip (equals + 1), NULL) : NULL;

  if (value == NULL || *name == '\0' || strspn (name, NAME_LETTERS) != strlen (name) ||
      strpbrk (value, BREAKS) != NULL)
    return FALSE;
  g_ptr_array_add (self, g_steal_pointer (&name));
  g_ptr_array_add (self, g_steal_pointer (&value));
  return TRUE;
}

static gboolean
jank_target_is_same_server (const char *a, const char *b)
{
  g_autoptr (GUri) one = g_uri_parse (a, G_URI_FLAGS_SCHEME_NORMALIZE, NULL);
  g_autoptr (GUri) two = g_uri_parse (b, G_URI_FLAGS_SCHEME_NORMALIZE, NULL);

  return one != NULL && two != NULL && g_uri_get_port (one) == g_uri_get_port (two) &&
         g_strcmp0 (g_uri_get_scheme (one), g_uri_get_scheme (two)) == 0 &&
         g_strcmp0 (g_uri_get_host (one), g_uri_get_host (two)) == 0;
}

/* For url: they go to no other server than that of OTEL_EXPORTER_OTLP_ENDPOINT, where it is set. Their values appear in
 * no message. Returns: (transfer full) (nullable): names and values in turns; the variable cannot be read */
static char **
jank_target_read_headers (const char *url, GError **error)
{
  const char *text = g_getenv (HEADERS), *endpoint = g_getenv (ENDPOINT);
  gboolean is_for_it = text != NULL &&
                       (*url == '\0' || endpoint == NULL || jank_target_is_same_server (url, endpoint));
  g_auto (GStrv) pairs = g_strsplit (is_for_it ? text : "", ",", -1);
  g_autoptr (GPtrArray) headers = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; pairs[i] != NULL; i++)
    if (*g_strstrip (pairs[i]) != '\0' && !jank_target_add (headers, pairs[i]))
      {
        g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID,
                     _("Part %u of %s is not NAME=VALUE with a percent-encoded value. Nothing is sent"), i + 1,
                     HEADERS);
        return NULL;
      }
  g_ptr_array_add (headers, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&headers), FALSE);
}

void
jank_target_free (JankTarget *self)
{
  g_free (self->url);
  g_free (self->base);
  g_strfreev (self->headers);
  g_free (self);
}

char *
jank_target_show_url (const char *url)
{
  const char *host = strstr (url, "://") != NULL ? strstr (url, "://") + strlen ("://") : url;
  gsize n_host = strcspn (host, "/?#");
  const char *at = g_strrstr_len (host, (gssize) n_host, "@"), *rest = at != NULL ? at + 1 : host;

  return g_strdup_printf ("%.*s%.*s", (int) (host - url), url, (int) strcspn (rest, "?#"), rest);
}

JankTarget *
jank_target_new (const char *url, GError **error)
{
  g_autoptr (GUri) uri = g_uri_parse (url, G_URI_FLAGS_SCHEME_NORMALIZE, NULL);
  const char *scheme = uri != NULL ? g_uri_get_scheme (uri) : "", *host = uri != NULL ? g_uri_get_host (uri) : NULL;
  g_autoptr (JankTarget) self = NULL;

  if (*url != '\0' && ((!g_str_equal (scheme, "http") && !g_str_equal (scheme, "https")) || host == NULL ||
                       *host == '\0'))
    {
      g_autofree char *shown = jank_target_show_url (url);

      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("‘%s’ is not a URL of a server"), shown);
      return NULL;
    }
  self = g_new0 (JankTarget, 1);
  self->url = g_strdup (url);
  self->base = uri != NULL ? jank_sentry_find_url (uri, &self->headers) : NULL;
  self->protocol = self->base != NULL ? &jank_protocol_sentry : &jank_protocol_otlp;
  self->path = self->protocol->path;
  self->totals_path = self->protocol->totals_path;
  if (self->base == NULL)
    {
      self->base = g_strdup (url);
      self->headers = jank_target_read_headers (url, error);
    }
  if (self->totals_path != NULL && g_str_has_suffix (url, self->path))
    {
      self->path = "";
      self->totals_path = NULL;
    }
  else if (self->totals_path != NULL && g_str_has_suffix (url, self->totals_path))
    {
      self->path = NULL;
      self->totals_path = "";
    }
  return self->headers != NULL ? g_steal_pointer (&self) : NULL;
}
