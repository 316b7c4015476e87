/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is left of a text that somebody sends. */

#include "base/jank-text-clean-private.h"

#include <string.h>

#include "test.h"

static const struct { const char *text, *clean; } texts[] = {
  { NULL, "" },
  { "", "" },
  { "plain text", "plain text" },
  { "日本語 “é” 🙂", "日本語 “é” 🙂" },
  { "👩\u200d💻 می\u200cخواهم", "👩\u200d💻 می\u200cخواهم" },
  { "a\033[2J\007\177b", "a?[2J??b" },
  { "a\nb\tc\r", "a?b?c?" },
  { "\xc2\x9b" "31m", "?31m" },
  { "\u202e\u2066\u2028\u2029\u200b\ufeff", "??????" },
  { "caf\xe9 \xff\xfe", "caf? ??" },
  { "cut \xe2\x80", "cut ??" },
  { "half of a pair \xed\xa0\x80.", "half of a pair ???." },
};

TEST (texts)
{
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *clean = jank_text_clean (texts[i].text), *again = jank_text_clean (clean);

      g_assert_cmpstr (clean, ==, texts[i].clean);
      g_assert_cmpstr (again, ==, clean);
      g_assert_true (jank_text_is_clean (clean, FALSE));
      if (texts[i].text != NULL)
        g_assert_cmpint (jank_text_is_clean (texts[i].text, FALSE), ==, strcmp (texts[i].text, clean) == 0);
    }
}

TEST (lines)
{
  g_assert_true (jank_text_is_clean ("a=b\nc=“d”\n", TRUE));
  g_assert_false (jank_text_is_clean ("a=b\nc=d", FALSE));
  g_assert_false (jank_text_is_clean ("a=b\n\033", TRUE));
}

TEST (cut)
{
  g_autofree char *whole = jank_text_cut ("abcdef", 6), *cut = jank_text_cut ("abcdefg", 6), *wide =
      jank_text_cut ("a日本語", 9);

  g_assert_cmpstr (whole, ==, "abcdef");
  g_assert_cmpstr (cut, ==, "abc…");
  g_assert_cmpstr (wide, ==, "a日…");
}

/* Whatever the bytes are, the text gets no longer and is clean. */
TEST (any_bytes)
{
  for (guint n = 0; n < 20000; n++)
    {
      char text[12] = { 0 };
      gsize length;

      for (guint i = 0; i + 1 < sizeof text; i++)
        text[i] = (char) g_test_rand_int_range (1, 256);
      length = strlen (text);
      jank_text_clean_in_place (text);
      g_assert_cmpuint (strlen (text), <=, length);
      g_assert_true (g_utf8_validate (text, -1, NULL));
      g_assert_true (jank_text_is_clean (text, FALSE));
    }
}

TESTS ("/base/text-clean")
