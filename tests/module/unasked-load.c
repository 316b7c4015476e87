/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What GIO's loading of the module costs a program that does not ask for it, and that nothing of it stays:
 * unasked-load libgiojankwatch.so [MAX-US]. */

#include <stdlib.h>
#include <string.h>
#include <gio/gio.h>

#include "base/jank-clock-private.h"

#define N_LOADS 400

static const char *path;

static gint64
load_once (void)
{
  gint64 began_ns = jank_clock_now_ns ();
  GIOModule *module = g_io_module_new (path);

  g_assert_true (g_type_module_use (G_TYPE_MODULE (module)));
  g_type_module_unuse (G_TYPE_MODULE (module));
  return jank_clock_now_ns () - began_ns;
}

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  return (*(const gint64 *) a > *(const gint64 *) b) - (*(const gint64 *) a < *(const gint64 *) b);
}

static void
test_load (void)
{
  g_autofree char *maps = NULL;
  gint64 first_ns = load_once (), loads_ns[N_LOADS];

  for (guint i = 0; i < N_LOADS; i++)
    loads_ns[i] = load_once ();
  qsort (loads_ns, N_LOADS, sizeof loads_ns[0], compare_ns);
  g_test_message ("%.1f us at first, then %.1f us (lower quartile), %.1f us (median)", (double) first_ns / 1000,
                  (double) loads_ns[N_LOADS / 4] / 1000, (double) loads_ns[N_LOADS / 2] / 1000);
  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  g_assert_null (strstr (maps, "jankwatch.so"));
  g_assert_null (strstr (maps, "libjankwatch"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, >=, 2);
  path = argv[1];
  g_unsetenv ("JANKWATCH");
  g_unsetenv ("GTK_MODULES");
  g_test_add_func ("/module/unasked-load/load", test_load);
  return g_test_run ();
}
