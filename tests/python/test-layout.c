/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "python/jank-python-walk-private.h"

#include <string.h>

#include "test.h"

#define N_WORDS 96

typedef struct
{
  guint64 version;
  guint16 owner; /* expected */
  struct { guint8 at; guint16 value; } values[25];
} Described;

/* What Python has at _PyRuntime, as far as it is read; the rest is 0. */
static const Described described[] = {
  { 0x030d00f0, 70,
    { { 5, 632 }, { 8, 7264 }, { 9, 7344 }, { 19, 304 }, { 21, 8 }, { 23, 72 }, { 25, 160 }, { 26, 232 }, { 29, 8 },
      { 30, 0 }, { 31, 56 }, { 33, 70 }, { 34, 208 }, { 35, 112 }, { 37, 128 }, { 38, 136 }, { 39, 68 }, { 43, 200 },
      { 66, 32 }, { 70, 40 } } },
  { 0x030e08f0, 74,
    { { 5, 808 }, { 8, 7272 }, { 9, 7344 }, { 22, 832 }, { 24, 8 }, { 26, 72 }, { 28, 160 }, { 29, 232 }, { 32, 8 },
      { 33, 0 }, { 34, 56 }, { 36, 74 }, { 39, 216 }, { 40, 112 }, { 42, 128 }, { 43, 136 }, { 44, 68 }, { 48, 208 },
      { 76, 32 }, { 80, 40 } } },
};

static void
fill (guint64 *words, const Described *from)
{
  memset (words, 0, N_WORDS * sizeof *words);
  for (guint i = 0; from->values[i].at != 0; i++)
    words[from->values[i].at] = from->values[i].value;
  memcpy (words, "xdebugpy", 8);
}

static gboolean
find (guint64 version, const guint64 *words, JankPythonLayout *ret_layout)
{
  return jank_python_layout_find (version, (guintptr) words, ret_layout);
}

TEST (table)
{
  JankPythonLayout layout;

  g_assert_true (find (0x030b02f0, NULL, &layout));
  g_assert_cmpuint (layout.entry_owner, ==, 0);
  g_assert_true (find (0x030c01f0, NULL, &layout));
  g_assert_cmpuint (layout.entry_owner, ==, 3);
  g_assert_false (find (0, NULL, &layout));
  g_assert_false (find (0x03630000, NULL, &layout));
  g_assert_false (find (0x030f00f0, NULL, &layout));
}

TEST (own_offsets)
{
  guint64 words[N_WORDS];
  JankPythonLayout layout;

  for (guint i = 0; i < G_N_ELEMENTS (described); i++)
    {
      fill (words, &described[i]);
      g_assert_true (find (described[i].version, words, &layout));
      g_assert_cmpuint (layout.threads, ==, 7344);
      g_assert_cmpuint (layout.frames, ==, 72);
      g_assert_cmpuint (layout.native_id, ==, 160);
      g_assert_cmpuint (layout.mark, ==, described[i].owner);
      g_assert_cmpuint (layout.name, ==, 128);
      g_assert_cmpuint (layout.compact, ==, 56);
      g_assert_cmpuint (layout.bytes, ==, 32);
    }
}

/* No cookie, no lock of its own, and offsets that would lead beyond what is read. */
TEST (lies)
{
  static const struct { guint8 at; guint64 value; } lies[] = {
    { 0, 0 }, { 2, 1 }, { 9, 70000 }, { 29, 80 }, { 31, 57 }, { 25, 64 }, { 25, 256 }, { 33, 80 }, { 37, 200 },
        { 39, G_MAXUINT64 }, { 5, 0x10000 + 632 }, { 26, 0x10000 }, { 26, 72 }, { 26, 600 }, { 25, 255 }, { 21, 12 },
    { 30, 3 }, { 35, 0xfff8 }, { 39, 66 }, { 43, 0x10000 + 200 }, { 43, 8 }, { 43, 264 }, { 70, 0 }, { 70, 184 },
    { 70, 300 }, { 66, 400 },
  };
  guint64 words[N_WORDS];
  JankPythonLayout layout;

  g_assert_false (find (described[0].version, NULL, &layout));
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++)
    {
      fill (words, &described[0]);
      words[lies[i].at] = lies[i].value;
      g_assert_false (find (described[0].version, words, &layout));
    }
}

TESTS ("/python/layout")
