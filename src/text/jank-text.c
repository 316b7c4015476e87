/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "text/jank-text-private.h"

#include <string.h>
#include <time.h>

#include <glib/gi18n-lib.h>

#include "json/jank-json-private.h"
#include "report/jank-report-private.h"
#include "text/jank-text-report-private.h"

gboolean
jank_text_contains (const char *text, const char *folded)
{
  g_autofree char *valid = g_utf8_make_valid (jank_text_or_empty (text), -1);
  g_autofree char *own = g_utf8_casefold (valid, -1);

  return strstr (own, folded) != NULL;
}

#define YEAR_1_S     G_GINT64_CONSTANT (-62135596800)
#define YEAR_10000_S G_GINT64_CONSTANT (253402300800)

/* A long list has many: GDateTime takes ten times as long. */
char *
jank_text_time (gint64 real_us)
{
  GTimeZone *zone = jank_json_time_zone ();
  time_t utc_s = real_us / G_USEC_PER_SEC;
  gint interval = g_time_zone_find_interval (zone, G_TIME_TYPE_UNIVERSAL, utc_s);
  time_t local_s = utc_s + (interval >= 0 ? g_time_zone_get_offset (zone, interval) : 0);
  struct tm tm;

  if (MIN (utc_s, local_s) < YEAR_1_S || MAX (utc_s, local_s) >= YEAR_10000_S || gmtime_r (&local_s, &tm) == NULL)
    return g_strdup ("?");
  return g_strdup_printf ("%04d-%02d-%02d %02d:%02d:%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
                          tm.tm_min, tm.tm_sec);
}

#define BUILD_ID_BYTES 32
#define BUILD_ID_SHOWN 12

char *
jank_text_version (const char *version)
{
  gsize n = strlen (version = jank_text_or_empty (version));

  return g_strndup (version, n >= BUILD_ID_BYTES && strspn (version, "0123456789abcdef") == n ? BUILD_ID_SHOWN : n);
}

char *
jank_text_bytes (gint64 n_bytes)
{
  g_autofree char *text = g_format_size_full ((guint64) MAX (n_bytes, 0), G_FORMAT_SIZE_IEC_UNITS);
  g_auto (GStrv) parts = g_strsplit (text, "\u00a0", -1); /* a blank that some terminals do not have */

  return g_strjoinv (" ", parts);
}

char *
jank_text_join (const GPtrArray *texts, char *(*say) (const char *text))
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < texts->len; i++)
    {
      g_autofree char *text = say (g_ptr_array_index (texts, i));

      jank_text_append_item (list, text);
    }
  return g_string_free (g_steal_pointer (&list), FALSE);
}

void
jank_text_append (GString *out, const JankTextStyle *style, const char *text, const char *sgr)
{
  if (style->color && sgr != NULL && *text != '\0')
    g_string_append_printf (out, "\033[%sm%s\033[0m", sgr, text);
  else
    g_string_append (out, text);
}

