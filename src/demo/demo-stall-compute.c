/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls of a thread that computes. The loops differ, so that no two functions are merged by the compiler, and
 * read the clock seldom enough that nearly all of the time is their own. */

#include "demo-stall-compute.h"

#include <glib.h>

uint64_t demo_sink;

G_NO_INLINE void
stall_compute (int64_t cpu_ns)
{
  int64_t until_ns = read_cpu_ns () + cpu_ns;

  for (uint32_t n = 1000000001; read_cpu_ns () < until_ns; n += 2)
    for (uint32_t d = 3; d < n / d && n % d != 0; d += 2)
      demo_sink += d;
}

G_NO_INLINE void
split_heavy (int64_t cpu_ns)
{
  int64_t until_ns = read_cpu_ns () + cpu_ns;

  for (uint64_t seed = 1; read_cpu_ns () < until_ns; seed++)
    {
      uint64_t x = seed;

      for (int i = 0; i < 2000; i++)
        {
          x ^= x << 13;
          x ^= x >> 7;
          x ^= x << 17;
        }
      demo_sink += x;
    }
}

G_NO_INLINE void
split_medium (int64_t cpu_ns)
{
  int64_t until_ns = read_cpu_ns () + cpu_ns;

  for (uint32_t hash = 2166136261u; read_cpu_ns () < until_ns; demo_sink += hash)
    for (uint32_t i = 0; i < 2000; i++)
      hash = (hash ^ (i & 255)) * 16777619u;
}

G_NO_INLINE void
split_light (int64_t cpu_ns)
{
  int64_t until_ns = read_cpu_ns () + cpu_ns;

  for (uint64_t start = 3; read_cpu_ns () < until_ns; start += 2)
    {
      uint64_t n = start;

      for (int i = 0; i < 2000; i++)
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
      demo_sink += n;
    }
}
