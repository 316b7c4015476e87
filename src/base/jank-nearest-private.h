/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which of the words that there are was meant by one that is none of them. Any thread. */

#pragma once

#include <glib.h>

/* words: NULL-terminated. Returns: (transfer none) (nullable): none is near */
const char *jank_nearest_find    (const char *text, const char *const *words);

/* words (nullable): there are none. Returns: (transfer full): sentence, which ends without a stop, with a question
 * behind it if one is near */
char       *jank_nearest_explain (const char *sentence, const char *text, const char *const *words);
