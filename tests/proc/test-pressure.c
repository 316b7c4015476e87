/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "folder.h"
#include "proc/jank-task-private.h"
#include "test.h"

static char *root;

static void
put (const char *path, const char *text)
{
  g_autofree char *file = g_build_filename (root, path, NULL), *folder = g_path_get_dirname (file);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (file, text, -1, NULL));
}

static void
check (JankPressure pressure, double memory, double io, double cpu)
{
  g_assert_cmpfloat_with_epsilon (pressure.memory, memory, 1e-9);
  g_assert_cmpfloat_with_epsilon (pressure.io, io, 1e-9);
  g_assert_cmpfloat_with_epsilon (pressure.cpu, cpu, 1e-9);
}

#define SOME(number) "some avg10=" number " avg60=1.00 avg300=2.00 total=1\nfull avg10=99.00 avg60=0 avg300=0 total=0\n"

TEST (machine)
{
  check (jank_pressure_read_machine (root), -1, -1, -1);
  put ("proc/pressure/memory", SOME ("41.25"));
  put ("proc/pressure/io", "");
  put ("proc/pressure/cpu", SOME ("100.01"));
  check (jank_pressure_read_machine (root), 0.4125, -1, 1);
  put ("proc/pressure/memory", "some avg10=many");
  check (jank_pressure_read_machine (root), -1, -1, 1);
}

TEST (group)
{
  put ("sys/fs/cgroup/memory.pressure", SOME ("90.00"));
  put ("sys/fs/cgroup/app/a.scope/memory.pressure", SOME ("12.00"));
  put ("sys/fs/cgroup/unified/b/cpu.pressure", SOME ("13.00"));
  put ("sys/fs/cgroup/unified/b/memory.pressure", SOME ("0.00"));

  check (jank_pressure_read_group (root), -1, -1, -1);
  put ("proc/self/cgroup", "0::/app/a.scope\n");
  check (jank_pressure_read_group (root), 0.12, -1, -1);
  put ("proc/self/cgroup", "4:memory:/app/a.scope\n1:name=systemd:/\n0::/b\n");
  check (jank_pressure_read_group (root), 0, -1, 0.13);
  put ("proc/self/cgroup", "4:memory:/app/a.scope\n");
  check (jank_pressure_read_group (root), -1, -1, -1);
  /* The machine's, and somebody else's. */
  put ("proc/self/cgroup", "0::/\n");
  check (jank_pressure_read_group (root), -1, -1, -1);
  put ("proc/self/cgroup", "0::/../app/a.scope\n");
  check (jank_pressure_read_group (root), -1, -1, -1);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  root = folder_new ("pressure");
  tests_add_all ("/proc/pressure");
  status = g_test_run ();
  folder_remove (root);
  g_free (root);
  return status;
}
