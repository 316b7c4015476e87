/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tests that are written once: TEST (late_frame) { … } in the file that ends with TESTS ("/frames/meter") is
 * /frames/meter/late-frame. They run in the order of the file. */

#pragma once

#include <glib.h>

#include "home.h"

typedef struct Test Test;

struct Test
{
  const char      *name;
  GTestFunc        func;            /* (nullable): it has a fixture */
  gsize            n_bytes;         /* of the fixture, and so on */
  GTestFixtureFunc set_up, with, tear_down;
  Test            *next;
};

#define TEST(words) \
  static void test_##words (void); \
  __attribute__ ((constructor)) static void \
  test_##words##_add (void) \
  { \
    static Test test = { .name = #words, .func = test_##words }; \
    tests_add (&test); \
  } \
  static void test_##words (void)

/* With a fixture, a Type *self. */
#define TEST_WITH(Type, set_up_func, tear_down_func, self, words) \
  static void test_##words (Type *self, gconstpointer data); \
  __attribute__ ((constructor)) static void \
  test_##words##_add (void) \
  { \
    static Test test = { \
      .name = #words, .n_bytes = sizeof (Type), .set_up = (GTestFixtureFunc) set_up_func, \
      .with = (GTestFixtureFunc) test_##words, .tear_down = (GTestFixtureFunc) tear_down_func, \
    }; \
    tests_add (&test); \
  } \
  static void test_##words (Type *self, gconstpointer data)

/* Does something again and again until a condition holds; not for ever. */
#define AWAIT(condition, ...) \
  for (gint64 await_until_us = g_get_monotonic_time () + 60 * G_USEC_PER_SEC; !(condition); __VA_ARGS__) \
    g_assert_cmpint (g_get_monotonic_time (), <, await_until_us)

/* The end of a file: its tests are path/…. Several files may be one program, whose main() is the support library's. */
#define TESTS(path) TESTS_AND (path, NULL, FALSE)

/* Its tests are those, and func for each of rows, whose first member is its name. */
#define TESTS_AND_ROWS(path, rows, func) \
  static void \
  tests_add_rows (void) \
  { \
    tests_add_each (path, rows, G_N_ELEMENTS (rows), sizeof *rows, func); \
  } \
  TESTS_AND (path, tests_add_rows, FALSE)

/* In a home of the program's own. */
#define TESTS_AT_HOME(path) TESTS_AND (path, NULL, TRUE)

/* add (nullable): adds others, such as rows of a table. */
#define TESTS_AND(path, add, needs_home) \
  __attribute__ ((constructor)) static void \
  tests_end (void) \
  { \
    tests_add_file (path, add, needs_home); \
  }

void tests_add      (Test *test);
void tests_add_file (const char *path, void (*add) (void), gboolean needs_home);

/* Adds path/NAME for each of n rows of n_bytes, whose first member is its name. */
void tests_add_each (const char *path, gconstpointer rows, guint n, gsize n_bytes, GTestDataFunc func);

/* For a main() that has more to do: those of no file. */
void tests_add_all  (const char *path);
