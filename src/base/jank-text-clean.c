/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "base/jank-text-clean-private.h"

#include <string.h>

static gboolean
is_shown (gunichar c)
{
  switch (g_unichar_type (c))
    {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
      return FALSE;
    default:
      return TRUE;
    }
}

char *
jank_text_clean (const char *text)
{
  const char *end = text != NULL ? text : "";
  g_autofree char *valid = NULL;
  GString *out;

  /* Most texts are plain. */
  while (*end >= ' ' && *end < 0x7f)
    end++;
  if (*end == '\0')
    return g_strdup (text != NULL ? text : "");
  valid = g_utf8_make_valid (text, -1);
  out = g_string_sized_new (strlen (valid));

  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at))
    g_string_append_unichar (out, is_shown (g_utf8_get_char (at)) ? g_utf8_get_char (at) : '?');
  return g_string_free (out, FALSE);
}
