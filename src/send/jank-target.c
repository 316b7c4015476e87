/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/jank-target-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/jank-error.h"
#include "send/jank-headers-private.h"

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
  const JankProtocol *protocol = &jank_protocol_otlp;
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
  if (uri != NULL)
    self->base = jank_sentry_find_url (uri, &self->headers);
  if (self->base != NULL)
    protocol = &jank_protocol_sentry;
  else
    self->base = g_strdup (url);
  if (self->headers == NULL)
    self->headers = jank_headers_from_environment (url, error);
  self->protocol = protocol;
  self->path = protocol->path;
  self->totals_path = protocol->totals_path;
  if (protocol->totals_path != NULL && g_str_has_suffix (url, protocol->path))
    {
      self->path = "";
      self->totals_path = NULL;
    }
  else if (protocol->totals_path != NULL && g_str_has_suffix (url, protocol->totals_path))
    {
      self->path = NULL;
      self->totals_path = "";
    }
  return self->headers != NULL ? g_steal_pointer (&self) : NULL;
}
