/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "python/jank-python-layout-private.h"

#include <string.h>

#define N_WORDS 71

/* What python 3.13.0 has at _PyRuntime, as far as it is read; the rest is 0. */
static void
fill (guint64 *words)
{
  static const struct { guint8 at; guint16 value; } values[] = {
    { 1, 0x30d }, { 5, 632 }, { 8, 7264 }, { 9, 7344 }, { 19, 304 }, { 21, 8 }, { 23, 72 }, { 25, 160 }, { 26, 232 },
    { 29, 8 }, { 30, 0 }, { 31, 56 }, { 33, 70 }, { 34, 208 }, { 35, 112 }, { 37, 128 }, { 38, 136 }, { 39, 68 },
    { 43, 200 }, { 66, 32 }, { 70, 40 },
  };

  memset (words, 0, N_WORDS * sizeof *words);
  memcpy (words, "xdebugpy", 8);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    words[values[i].at] = values[i].value;
}

static gboolean
find (guint64 version, const guint64 *words, JankPythonLayout *ret_layout)
{
  return jank_python_layout_find (version, (guintptr) words, ret_layout);
}

static void
test_table (void)
{
  JankPythonLayout layout;

  g_assert_true (find (0x030b02f0, NULL, &layout));
  g_assert_cmpuint (layout.entry_owner, ==, 0);
  g_assert_true (find (0x030c01f0, NULL, &layout));
  g_assert_cmpuint (layout.entry_owner, ==, 3);
  g_assert_false (find (0, NULL, &layout));
  g_assert_false (find (0x03630000, NULL, &layout));
  /* 3.14 has another description of itself, and tagged addresses in its frames. */
  g_assert_false (find (0x030e00f0, NULL, &layout));
}

static void
test_own_offsets (void)
{
  guint64 words[N_WORDS];
  JankPythonLayout layout;

  fill (words);
  g_assert_true (find (0x030d00f0, words, &layout));
  g_assert_cmpuint (layout.threads, ==, 7344);
  g_assert_cmpuint (layout.frames, ==, 72);
  g_assert_cmpuint (layout.native_id, ==, 160);
  g_assert_cmpuint (layout.mark, ==, 70);
  g_assert_cmpuint (layout.name, ==, 128);
  g_assert_cmpuint (layout.compact, ==, 56);
}

/* No cookie, no lock of its own, and offsets that would lead beyond what is read. */
static void
test_lies (void)
{
  static const struct { guint8 at; guint64 value; } lies[] = {
    { 0, 0 }, { 2, 1 }, { 9, 70000 }, { 29, 80 }, { 31, 57 }, { 33, 80 }, { 37, 200 }, { 39, G_MAXUINT64 },
  };
  guint64 words[N_WORDS];
  JankPythonLayout layout;

  g_assert_false (find (0x030d00f0, NULL, &layout));
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++)
    {
      fill (words);
      words[lies[i].at] = lies[i].value;
      g_assert_false (find (0x030d00f0, words, &layout));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/python/layout/table", test_table);
  g_test_add_func ("/python/layout/own-offsets", test_own_offsets);
  g_test_add_func ("/python/layout/lies", test_lies);
  return g_test_run ();
}
