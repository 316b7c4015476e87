/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a table describes, as JSON and back. Any thread. */

#pragma once

#include <json-glib/json-glib.h>

#include "json/jank-field-private.h"

/* Returns: (transfer full): a JSON object; texts are cleaned as by jank_text_clean() */
JsonNode *jank_table_to_node (const JankTable *self, gconstpointer object);

/* root (of anybody's making) into object, which is new: unknown names are ignored, numbers brought into bounds, what
 * does not fit is as if it were missing, texts are cleaned. FALSE when an element of a JANK_COLUMN refers to nothing:
 * ret_element says which, and object is to be cleared. */
gboolean  jank_table_read    (const JankTable *self, gpointer object, JsonObject *root, guint *ret_element);
