/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any thread; no files. */

#include "json/jank-json-private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/jank-error.h"
#include "base/jank-text-clean-private.h"

/* How json-glib calls what is in memory. */
#define NO_FILE "<data>:"

/* Outside strings */
#define JSON_CHARACTERS " \t\r\n[]{},:+-.0123456789eEaflnrstu"

GTimeZone *
jank_json_time_zone (void)
{
  static gsize zone;

  if (g_once_init_enter (&zone))
    g_once_init_leave (&zone, (gsize) g_time_zone_new_local ());
  return (GTimeZone *) zone;
}

static gboolean G_GNUC_PRINTF (2, 3)
refuse (GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_propagate_error (error, g_error_new_valist (JANK_ERROR, JANK_ERROR_INVALID, format, args));
  va_end (args);
  return FALSE;
}

/* Whether a first half of a surrogate pair is followed by an escape that is no second half: json-glib leaks it. */
static gboolean
jank_json_breaks_pair (const char *escape, const char *end)
{
  return *escape == '\\' && end - escape >= 12 && g_ascii_strncasecmp (escape, "\\ud",
                                                                       3) == 0 && strchr ("89abAB",
                                                                                          escape[3]) != NULL &&
         escape[6] == '\\' && escape[7] == 'u' &&
         (g_ascii_tolower (escape[8]) != 'd' || strchr ("cdefCDEF", escape[9]) == NULL);
}

/* json-glib recurses without bound, and reads more than JSON: comments, single quotes, which would hide a bracket. */
static gboolean
jank_json_check (const char *text, gsize n_bytes, GError **error)
{
  gboolean in_string = FALSE;
  gint depth = 0, n_values = 1, n_colons[JANK_JSON_MAX_DEPTH + 2] = { 0 };
  gboolean allowed[256] = { FALSE };
  const char *at;

  for (at = JSON_CHARACTERS; *at != '\0'; at++)
    allowed[(guchar) *at] = TRUE;

  if (n_bytes > JANK_JSON_MAX_BYTES)
    return refuse (error, _("it is longer than %d MiB"), JANK_JSON_MAX_BYTES / (1024 * 1024));
  if (!g_utf8_validate_len (text, n_bytes, &at))
    return refuse (error, _("it is not UTF-8 at byte %lu"), (gulong) (at - text));

  for (at = text; at < text + n_bytes; at++)
    {
      /* One object, or json-glib leaks all but the last. */
      if (depth == 0 && !g_ascii_isspace (*at) && (*at != '{' || n_values > 1))
        return refuse (error, _("it is not JSON at byte %lu"), (gulong) (at - text));
      else if (*at == '"')
        in_string = !in_string;
      else if (in_string && jank_json_breaks_pair (at, text + n_bytes))
        return refuse (error, _("it is not JSON at byte %lu"), (gulong) (at - text));
      else if (in_string)
        at += *at == '\\' && at + 1 < text + n_bytes;
      else if (!allowed[(guchar) *at])
        return refuse (error, _("it is not JSON at byte %lu"), (gulong) (at - text));
      else
        {
          depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
          n_values += *at == '[' || *at == '{' || *at == ',';
          if (*at == '{')
            n_colons[MAX (depth, 0)] = 0;
          else if (*at == ':' && ++n_colons[MAX (depth, 0)] > JANK_JSON_MAX_MEMBERS)
            return refuse (error, _("it contains an object with more than %d members"), JANK_JSON_MAX_MEMBERS);
        }

      if (depth > JANK_JSON_MAX_DEPTH)
        return refuse (error, _("it is nested deeper than %d levels"), JANK_JSON_MAX_DEPTH);
      if (n_values > JANK_JSON_MAX_VALUES)
        return refuse (error, _("it contains more than %d values"), JANK_JSON_MAX_VALUES);
    }
  return TRUE;
}

/* Returns: where the string that begins at text ends, after its quote */
static char *
jank_json_skip_string (char *text, const char *end)
{
  for (text++; text < end && *text != '"'; text++)
    text += *text == '\\';
  return text + 1;
}

gsize
jank_json_strip (char *text, gsize n_bytes, const char *const *names)
{
  const char *end = text + n_bytes;
  char *to = text, *kept = text, *member = NULL;
  gint depth = 0;

  for (char *at = text; at < end;)
    {
      if (*at == '"')
        {
          char *name = at;

          at = jank_json_skip_string (at, end);
          if (depth != 1 || member != NULL || at >= end || *at != ':')
            continue;
          for (guint i = 0; names[i] != NULL && member == NULL; i++)
            if (strlen (names[i]) == (gsize) (at - name) - 2 && memcmp (names[i], name + 1, strlen (names[i])) == 0)
              member = name;
          continue;
        }
      depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
      if (depth == 1 && *at == ',' && member != NULL)
        {
          memmove (to, kept, (gsize) (member - kept));
          to += member - kept;
          kept = at + 1;
          member = NULL;
        }
      at++;
    }
  memmove (to, kept, (gsize) (end - kept));
  return (gsize) (to - text) + (gsize) (end - kept);
}

