/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tables of a session, whose rows stand below the structs in the header. */

#define JANK_SESSION_FIELDS
#include "store/jank-session-private.h"

#include "json/jank-field-json-private.h"
#include "json/jank-json-private.h"

static gboolean
finish_stall (gpointer self)
{
  JankSessionStall *stall = self;

  if ((gint) stall->severity < 0)
    stall->severity = jank_severity_of (stall->duration_ns);
  return stall->id != NULL && (gint) stall->outcome >= 0;
}

static gboolean
finish_call (gpointer self)
{
  return (gint) ((JankSessionCall *) self)->kind >= 0;
}

char *
jank_session_summary_to_json (const JankSessionSummary *self, gboolean pretty)
{
  g_autoptr (JsonNode) node = jank_table_to_node (&jank_session_summary_table, self);
  JsonObject *root = json_node_get_object (node);

  jank_json_add_text (root, "schema", JANK_SESSION_SCHEMA);
  if (self->exit_status < 0)
    json_object_remove_member (root, "processes"); /* a file is of one process, a summary of any number */
  return jank_json_generate (node, pretty ? JANK_JSON_PRETTY : JANK_JSON_COMPACT);
}
