/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* json-glib behind a check of everything that it is fed. Any thread. */

#pragma once

#include <json-glib/json-glib.h>

#define JANK_JSON_MAX_BYTES  (16 * 1024 * 1024)
#define JANK_JSON_MAX_DEPTH  32
#define JANK_JSON_MAX_VALUES 500000
/* Of one object: names of one hash would take a time that grows with their square. */
#define JANK_JSON_MAX_MEMBERS 1000

typedef enum { JANK_JSON_COMPACT, JANK_JSON_PRETTY } JankJsonLayout;

/* Reads and writes a little, so that afterwards all of json-glib's types are registered. */
void        jank_json_prepare       (void);

/* Returns: (transfer full): the tree of one JSON object whose "schema" is name-major (schema NULL: any);
 * JANK_ERROR_INVALID for anything else, JANK_ERROR_VERSION for the same name with another major number. */
JsonNode   *jank_json_parse         (const char *text, gsize n_bytes, const char *schema, GError **error);

/* Takes the members of those names (NULL at their end) out of an object's text, unread: for a reader that needs the
 * rest soon. Text that is no object stays as it is. Returns: the new length */
gsize       jank_json_strip         (char *text, gsize n_bytes, const char *const *names);

/* Returns: (transfer full) */
char       *jank_json_generate      (JsonNode *node, JankJsonLayout layout);

/* NULL adds nothing; text is cleaned as by jank_text_clean(). */
void        jank_json_add_text      (JsonObject *self, const char *name, const char *text);

/* node (nullable). NULL when it is no string, or when an escape makes it invalid: half of a surrogate pair. */
const char *jank_json_node_to_text  (JsonNode *node);
/* NULL also when the member is missing. */
const char *jank_json_get_text      (JsonObject *self, const char *name);
/* node (nullable). FALSE when it is no number; a fraction is cut off, what does not fit is the nearest that does. */
gboolean    jank_json_node_to_int   (JsonNode *node, gint64 *ret_n);

/* RFC 3339 in local time, with microseconds. Returns: (transfer full) (nullable): out of range */
char       *jank_json_time_to_text  (gint64 real_us);
/* In µs since the Unix epoch; 0 where text (nullable) is no time after it. */
gint64      jank_json_time_from_text (const char *text);

/* Largest number that any of our counts may have: sums of two still fit. */
#define JANK_JSON_MAX_COUNT (G_MAXINT64 / 2)
/* Adds n to sum; both are such counts, and so is the new sum. */
#define jank_json_sum(sum, n) (*(sum) += MIN ((n), JANK_JSON_MAX_COUNT - *(sum)))

/* The local time zone, read from the environment once: getenv() on the watcher thread would race with the program's
 * setenv(). First called where a monitor or store is made. */
GTimeZone  *jank_json_time_zone     (void);
