/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "store/jank-day-count-private.h"

#include <string.h>

#include "store/jank-folder-private.h"
#include "report/jank-json-private.h"

#define SCHEMA "jankwatch-day-1"
#define HASH_LENGTH 16
#define MAX_FILES 100

static gboolean
is_file_name (const char *name)
{
  return strlen (name) == HASH_LENGTH && strspn (name, "0123456789abcdef") == HASH_LENGTH;
}

static char *
get_file_name (const char *program)
{
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, program, -1);

  return g_strndup (hash, HASH_LENGTH);
}

guint
jank_day_count_read (const char *store_folder, const char *program, guint day)
{
  g_autofree char *folder = g_build_filename (store_folder, "days", NULL);
  g_autofree char *name = get_file_name (program);
  gsize n_bytes = 0;
  g_autofree char *text = jank_folder_read (folder, name, &n_bytes, NULL);
  g_autoptr (JsonNode) node = text != NULL ? jank_json_parse (text, n_bytes, SCHEMA, NULL) : NULL;
  JsonObject *root = node != NULL ? json_node_get_object (node) : NULL;

  if (jank_json_get_int (root, "day", 0, G_MAXINT, 0) != day)
    return 0;
  return (guint) jank_json_get_int (root, "count", 0, G_MAXINT, 0);
}

guint
jank_day_count_add (const char *store_folder, const char *program, guint day, guint n, GError **error)
{
  g_autofree char *folder = g_build_filename (store_folder, "days", NULL);
  g_autofree char *name = get_file_name (program);
  guint n_before = jank_day_count_read (store_folder, program, day);
  guint n_after = n_before + MIN (n, G_MAXINT - n_before);
  JsonObject *root = json_object_new ();
  g_autoptr (JsonNode) node = json_node_init_object (json_node_alloc (), root);
  g_autofree char *text = NULL;

  jank_json_add_text (root, "schema", SCHEMA);
  jank_json_add_count (root, "day", day);
  jank_json_add_count (root, "count", n_after);
  json_object_unref (root);
  text = jank_json_generate (node, JANK_JSON_COMPACT);
  if (!jank_folder_write (folder, name, text, strlen (text), error))
    return 0;
  if (n_before == 0)
    jank_folder_trim (folder, is_file_name, name, MAX_FILES, G_MAXUINT64);
  return n_after;
}

guint
jank_day_of (gint64 real_us)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_utc (real_us / G_USEC_PER_SEC);

  if (time == NULL)
    return 0;
  return (guint) (g_date_time_get_year (time) * 10000 + g_date_time_get_month (time) * 100 +
                  g_date_time_get_day_of_month (time));
}
