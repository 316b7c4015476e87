/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A misspelt word is taken for the one that was meant, another for none. */

#include "base/jank-nearest-private.h"

#include "test.h"

static const char *const words[] =
    { "run", "top", "list", "show", "summary", "threshold", "ping-timeout", "max-reports",
      "speedscope", NULL };

static const struct { const char *text, *meant; } texts[] = {
  { "treshold", "threshold" },
  { "threshhold", "threshold" },
  { "thershold", "threshold" },
  { "Threshold", "threshold" },
  { "max_reports", "max-reports" },
  { "sum", "summary" },
  { "sumary", "summary" },
  { "speed", "speedscope" },
  { "lsit", "list" },
  { "rnu", "run" },
  { "shows", "show" },
  { "", NULL },
  { "x", NULL },
  { "gedit", NULL },
  { "timeout", NULL },
  { "a word that is much longer than any that there is, and more", NULL },
};

TEST (texts)
{
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_assert_cmpstr (jank_nearest_find (texts[i].text, words), ==, texts[i].meant);
}

TEST (sentence)
{
  g_autofree char *asks = jank_nearest_explain ("There is no “lsit”", "lsit", words);
  g_autofree char *knows_none = jank_nearest_explain ("There is no “gedit”", "gedit", words);
  g_autofree char *has_none = jank_nearest_explain ("There is no “gedit”", "gedit", NULL);

  g_assert_cmpstr (asks, ==, "There is no “lsit”. Did you mean “list”?");
  g_assert_cmpstr (knows_none, ==, "There is no “gedit”");
  g_assert_cmpstr (has_none, ==, "There is no “gedit”");
}

TESTS ("/base/nearest")
