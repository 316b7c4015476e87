/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The other library that `staller hostile dlopen` loads and unloads: other code, likely at the address of the first. */

#include <stdint.h>

uint64_t hostile_b (uint64_t seed);

static uint64_t table[8192];

uint64_t
hostile_b (uint64_t seed)
{
  uint64_t sum = seed;

  for (int i = 0; i < 8192; i++)
    {
      table[i] += sum;
      sum = sum * UINT64_C (6364136223846793005) + table[i];
    }
  return sum;
}