static gboolean
jank_json_check_schema (JsonObject *object, const char *schema, GError **error)
{
  const char *found = jank_json_get_text (object, "schema");
  gsize n_name = (gsize) (strrchr (schema, '-') - schema) + 1;

  if (found == NULL || strncmp (found, schema, n_name) != 0)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("it is not marked as ‘%s’"), schema);
      return FALSE;
    }
  if (strcmp (found, schema) != 0)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_VERSION,
                   _("its version is ‘%s’ and this jankwatch reads ‘%s’"), found, schema);
      return FALSE;
    }
  return TRUE;
}

JsonNode *
jank_json_parse (const char *text, gsize n_bytes, const char *schema, GError **error)
{
  g_autoptr (JsonParser) parser = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GError) local_error = NULL;

  if (!jank_json_check (text, n_bytes, error))
    return NULL;

  parser = json_parser_new ();
  if (!json_parser_load_from_data (parser, text, (gssize) n_bytes, &local_error))
    {
      const char *message = local_error->message;

      g_set_error_literal (error, JANK_ERROR, JANK_ERROR_INVALID,
                           g_str_has_prefix (message, NO_FILE) ? message + strlen (NO_FILE) : message);
      return NULL;
    }

  root = json_parser_steal_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("it is not a JSON object"));
      return NULL;
    }
  if (schema != NULL && !jank_json_check_schema (json_node_get_object (root), schema, error))
    return NULL;

  return g_steal_pointer (&root);
}

char *
jank_json_generate (JsonNode *node, JankJsonLayout layout)
{
  g_autoptr (JsonGenerator) generator = json_generator_new ();

  json_generator_set_root (generator, node);
  json_generator_set_pretty (generator, layout == JANK_JSON_PRETTY);
  return json_generator_to_data (generator, NULL);
}

void
jank_json_prepare (void)
{
  static const char text[] = "{\"schema\":\"prepare-1\",\"values\":[0]}";
  g_autoptr (JsonNode) node = jank_json_parse (text, strlen (text), "prepare-1", NULL);
  g_autofree char *again = jank_json_generate (node, JANK_JSON_COMPACT);
  g_autofree char *time = jank_json_time_to_text (0);

  (void) jank_json_time_from_text (time);
}

void
jank_json_add_text (JsonObject *self, const char *name, const char *text)
{
  g_autofree char *clean = NULL;

  if (text == NULL)
    return;
  clean = jank_text_clean (text);
  json_object_set_string_member (self, name, clean);
}

char *
jank_json_time_to_text (gint64 real_us)
{
  g_autoptr (GDateTime) whole = g_date_time_new_from_unix_utc (real_us / G_USEC_PER_SEC);
  g_autoptr (GDateTime) local = whole != NULL ? g_date_time_to_timezone (whole, jank_json_time_zone ()) : NULL;
  g_autofree char *clock = local != NULL ? g_date_time_format (local, "%Y-%m-%dT%H:%M:%S") : NULL;
  g_autofree char *offset = local != NULL ? g_date_time_format (local, "%:z") : NULL;

  if (clock == NULL || offset == NULL)
    return NULL;
  return g_strdup_printf ("%s.%06d%s", clock, (gint) (real_us % G_USEC_PER_SEC), offset);
}

/* GLib adds a zone for each offset to a table of the process, which would then grow by the watcher's thread. */
gint64
jank_json_time_from_text (const char *text)
{
  const char *clock = text != NULL ? strchr (text, 'T') : NULL;
  const char *offset = clock != NULL ? strpbrk (clock, "+-") : NULL;
  g_autofree char *whole = offset != NULL ? g_strdup_printf ("%.*sZ", (int) (offset - text), text) : g_strdup (text);
  g_autoptr (GDateTime) time = whole != NULL ? g_date_time_new_from_iso8601 (whole, NULL) : NULL;
  guint hours = 0, minutes = 0;
  gint64 offset_us;

  if (time == NULL || (offset != NULL && sscanf (offset + 1, "%2u:%2u", &hours, &minutes) != 2) || hours >= 24 ||
      minutes >= 60)
    return 0;
  offset_us = ((gint64) hours * 60 + minutes) * 60 * G_USEC_PER_SEC * (offset != NULL && offset[0] == '-' ? -1 : 1);
  return MAX (g_date_time_to_unix (time) * G_USEC_PER_SEC + g_date_time_get_microsecond (time) - offset_us, 0);
}

const char *
jank_json_node_to_text (JsonNode *node)
{
  gboolean is_text = node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING;

  return is_text && g_utf8_validate (json_node_get_string (node), -1, NULL) ? json_node_get_string (node) : NULL;
}

const char *
jank_json_get_text (JsonObject *self, const char *name)
{
  return jank_json_node_to_text (json_object_get_member (self, name));
}

gboolean
jank_json_node_to_int (JsonNode *node, gint64 *ret_n)
{
  GType type = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;
  double number;

  if (type == G_TYPE_INT64)
    {
      *ret_n = json_node_get_int (node);
      return TRUE;
    }
  if (type != G_TYPE_DOUBLE)
    return FALSE;

  number = json_node_get_double (node);
  if (isnan (number))
    return FALSE;
  /* 2^63 and beyond do not convert. */
  *ret_n = number >= 9.2e18 ? G_MAXINT64 : number <= -9.2e18 ? G_MININT64 : (gint64) number;
  return TRUE;
}
