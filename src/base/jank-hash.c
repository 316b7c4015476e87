/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-hash-private.h"

/* Odd, with as many ones as zeros: 2^64 over the golden ratio. */
#define FACTOR G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)

static guint64
jank_hash_get_seed (void)
{
  static gsize seed;

  if (g_once_init_enter (&seed))
    g_once_init_leave (&seed, ((gsize) g_random_int () << 31 ^ g_random_int ()) | 1);
  return seed;
}

static guint64
jank_hash_mix (guint64 state, guint64 n)
{
  state = (state ^ n) * FACTOR;
  return state ^ state >> 29;
}

guint
jank_hash_int64 (gconstpointer n)
{
  return (guint) (jank_hash_mix (jank_hash_get_seed (), *(const guint64 *) n) >> 16);
}

guint
jank_hash_text (gconstpointer text)
{
  guint64 state = jank_hash_get_seed ();

  for (const guchar *at = text; *at != '\0'; at++)
    state = jank_hash_mix (state, *at);
  return (guint) (state >> 16);
}
