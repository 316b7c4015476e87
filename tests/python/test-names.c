/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "python/jank-python-parts-private.h"
#include "test.h"

/* co_linetable of Python 3.11's, of "def f(x):\n  a = 1\n\n  b = x\n  return (a +\n b)": RESUME of line 1, a = 1 of
 * line 2 … */
static const guint8 table[] = {
  0x80, 0x00,                         /* short: one unit, line 1 */
  0xd8 + 1, 0x02, 0x03,               /* one line further: two units, line 2 */
  0xe0 + 1, 0x02, 0x03,               /* two lines further: two units, line 4 */
  0xe8, 0x03,                         /* no columns: one unit, a line back: 3 */
  0xf8,                               /* none: one unit */
  0xf0, 0x40 | 0x08, 0x06, 0x00, 0x01, 0x01, /* long: one unit, 196 lines further: 199 */
};

TEST (lines)
{
  static const guint lines[] = { 1, 2, 2, 4, 4, 3, 0, 199 };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    g_assert_cmpuint (jank_python_find_line (table, sizeof table, 1, i), ==, lines[i]);
  g_assert_cmpuint (jank_python_find_line (table, sizeof table, 1, G_N_ELEMENTS (lines)), ==, 0);
  g_assert_cmpuint (jank_python_find_line (table, 0, 1, 0), ==, 0);
}

/* Cut off anywhere, or of noise: an answer, and no read beyond the end. */
TEST (damage)
{
  for (gsize n = 0; n <= sizeof table; n++)
    {
      g_autofree guint8 *cut = g_memdup2 (table, n);

      g_assert_cmpuint (jank_python_find_line (cut, n, 1, 1), ==, n > 2 ? 2 : 0);
    }
  for (guint i = 0; i < 10000; i++)
    {
      gsize n = (gsize) g_test_rand_int_range (1, 64);
      g_autofree guint8 *noise = g_malloc (n);

      for (gsize k = 0; k < n; k++)
        noise[k] = (guint8) g_test_rand_int ();
      g_assert_cmpuint (jank_python_find_line (noise, n, 1, G_MAXUINT64), ==, 0);
    }
}

TEST (no_object)
{
  JankPythonNames names = { .layout = { .n_code_bytes = 184, .file = 112, .name = 128, .lines = 136, .first_line = 72 },
                                  .code_type = 4096, .unicode_type = 4096, .bytes_type = 4096 };
  guint64 zeros[64] = { 0 }, believed[64] = { 0, 4096 };
  guint64 wrong[] = { 1, 4095, G_MAXUINT64 - 8, (guintptr) zeros, (guintptr) believed };
  g_autofree JankPythonCalls *calls = g_new0 (JankPythonCalls, 1);
  JankScripts *scripts = jank_scripts_new ();
  JankCall call;

  names.layout.identity = 72;
  names.layout.n_identity_bytes = 72;
  calls->n_identities = 1;
  jank_python_names_init (&names);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      JankPythonCall stable = { .code = wrong[i], .identity = JANK_PYTHON_STABLE_CODE }, read = { .code = wrong[i] };

      g_assert_false (jank_python_names_find (&names, &stable, calls, scripts, &call));
      calls->n_texts = i % 2;
      g_assert_false (jank_python_names_find (&names, &read, calls, scripts, &call));
    }
  jank_scripts_free (scripts);
  jank_python_names_clear (&names);
}

TESTS ("/python/names")
