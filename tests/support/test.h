/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tests that are written once: TEST (late_frame) { … } in the file that ends with TESTS ("/frames/meter") is
 * /frames/meter/late-frame. They run in the order of the file. */

#pragma once

#include <glib.h>

typedef struct Test Test;

struct Test
{
  const char *name;
  GTestFunc   func;
  Test       *next;
};

#define TEST(name) \
  static void test_##name (void); \
  __attribute__ ((constructor)) static void \
  test_##name##_add (void) \
  { \
    static Test test = { #name, test_##name, NULL }; \
    tests_add (&test); \
  } \
  static void test_##name (void)

/* The rest of a program: its main(). */
#define TESTS(path) \
  int \
  main (int argc, char **argv) \
  { \
    g_test_init (&argc, &argv, NULL); \
    tests_add_all (path); \
    return g_test_run (); \
  }

/* In a home of its own. */
#define TESTS_AT_HOME(path) \
  int \
  main (int argc, char **argv) \
  { \
    home_isolate (); \
    g_test_init (&argc, &argv, NULL); \
    tests_add_all (path); \
    return home_run (); \
  }

void tests_add     (Test *test);

/* For a main() that has more to do. */
void tests_add_all (const char *path);
