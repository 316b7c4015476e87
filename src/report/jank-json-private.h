/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* JSON for our files: json-glib behind a check of everything it is fed, and members that are written only
 * when there is data and read without trust. Any thread. */

#pragma once

#include <json-glib/json-glib.h>

typedef enum { JANK_JSON_COMPACT, JANK_JSON_PRETTY } JankJsonLayout;

/* Returns: (transfer full): the tree of one JSON object whose "schema" is name-major; JANK_ERROR_INVALID
 * for anything else, JANK_ERROR_VERSION for the same name with another major number. */
JsonNode   *jank_json_parse         (const char *text, gsize n_bytes, const char *schema, GError **error);

/* Returns: (transfer full) */
char       *jank_json_generate      (JsonNode *node, JankJsonLayout layout);

/* Returns: (transfer none): owned by the node or array it was added to */
JsonObject *jank_json_add_object    (JsonObject *self, const char *name);
JsonArray  *jank_json_add_array     (JsonObject *self, const char *name);
JsonObject *jank_json_append_object (JsonArray *self);

/* NULL adds nothing; text that is not UTF-8 is repaired, since JSON has no other strings. */
void        jank_json_add_text      (JsonObject *self, const char *name, const char *text);
/* A negative number adds nothing. */
void        jank_json_add_count     (JsonObject *self, const char *name, gint64 n);
void        jank_json_add_share     (JsonObject *self, const char *name, double share);
/* A number that is not negative; anything else is 0. */
void        jank_json_add_number    (JsonObject *self, const char *name, double number);
/* RFC 3339 in local time, with microseconds. */
void        jank_json_add_time      (JsonObject *self, const char *name, gint64 real_us);

/* Every reader takes NULL for the object and answers with nothing, a fallback or the nearest value in
 * bounds when the member is missing or is not what it should be. */
JsonObject *jank_json_get_object    (JsonObject *self, const char *name);
JsonArray  *jank_json_get_array     (JsonObject *self, const char *name);
JsonObject *jank_json_get_element   (JsonArray *self, guint i);
const char *jank_json_get_text      (JsonObject *self, const char *name);
char       *jank_json_dup_text      (JsonObject *self, const char *name);
gint64      jank_json_get_int       (JsonObject *self, const char *name, gint64 min, gint64 max, gint64 fallback);
gint64      jank_json_get_count     (JsonObject *self, const char *name);
double      jank_json_get_share     (JsonObject *self, const char *name);
double      jank_json_get_number    (JsonObject *self, const char *name, double max);
gboolean    jank_json_get_boolean   (JsonObject *self, const char *name);
gint64      jank_json_get_time      (JsonObject *self, const char *name);
gboolean    jank_json_node_to_int   (JsonNode *node, gint64 *ret_n);

/* Largest number that any of our counts may have: sums of two still fit. */
#define JANK_JSON_MAX_COUNT (G_MAXINT64 / 2)

/* The local time zone, read from the environment once: getenv() on the watcher thread would race with
 * setenv() of the program. Called first where a monitor or store is made. */
GTimeZone  *jank_json_time_zone     (void);
