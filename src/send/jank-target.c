/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/jank-target-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-error.h"

static void
jank_target_free (gpointer data)
{
  JankTarget *self = data;

  g_free (self->url);
  g_free (self->base);
  g_strfreev (self->headers);
  g_free (self);
}

/* signal: (nullable): what url alone is for, and then it is used as it is. Returns: (transfer none) (nullable) */
static JankTarget *
jank_targets_add (GPtrArray *self, const JankProtocol *protocol, const char *url, const char *signal, GError **error)
{
  g_autoptr (GUri) uri = g_uri_parse (url, G_URI_FLAGS_NONE, NULL);
  JankTarget *target;

  if (*url != '\0' && (uri == NULL || !g_str_has_prefix (url, "http") || g_uri_get_host (uri) == NULL ||
                       *g_uri_get_host (uri) == '\0'))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("‘%s’ is not a URL of a server"), url);
      return NULL;
    }
  target = g_new0 (JankTarget, 1);
  *target = (JankTarget) { protocol, signal, g_strdup (url), NULL, protocol->path, protocol->totals_path, NULL };
  g_ptr_array_add (self, target);
  if (protocol == &jank_protocol_otlp && signal == NULL && uri != NULL)
    target->base = jank_protocol_sentry_find_url (uri, &target->headers);
  if (target->base != NULL)
    {
      target->protocol = &jank_protocol_sentry;
      target->path = jank_protocol_sentry.path;
      target->totals_path = NULL;
      return target;
    }
  target->base = g_strdup (url);
  if (g_strcmp0 (signal, "LOGS") == 0 || g_str_has_suffix (url, protocol->path))
    {
      target->path = "";
      target->totals_path = NULL;
    }
  else if (protocol->totals_path != NULL &&
           (g_strcmp0 (signal, "METRICS") == 0 || g_str_has_suffix (url, protocol->totals_path)))
    {
      target->path = NULL;
      target->totals_path = "";
    }
  if (protocol == &jank_protocol_otlp && (target->path == NULL || target->totals_path == NULL))
    target->signal = target->path == NULL ? "METRICS" : "LOGS";
  return target;
}

/* Returns: (nullable): it is not set, or empty, which is the same there */
static const char *
jank_target_get_variable (const char *name)
{
  const char *value = g_getenv (name);

  return value != NULL && *value != '\0' ? value : NULL;
}

/* What has no endpoint of its own goes to the common one. */
static gboolean
jank_targets_add_environment (GPtrArray *self, GError **error)
{
  const char *common = jank_target_get_variable ("OTEL_EXPORTER_OTLP_ENDPOINT");
  const char *logs = jank_target_get_variable ("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT");
  const char *metrics = jank_target_get_variable ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
  JankTarget *target;

  if ((logs != NULL && jank_targets_add (self, &jank_protocol_otlp, logs, "LOGS", error) == NULL) ||
      (metrics != NULL && jank_targets_add (self, &jank_protocol_otlp, metrics, "METRICS", error) == NULL))
    return FALSE;
  if (common == NULL || (logs != NULL && metrics != NULL))
    return TRUE;
  target = jank_targets_add (self, &jank_protocol_otlp, common, NULL, error);
  if (target != NULL && logs != NULL)
    target->path = NULL;
  if (target != NULL && metrics != NULL)
    target->totals_path = NULL;
  return target != NULL;
}

GPtrArray *
jank_targets_find (const char *to, const char *profiles, GError **error)
{
  g_autoptr (GPtrArray) self = g_ptr_array_new_with_free_func (jank_target_free);
  const JankProtocol *pprof = profiles != NULL ? jank_protocol_pprof_get () : NULL;

  if (to != NULL ? jank_targets_add (self, &jank_protocol_otlp, to, NULL, error) == NULL
                 : !jank_targets_add_environment (self, error))
    return NULL;
  if (profiles != NULL && pprof == NULL)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                   _("This jankwatch was built without protobuf-c: it cannot send profiles"));
      return NULL;
    }
  if (profiles != NULL && jank_targets_add (self, pprof, profiles, "PROFILES", error) == NULL)
    return NULL;
  return g_steal_pointer (&self);
}
