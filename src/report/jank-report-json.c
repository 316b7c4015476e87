/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/jank-report-json-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-error.h"
#include "json/jank-field-json-private.h"
#include "json/jank-json-private.h"

static JsonNode *
jank_report_to_node (JankReport *self)
{
  JsonNode *node = jank_table_to_node (&jank_report_table, self);

  jank_json_add_text (json_node_get_object (node), "schema", JANK_REPORT_SCHEMA);
  return node;
}

char *
jank_report_generate_json (JankReport *self, gboolean pretty)
{
  g_autoptr (JsonNode) node = jank_report_to_node (self);

  return jank_json_generate (node, pretty ? JANK_JSON_PRETTY : JANK_JSON_COMPACT);
}

char *
jank_report_generate_gist (JankReport *self)
{
  static const char *const lists[] = { "stacks", "stacks_complete", "frames", "modules", "self" };
  g_autoptr (JsonNode) node = jank_report_to_node (self);

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    json_object_remove_member (json_node_get_object (node), lists[i]);
  return jank_json_generate (node, JANK_JSON_COMPACT);
}

JsonNode *
jank_report_chain_to_node (const JankReportChain *chain)
{
  JsonNode *node = jank_table_to_node (&jank_report_chain_table, chain);

  jank_json_add_text (json_node_get_object (node), "schema", JANK_CHAIN_SCHEMA);
  return node;
}

char *
jank_report_chain_to_json (const JankReportChain *chain)
{
  g_autoptr (JsonNode) node = jank_report_chain_to_node (chain);

  return jank_json_generate (node, JANK_JSON_COMPACT);
}

JankReportChain *
jank_report_chain_from_json (const char *text, gsize n_bytes)
{
  g_autoptr (JsonNode) node = jank_json_parse (text, n_bytes, JANK_CHAIN_SCHEMA, NULL);
  g_autoptr (JankReportChain) chain = node != NULL ? jank_report_chain_new () : NULL;

  if (chain == NULL || !jank_table_read (&jank_report_chain_table, chain, json_node_get_object (node), NULL) ||
      !jank_report_chain_table.finish (chain))
    return NULL;
  return g_steal_pointer (&chain);
}

/* A report without one of these has no use. */
static gboolean
jank_report_json_check (JankReport *self, JsonObject *root, GError **error)
{
  const char *kind = jank_json_get_text (root, "kind");

  /* jankwatch 0.2 had a kind of report for a callback that ran a main loop of its own. */
  if (g_strcmp0 (kind, "nested") == 0)
    self->kind = JANK_REPORT_STALL;
  if (self->id == NULL)
    g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("it has no ID"));
  else if ((gint) self->kind < 0)
    g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("its kind ‘%s’ is unknown"), kind != NULL ? kind : "");
  else if ((gint) self->stall.outcome < 0)
    g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("it does not say how the stall ended"));
  else
    return TRUE;
  return FALSE;
}

JankReport *
jank_report_from_json (const char *text, gsize n_bytes, GError **error)
{
  g_autoptr (JsonNode) node = jank_json_parse (text, n_bytes, JANK_REPORT_SCHEMA, error);
  JsonObject *root = node != NULL ? json_node_get_object (node) : NULL;
  g_autoptr (JankReport) self = NULL;
  gboolean has_stacks;
  guint stack;

  if (node == NULL)
    return NULL;
  self = jank_report_new ();
  has_stacks = jank_table_read (&jank_report_table, self, root, &stack);
  if (!jank_report_json_check (self, root, error))
    return NULL;
  if (!has_stacks)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("its stack %u refers to a frame that is not there"), stack);
      return NULL;
    }
  return g_steal_pointer (&self);
}

/**
 * jank_report_to_json:
 * @self: a report
 *
 * The report as a JSON object on one line, in the schema `jankwatch-report-1`: times are integers in nanoseconds,
 * shares numbers from 0 to 1.
 *
 * Returns: (transfer full): JSON, in UTF-8
 */
char *
jank_report_to_json (JankReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return jank_report_generate_json (self, FALSE);
}

/**
 * jank_report_to_variant:
 * @self: a report
 *
 * All that the report says, by the names of its schema `jankwatch-report-1`, which `jankwatch-report(5)` describes:
 * what was waited for is in `samples`, who waits for whose lock in `locks`, the stack to look at in `heaviest`.
 *
 * Objects are dictionaries of type `a{sv}`, arrays of type `av`, integers of type `x`, other numbers of type `d`. A
 * name whose value is not known is left out.
 *
 * Returns: (transfer full): a dictionary of type `a{sv}`
 */
GVariant *
jank_report_to_variant (JankReport *self)
{
  g_autoptr (JsonNode) node = NULL;

  g_return_val_if_fail (self != NULL, NULL);

  node = jank_report_to_node (self);
  return g_variant_take_ref (json_gvariant_deserialize (node, "a{sv}", NULL));
}
