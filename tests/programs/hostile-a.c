/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A library that `staller hostile dlopen` loads and unloads; it computes a little while it is loaded. */

#include <stdint.h>

uint64_t hostile_a (uint64_t seed);

uint64_t
hostile_a (uint64_t seed)
{
  uint64_t x = seed | 1;

  for (int i = 0; i < 20000; i++)
    {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
    }
  return x;
}
