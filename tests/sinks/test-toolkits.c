/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <dlfcn.h>

#include "sinks/jank-toolkits-private.h"
#include "test.h"

/* The newest module goes, and GTK 3 may be given its place in memory. */
TEST (new)
{
  JankNewestModule newest = { 0 };
  guint64 address;
  void *other;

  g_assert_cmpuint (jank_toolkits_find_new (&newest), ==, 0);
  address = newest.address;
  g_assert_cmpuint (address, !=, 0);
  g_assert_cmpuint (jank_toolkits_find_new (&newest), ==, 0);
  g_assert_cmpuint (newest.address, ==, address);

  other = dlopen ("libresolv.so.2", RTLD_NOW);
  g_assert_nonnull (other);
  g_assert_cmpuint (jank_toolkits_find_new (&newest), ==, 0);
  g_assert_cmpuint (newest.address, !=, address);
  dlclose (other);
  g_assert_cmpuint (jank_toolkits_find (), ==, 0);
  g_assert_nonnull (dlopen ("libgtk-3.so.0", RTLD_NOW));
  g_assert_cmpuint (jank_toolkits_find_new (&newest), ==, 1 << 2);
  g_assert_cmpuint (jank_toolkits_find_new (&newest), ==, 0);
  g_assert_cmpuint (jank_toolkits_find (), ==, 1 << 2);
  g_assert_false (jank_toolkits_has_display (2));
}

TESTS ("/sinks/toolkits")