/* “org.gnome.TextEditor”, “package.module.Class.method”: three words or more. */
static gboolean
is_dotted_name (const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, ".", -1);

  for (guint i = 0; words[i] != NULL; i++)
    if ((!g_ascii_isalpha (words[i][0]) && words[i][0] != '_') ||
        words[i][strspn (words[i], G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_-")] != '\0')
      return FALSE;
  return g_strv_length (words) >= 3;
}

/* Of a dotted name the end tells: its first words go before any other. Returns: (transfer full): text in at most
 * n_columns */
static char *
cut (const JankTextStyle *style, const char *text, guint n_columns)
{
  const char *mark = style->ascii ? "..." : "…";
  guint room = n_columns, n = 0;
  const char *at = text;

  if (jank_text_width (text) <= n_columns)
    return g_strdup (text);
  if (n_columns < jank_text_width (mark))
    return g_strdup ("");

  room -= jank_text_width (mark);
  if (is_dotted_name (text))
    {
      while (jank_text_width (text) > room && strchr (text, '.') != NULL)
        text = strchr (text, '.') + 1;
      if (jank_text_width (text) <= room)
        return g_strconcat (mark, text, NULL);
      at = text;
    }
  while (n + jank_text_cell_width (g_utf8_get_char (at)) <= room)
    {
      n += jank_text_cell_width (g_utf8_get_char (at));
      at = g_utf8_next_char (at);
    }
  return g_strdup_printf ("%.*s%s", (gint) (at - text), text, mark);
}

void
jank_text_append_blanks (GString *out, guint n)
{
  gsize len = out->len;

  g_string_set_size (out, len + n);
  memset (out->str + len, ' ', n);
}

void
jank_text_append_left (GString *out, const JankTextStyle *style, const char *text, guint n_columns, const char *sgr)
{
  g_autofree char *shown = cut (style, text, n_columns);

  jank_text_append (out, style, shown, sgr);
  jank_text_append_blanks (out, n_columns - jank_text_width (shown));
}

void
jank_text_append_right (GString *out, const JankTextStyle *style, const char *text, guint n_columns, const char *sgr)
{
  g_autofree char *shown = cut (style, text, n_columns);

  jank_text_append_blanks (out, n_columns - jank_text_width (shown));
  jank_text_append (out, style, shown, sgr);
}

void
jank_text_append_bar (GString *out, const JankTextStyle *style, double share, guint n_columns, const char *sgr)
{
  static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
  guint steps = style->ascii ? 1 : 8;
  guint n = (guint) (CLAMP (share, 0.0, 1.0) * n_columns * steps + 0.5);
  g_autoptr (GString) bar = g_string_new (NULL);

  if (share > 0.0)
    n = MAX (n, 1);
  for (guint i = 0; i < n / steps; i++)
    g_string_append (bar, style->ascii ? "#" : "█");
  g_string_append (bar, eighths[style->ascii ? 0 : n % steps]);
  jank_text_append_left (out, style, bar->str, n_columns, sgr);
}

void
jank_text_make_ascii (GString *text)
{
  static const struct { const char *mark, *ascii; } marks[] = {
    { "‘", "'" }, { "’", "'" }, { "“", "\"" }, { "”", "\"" }, { "…", "..." }, { "→", "->" }, { "×", "x" },
    { "└─", "`-" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    g_string_replace (text, marks[i].mark, marks[i].ascii, 0);
}

void
jank_text_add_title (GString *out, const JankTextStyle *style, const char *title)
{
  g_string_append_c (out, '\n');
  jank_text_append (out, style, title, JANK_TEXT_BOLD);
  g_string_append_c (out, '\n');
}

void
jank_text_end_line (GString *out)
{
  gsize len = out->len;

  while (len > 0 && out->str[len - 1] == ' ')
    len--;
  g_string_truncate (out, len);
  g_string_append_c (out, '\n');
}

/* Where a line may break without a space: beside an ideograph, unless the next character closes, or the one before
 * opens something (UAX #14, rules 13, 14 and 31). */
static gboolean
may_break (gunichar before, gunichar after)
{
  GUnicodeBreakType from = g_unichar_break_type (before), to = g_unichar_break_type (after);

  if (from != G_UNICODE_BREAK_IDEOGRAPHIC && to != G_UNICODE_BREAK_IDEOGRAPHIC &&
      from != G_UNICODE_BREAK_CLOSE_PUNCTUATION)
    return FALSE;
  return to != G_UNICODE_BREAK_CLOSE_PUNCTUATION && to != G_UNICODE_BREAK_EXCLAMATION &&
         to != G_UNICODE_BREAK_NON_STARTER &&
         to != G_UNICODE_BREAK_QUOTATION && to != G_UNICODE_BREAK_INFIX_SEPARATOR && to != G_UNICODE_BREAK_SYMBOL &&
         from != G_UNICODE_BREAK_OPEN_PUNCTUATION && from != G_UNICODE_BREAK_QUOTATION;
}

/* Steps to the end of what must stay on one line. */
static const char *
skip_word (const char *text)
{
  gunichar before;

  while (*text != '\0' && *text != ' ')
    {
      before = g_utf8_get_char (text);
      text = g_utf8_next_char (text);
      if (*text != '\0' && *text != ' ' && may_break (before, g_utf8_get_char (text)))
        break;
    }
  return text;
}

void
jank_text_append_wrapped (GString *out, const JankTextStyle *style, const char *text, guint column, guint indent,
                          const char *sgr)
{
  g_autoptr (GString) line = g_string_new (NULL);
  gboolean is_first = TRUE;

  while (*text != '\0' || is_first)
    {
      gboolean spaced = !is_first && *text == ' ';
      const char *begin = spaced ? text + 1 : text, *end = skip_word (begin);
      g_autofree char *word = g_strndup (begin, (gsize) (end - begin));
      guint n = jank_text_width (word);

      if (!is_first && column + spaced + n > style->n_columns)
        {
          jank_text_append (out, style, line->str, sgr);
          jank_text_end_line (out);
          jank_text_append_blanks (out, indent);
          g_string_assign (line, word);
          column = indent + n;
        }
      else
        {
          g_string_append_printf (line, "%s%s", spaced ? " " : "", word);
          column += spaced + n;
        }
      text = end;
      is_first = FALSE;
    }
  jank_text_append (out, style, line->str, sgr);
  jank_text_end_line (out);
}

const char *
jank_text_state (JankThreadState state)
{
  switch (state)
    {
    case JANK_STATE_COMPUTING:  return C_("state", "computing");
    case JANK_STATE_PREEMPTED:  return C_("state", "without CPU");
    case JANK_STATE_PAGE_FAULT: return C_("state", "page faults");
    case JANK_STATE_BLOCKED:    return C_("state", "waiting");
    case JANK_STATE_UNKNOWN:
    default:                    return C_("state", "unknown");
    }
}

char *
jank_text_state_doing (JankReport *report, JankThreadState state, const JankReportWait *wait)
{
  if (wait != NULL)
    return jank_text_wait (report, wait);
  return g_strdup (state != JANK_STATE_UNKNOWN ? jank_text_state (state) : "");
}

const char *
jank_text_state_sgr (JankThreadState state)
{
  switch (state)
    {
    case JANK_STATE_COMPUTING:  return JANK_TEXT_YELLOW;
    case JANK_STATE_PREEMPTED:  return JANK_TEXT_RED;
    case JANK_STATE_PAGE_FAULT: return JANK_TEXT_RED;
    case JANK_STATE_BLOCKED:    return JANK_TEXT_BLUE;
    case JANK_STATE_UNKNOWN:
    default:                    return JANK_TEXT_DIM;
    }
}

char *
jank_text_frame_over (gint64 over_ns, gint64 busiest_ns, JankFramePhase busiest)
{
  g_autofree char *over = jank_text_duration (over_ns);

  if (over_ns <= 0)
    return NULL;
  if (busiest_ns < over_ns)
    /* Translators: a time. */
    return g_strdup_printf (_("on time with %s less work"), over);
  if (busiest == JANK_FRAME_BETWEEN)
    /* Translators: a time. */
    return g_strdup_printf (_("on time with %s less between frames"), over);
  /* Translators: a time, and a phase of the frame clock. */
  return g_strdup_printf (_("on time with %s less in %s"), over, jank_frame_phase_nicks[busiest]);
}
