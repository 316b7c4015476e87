/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fuzz target with mutations of good reports, from a fixed seed. */

#include <string.h>

#include "fuzz-report.h"
#include "report-fixture.h"
#include "test.h"

#define SEED 20261121
#define N_BYTE_MUTANTS 3000
#define N_TOKEN_MUTANTS 3000

static GByteArray *
make_seed (void)
{
  g_autoptr (JankReport) report = report_fixture_new ("20261121-153012-4242-1");
  g_autofree char *text = jank_report_to_json (report);

  return g_byte_array_append (g_byte_array_new (), (const guint8 *) text, (guint) strlen (text));
}

static void
mutate_bytes (GByteArray *bytes, GRand *rand)
{
  guint at = (guint) g_rand_int_range (rand, 0, (gint) bytes->len);
  guint n = (guint) g_rand_int_range (rand, 1, 64);

  n = MIN (n, bytes->len - at);
  switch (g_rand_int_range (rand, 0, 5))
    {
    case 0:
      bytes->data[at] ^= (guint8) (1 << g_rand_int_range (rand, 0, 8));
      break;
    case 1:
      bytes->data[at] = (guint8) g_rand_int_range (rand, 0, 256);
      break;
    case 2:
      g_byte_array_remove_range (bytes, at, n);
      break;
    case 3:
      {
        g_autofree guint8 *copy = g_memdup2 (bytes->data + at, n);

        g_byte_array_append (bytes, copy, n);
      }
      break;
    default:
      g_byte_array_set_size (bytes, MAX (at, 1));
    }
}

/* Replaces one value, so that the text stays JSON more often than not. */
static void
mutate_token (GByteArray *bytes, GRand *rand)
{
  static const char *const tokens[] = {
    "null", "true", "-1", "0", "9223372036854775807", "18446744073709551616", "-9223372036854775809", "1e308",
    "1e999", "-0.0", "0.5", "\"\"", "\"\\u001b[2J\"", "\"\\ud83d\\ude00\"", "[]", "{}", "[[]]", "[0]", "4294967295",
    "2147483648", "\"stall\"", "\"blocked\"", "\"paint\"", "\"program\"", "59.94",
    "\"9999-12-31T23:59:59.999999+14:00\"", "\"0000\"",
  };
  const char *token = tokens[g_rand_int_range (rand, 0, G_N_ELEMENTS (tokens))];
  guint at = (guint) g_rand_int_range (rand, 0, (gint) bytes->len);
  guint end;
  g_autoptr (GByteArray) tail = g_byte_array_new ();

  while (at < bytes->len && strchr (":[,", bytes->data[at]) == NULL)
    at++;
  if (++at >= bytes->len)
    return;
  for (end = at; end < bytes->len && strchr (",]}", bytes->data[end]) == NULL;)
    end++;
  g_byte_array_append (tail, bytes->data + end, bytes->len - end);
  g_byte_array_set_size (bytes, at);
  g_byte_array_append (bytes, (const guint8 *) token, (guint) strlen (token));
  g_byte_array_append (bytes, tail->data, tail->len);
}

static void
run_mutants (void (*mutate) (GByteArray *bytes, GRand *rand), guint n_mutants)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (SEED);
  g_autoptr (GByteArray) seed = make_seed ();

  for (guint i = 0; i < n_mutants; i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_append (g_byte_array_new (), seed->data, seed->len);

      for (gint n = g_rand_int_range (rand, 1, 5); n > 0 && bytes->len > 0; n--)
        mutate (bytes, rand);
      LLVMFuzzerTestOneInput (bytes->data, bytes->len);
    }
}

TEST (bytes)
{
  run_mutants (mutate_bytes, N_BYTE_MUTANTS);
}

TEST (tokens)
{
  run_mutants (mutate_token, N_TOKEN_MUTANTS);
}

TESTS ("/report/fuzz")
