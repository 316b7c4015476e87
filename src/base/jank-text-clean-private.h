/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

/* Valid UTF-8 without control characters, so that nothing that a file says can send commands to a terminal; "" for
 * NULL. Any thread. Returns: (transfer full) */
char    *jank_text_clean          (const char *text);
/* Never makes it longer. */
void     jank_text_clean_in_place (char *text);
/* Valid text of at most n_bytes, "…" at its end where it was longer. Returns: (transfer full) */
char    *jank_text_cut            (const char *text, gsize n_bytes);
/* lines: there may be new lines in it */
gboolean jank_text_is_clean       (const char *text, gboolean lines);
/* Lower-case hexadecimal. Returns: (transfer full) (nullable): NULL for no bytes */
char    *jank_text_from_bits      (const guint8 *bits, gsize n_bytes);
