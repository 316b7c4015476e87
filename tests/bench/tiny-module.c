/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A shared library of two functions, to be loaded many times. */

int tiny_outer (int a);

static int __attribute__ ((noinline))
tiny_inner (int a)
{
  return a * 3 + 1;
}

int
tiny_outer (int a)
{
  return tiny_inner (a) + tiny_inner (a + 1);
}
