/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pieces of text for people: quantities, columns, bars, colours. Pure; any thread. What a report or a
 * session says is clean, so that no file can send commands to a terminal: jank_table_clean(). */

#pragma once

#include <glib.h>

typedef struct
{
  guint    n_columns; /* of the terminal */
  gboolean color;     /* the terminal may be sent SGR sequences */
  gboolean ascii;     /* the terminal shows no UTF-8: bars and marks without it */
  gboolean native;    /* also an interpreter's own calls, and all of libraries */
  gboolean brief;     /* few calls: from the dispatch inward, and of libraries only what the program calls */
} JankTextStyle;

#define JANK_TEXT_BOLD   "1"
#define JANK_TEXT_DIM    "2"
#define JANK_TEXT_RED    "31"
#define JANK_TEXT_YELLOW "33"
#define JANK_TEXT_BLUE   "34"

/* "850 µs", "85 ms", "1.24 s", "2 min 3 s", "3 h 20 min". Returns: (transfer full) */
char *jank_text_duration      (gint64 duration_ns);
/* "97 %". Returns: (transfer full) */
char *jank_text_share         (double share);
/* Local time: "2026-11-21 15:30:12". Returns: (transfer full) */
char *jank_text_time          (gint64 real_us);
/* As jank_report_shorten_path(); "" for NULL. Returns: (transfer full) */
char *jank_text_file_name     (const char *path);
/* A path that is long, also a relative one, is cut to its last parts: "…/cache/thumbs.db"; other text that is long
 * to its beginning: "org.example.A…". Returns: (transfer full) */
char *jank_text_short_path    (const char *path);
/* A program's version; of a build-id its beginning. Returns: (transfer full) */
char *jank_text_version       (const char *version);
/* "61 MiB". Returns: (transfer full) */
char *jank_text_bytes         (gint64 n_bytes);

/* One more item of a list within a line: "a, b, c". */
void  jank_text_append_item   (GString *list, const char *item);

/* All texts as such a list, each by say(). Returns: (transfer full) */
char *jank_text_join          (const GPtrArray *texts, char *(*say) (const char *text));

static inline const char *
jank_text_or_empty (const char *text)
{
  return text != NULL ? text : "";
}

/* Whether text (nullable) has folded in it: of g_utf8_casefold(). */
gboolean jank_text_contains (const char *text, const char *folded);

/* Columns of a terminal. */
guint jank_text_width         (const char *text);
guint jank_text_cell_width    (gunichar c);

/* Appends text in exactly n_columns: padded on its right, or on its left, or cut with "…", a
 * dotted name at its beginning. sgr (nullable):
 * one of the above. */
void  jank_text_append_left   (GString *out, const JankTextStyle *style, const char *text, guint n_columns,
                               const char *sgr);
void  jank_text_append_right  (GString *out, const JankTextStyle *style, const char *text, guint n_columns,
                               const char *sgr);
void  jank_text_append_blanks (GString *out, guint n);
/* No padding and no cut. */
void  jank_text_append        (GString *out, const JankTextStyle *style, const char *text, const char *sgr);
/* A bar of share (0..1) in n_columns. */
void  jank_text_append_bar    (GString *out, const JankTextStyle *style, double share, guint n_columns,
                               const char *sgr);
/* The marks of our own sentences, quotes and arrows, as a terminal without UTF-8 shows them. */
void  jank_text_make_ascii    (GString *text);
/* A blank line, and one for the title of what follows. */
void  jank_text_add_title     (GString *out, const JankTextStyle *style, const char *title);
/* Removes blanks at the end and begins a new line. */
void  jank_text_end_line      (GString *out);
/* Words of text from the current column on, wrapped before n_columns; further lines begin at indent. */
void  jank_text_append_wrapped (GString *out, const JankTextStyle *style, const char *text, guint column, guint indent,
                                const char *sgr);
