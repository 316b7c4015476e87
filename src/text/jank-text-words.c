/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Quantities and names, as the sentence on a report says them. Widths are those of terminal cells: a wide East Asian
 * character takes two, a combining mark none. */

#include "text/jank-text-sentence-private.h"

#include <limits.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-text-clean-private.h"
#include "symbols/jank-function-name-private.h"

char *
jank_text_duration (gint64 duration_ns)
{
  gint64 seconds = (duration_ns + JANK_NS_PER_S / 2) / JANK_NS_PER_S;

  if (duration_ns < JANK_NS_PER_MS && duration_ns > 0)
    return g_strdup_printf (_("%d µs"), (gint) (duration_ns / JANK_NS_PER_US));
  if (duration_ns < 10 * JANK_NS_PER_MS && duration_ns % JANK_NS_PER_MS >= JANK_NS_PER_MS / 20)
    return g_strdup_printf (_("%.1f ms"), (double) duration_ns / JANK_NS_PER_MS);
  if (duration_ns < JANK_NS_PER_S)
    return g_strdup_printf (_("%d ms"), (gint) (duration_ns / JANK_NS_PER_MS));
  if (duration_ns < 60 * JANK_NS_PER_S - JANK_NS_PER_S / 2)
    return g_strdup_printf (duration_ns < 10 * JANK_NS_PER_S ? _("%.2f s") : _("%.1f s"),
                            (double) duration_ns / JANK_NS_PER_S);
  if (seconds < 3600)
    return g_strdup_printf (_("%d min %d s"), (gint) (seconds / 60), (gint) (seconds % 60));
  return g_strdup_printf (_("%ld h %d min"), (glong) (seconds / 3600), (gint) (seconds % 3600 / 60));
}

char *
jank_text_share (double share)
{
  return g_strdup_printf (_("%d %%"), (gint) (share * 100.0 + 0.5));
}

char *
jank_text_file_name (const char *path)
{
  return jank_text_cut (jank_text_or_empty (jank_report_shorten_path (path)), NAME_MAX);
}

#define SHORT_COLUMNS 48

char *
jank_text_short_path (const char *path)
{
  const char *text = jank_text_or_empty (path), *from = text + strlen (text);

  if (jank_text_width (text) <= SHORT_COLUMNS)
    return g_strdup (text);
  if (strchr (text, '/') == NULL)
    {
      g_autofree char *begin = g_utf8_substring (text, 0, SHORT_COLUMNS - 1);

      return g_strconcat (begin, "…", NULL);
    }

  /* As many of the last parts as fit, and at least the last one. */
  for (const char *slash = strrchr (text, '/'); slash != NULL; slash = g_strrstr_len (text, slash - text, "/"))
    {
      if (*from != '\0' && jank_text_width (slash) >= SHORT_COLUMNS)
        break;
      from = slash;
    }
  return g_strconcat ("…", from, NULL);
}

void
jank_text_append_item (GString *list, const char *item)
{
  /* Translators: what is before one more item of a list, and that item. */
  g_autofree char *longer = list->len > 0 ? g_strdup_printf (C_("list", "%s, %s"), list->str, item) : g_strdup (item);

  g_string_assign (list, longer);
}

guint
jank_text_cell_width (gunichar c)
{
  if (c < 0x80)
    return 1;
  return g_unichar_iszerowidth (c) ? 0 : g_unichar_iswide (c) ? 2 : 1;
}

guint
jank_text_width (const char *text)
{
  guint n = 0;

  for (; *text != '\0'; text = g_utf8_next_char (text))
    n += jank_text_cell_width (g_utf8_get_char (text));
  return n;
}

char *
jank_text_function (JankReport *report, guint call)
{
  g_autofree char *symbol = jank_report_call_to_text (report, call);

  return jank_function_name (symbol);
}

char *
jank_text_name_function (JankReport *report, guint call, const char *function)
{
  g_autofree char *frame = jank_function_name (JANK_FUNCTION_FRAME);
  const JankReportCall *named = call < report->calls->len ? g_ptr_array_index (report->calls, call) : NULL;
  /* A gist has no calls: "handler of …", "callback of …", "method of …". */
  gboolean is_function = strstr (function, " of ") == NULL && strcmp (function, frame) != 0 &&
                         (named == NULL || (named->name_from != JANK_NAME_FROM_CALLER &&
                                            named->name_from != JANK_NAME_FROM_COLLECTOR));

  return g_strconcat (function, is_function ? "()" : NULL, NULL);
}

char *
jank_text_taker (JankReport *report)
{
  const JankReportVerdict *verdict = report->verdict;
  g_autofree char *place = NULL;

  if (verdict == NULL || verdict->waker.function == NULL)
    return NULL;
  place = jank_text_at (report, verdict->waker.function, verdict->waker.file, verdict->waker.line);
  /* Translators: a function that took a lock, or called the one that waits for it, which may have locked it before. */
  return verdict->waker.direct ? g_strdup_printf (_("%s (or locked twice)"), place) : g_steal_pointer (&place);
}

char *
jank_text_at (JankReport *report, const char *function, const char *file, guint line)
{
  g_autofree char *name = jank_function_name (function), *base = jank_text_file_name (file), *named = NULL;

  if (strstr (name, "+0x") != NULL || g_str_has_prefix (name, "0x"))
    return g_steal_pointer (&name);
  named = jank_text_name_function (report, G_MAXUINT, name);
  return *base != '\0' && line > 0 ? g_strdup_printf ("%s (%s:%u)", named, base, line) : g_steal_pointer (&named);
}
