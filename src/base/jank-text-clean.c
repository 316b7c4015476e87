/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-text-clean-private.h"

#include <string.h>

static gboolean
jank_text_clean_is_shown (gunichar c)
{
  switch (g_unichar_type (c))
    {
    case G_UNICODE_FORMAT:
      return c == 0x200c || c == 0x200d; /* that keep letters apart or join emoji */
    case G_UNICODE_CONTROL:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
      return FALSE;
    default:
      return TRUE;
    }
}

/* Whether what is at text is to be shown; ret_n_bytes: of it. */
static gboolean
jank_text_clean_look (const char *text, gsize *ret_n_bytes)
{
  gunichar c = g_utf8_get_char_validated (text, -1);
  gboolean is_valid = c < (gunichar) -2;

  *ret_n_bytes = is_valid ? (gsize) (g_utf8_next_char (text) - text) : 1;
  return is_valid && jank_text_clean_is_shown (c);
}

static const char *
jank_text_clean_skip_plain (const char *text)
{
  while (*text >= ' ' && *text < 0x7f)
    text++;
  return text;
}

/* Most texts are plain. */
void
jank_text_clean_in_place (char *text)
{
  const char *at = jank_text_clean_skip_plain (text);
  char *to = (char *) at;

  for (gsize n; *at != '\0'; at += n)
    if (jank_text_clean_look (at, &n))
      {
        memmove (to, at, n);
        to += n;
      }
    else
      *to++ = '?';
  *to = '\0';
}

char *
jank_text_clean (const char *text)
{
  char *copy = g_strdup (text != NULL ? text : "");

  jank_text_clean_in_place (copy);
  return copy;
}

char *
jank_text_cut (const char *text, gsize n_bytes)
{
  const char *end = text + n_bytes - strlen ("…") + 1;

  if (strnlen (text, n_bytes + 1) <= n_bytes)
    return g_strdup (text);
  end = g_utf8_find_prev_char (text, end);
  return g_strdup_printf ("%.*s…", (int) (end - text), text);
}

gboolean
jank_text_is_clean (const char *text, gboolean lines)
{
  gsize n;

  for (text = jank_text_clean_skip_plain (text); *text != '\0'; text = jank_text_clean_skip_plain (text + n))
    if (!jank_text_clean_look (text, &n) && !(lines && *text == '\n'))
      return FALSE;
  return TRUE;
}

char *
jank_text_from_bits (const guint8 *bits, gsize n_bytes)
{
  GString *text = n_bytes > 0 ? g_string_sized_new (2 * n_bytes) : NULL;

  for (gsize i = 0; i < n_bytes; i++)
    g_string_append_printf (text, "%02x", bits[i]);
  return text != NULL ? g_string_free (text, FALSE) : NULL;
}
