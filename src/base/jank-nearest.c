/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* By the number of letters that are missing, too many, wrong or swapped with the next. Case and kind of dash do not
 * count. */

#include "base/jank-nearest-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#define MAX_LETTERS  40
#define MIN_BEGINNING 3 /* so many letters may stand for a word that begins with them */

static char
jank_nearest_fold (char letter)
{
  return letter == '_' ? '-' : g_ascii_tolower (letter);
}

static gboolean
jank_nearest_is_same (const char *text, gsize i, const char *word, gsize k)
{
  return jank_nearest_fold (text[i]) == jank_nearest_fold (word[k]);
}

/* Neither is longer than MAX_LETTERS. */
static guint
jank_nearest_count_mistakes (const char *text, const char *word)
{
  guint rows[3][MAX_LETTERS + 1] = { 0 };
  gsize n_text = strlen (text), n_word = strlen (word);

  for (gsize k = 0; k <= n_word; k++)
    rows[0][k] = (guint) k;
  for (gsize i = 1; i <= n_text; i++)
    {
      guint *row = rows[i % 3], *before = rows[(i + 2) % 3], *two_before = rows[(i + 1) % 3];

      row[0] = (guint) i;
      for (gsize k = 1; k <= n_word; k++)
        {
          row[k] = MIN (before[k - 1] + !jank_nearest_is_same (text, i - 1, word, k - 1),
                        MIN (before[k], row[k - 1]) + 1);
          if (i > 1 && k > 1 && jank_nearest_is_same (text, i - 1, word, k - 2) &&
              jank_nearest_is_same (text, i - 2, word, k - 1))
            row[k] = MIN (row[k], two_before[k - 2] + 1);
        }
    }
  return rows[n_text % 3][n_word];
}

const char *
jank_nearest_find (const char *text, const char *const *words)
{
  gsize n_text = strlen (text);
  guint fewest = n_text < 4 ? 2 : n_text < 8 ? 3 : 4; /* one more than are forgiven */
  const char *found = NULL;

  for (guint i = 0; n_text <= MAX_LETTERS && words[i] != NULL; i++)
    {
      guint n_mistakes = G_MAXUINT;

      if (n_text >= MIN_BEGINNING && g_ascii_strncasecmp (words[i], text, n_text) == 0)
        n_mistakes = 1;
      else if (strlen (words[i]) <= MAX_LETTERS)
        n_mistakes = jank_nearest_count_mistakes (text, words[i]);
      if (n_mistakes >= fewest || n_mistakes >= MIN (n_text, strlen (words[i])))
        continue;
      fewest = n_mistakes;
      found = words[i];
    }
  return found;
}

char *
jank_nearest_explain (const char *sentence, const char *text, const char *const *words)
{
  const char *near = words != NULL ? jank_nearest_find (text, words) : NULL;

  /* Translators: first a sentence that says what is wrong, then the word that was probably meant. */
  return near != NULL ? g_strdup_printf (_("%s. Did you mean “%s”?"), sentence, near) : g_strdup (sentence);
}
