/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "javascript/jank-engine-private.h"

#include <string.h>

/* The source's file: the path if the engine has a file URI. (transfer full) */
static char *
jank_javascript_text_to_file (const char *name)
{
  char *path = g_str_has_prefix (name, "file://") ? g_filename_from_uri (name, NULL, NULL) : NULL;
  char *valid = path != NULL ? g_utf8_make_valid (path, -1) : g_strdup (name);

  g_free (path);
  return valid;
}

gboolean
jank_javascript_text_add (JankScripts *scripts, const char *name, const char *file, guint line, JankCall *ret_call)
{
  gsize n_name = strlen (name) - (g_str_has_suffix (name, "()") ? strlen ("()") : 0);
  g_autofree char *function = n_name > 0 ? g_strndup (name, n_name) : g_strdup ("anonymous"),
      *path = jank_javascript_text_to_file (file);
  JankScript script = { .language = "javascript", .name = function, .file = path };

  return jank_scripts_add (scripts, &script, line, ret_call);
}

/* line: writable, ends in NUL. */
static gboolean
jank_javascript_text_read_line (char *line, JankScripts *scripts, JankCall *ret_call)
{
  char *name = line + strspn (line, "0123456789"), *file = g_strrstr (line, " [\""), *place = g_strrstr (line, "\":");

  if (name == line || *name != ' ' || file == NULL || place == NULL || place < file + strlen (" [\""))
    return FALSE;
  *file = *place = '\0';
  return jank_javascript_text_add (scripts, name + 1, file + strlen (" [\""),
                                   (guint) g_ascii_strtoull (place + strlen ("\":"), NULL, 10), ret_call);
}

guint
jank_javascript_text_read (const char *text, gsize n_bytes, JankScripts *scripts, JankCall *ret_calls, guint max)
{
  g_autofree char *valid = g_utf8_make_valid (text, (gssize) n_bytes);
  guint n = 0;

  for (char *line = valid, *end; (end = strchr (line, '\n')) != NULL && n < max; line = end + 1)
    {
      *end = '\0';
      n += jank_javascript_text_read_line (line, scripts, &ret_calls[n]);
    }
  return n;
}
