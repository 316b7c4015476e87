/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/jank-json-text-private.h"

#include <math.h>
#include <string.h>

#include "base/jank-text-clean-private.h"

/* In quotes. */
static void
jank_json_put_quoted (GString *self, const char *text)
{
  g_string_append_c (self, '"');
  for (; text != NULL && *text != '\0'; text++)
    if ((guchar) *text < ' ')
      g_string_append_printf (self, "\\u%04x", (guint) *text);
    else
      g_string_append_printf (self, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  g_string_append_c (self, '"');
}

void
jank_json_put (GString *self, const char *format, ...)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  double n;
  va_list values;

  if (self->len > 0 && strchr ("{[:", self->str[self->len - 1]) == NULL && strchr ("}]", *format) == NULL)
    g_string_append_c (self, ',');
  va_start (values, format);
  for (const char *at = format; *at != '\0'; at++)
    if (*at != '%')
      g_string_append_c (self, *at == '\'' ? '"' : *at);
    else if (*++at == 's')
      jank_json_put_quoted (self, va_arg (values, const char *));
    else if (*at == 'd')
      g_string_append (self, va_arg (values, gboolean) ? "true" : "false");
    else if (*at == 'g')
      {
        n = va_arg (values, double);
        g_string_append (self, g_ascii_dtostr (number, sizeof number, isfinite (n) ? n : 0.0));
      }
    else
      g_string_append_printf (self, *++at == 'x' ? "%lx" : "%li", va_arg (values, long));
  va_end (values);
}

void
jank_json_put_text (GString *self, const char *name, const char *text)
{
  g_autofree char *clean = text != NULL && *text != '\0' ? jank_text_clean (text) : NULL;

  if (clean != NULL)
    jank_json_put (self, "%s:%s", name, clean);
}
