/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

/* Some microseconds of computing, in the body of the function that wants it. Returns: a number to be kept */
G_ALWAYS_INLINE static inline guint64
work_from (guint64 seed)
{
  guint64 x = seed;

  for (int i = 0; i < 2000; i++)
    {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
    }
  return x;
}
