/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include <string.h>

typedef struct
{
  const char *path;
  void      (*add) (void);
  Test       *first;
} File;

static File files[64];
static guint n_files;
static gboolean at_home;
static Test *first;
static Test **end = &first;

/* Before main(), as the next one is. */
void
tests_add (Test *test)
{
  *end = test;
  end = &test->next;
}

void
tests_add_file (const char *path, void (*add) (void), gboolean needs_home)
{
  g_assert_cmpuint (n_files, <, G_N_ELEMENTS (files));
  files[n_files++] = (File) { path, add, first };
  at_home = at_home || needs_home;
  first = NULL;
  end = &first;
}

static void
add_to_glib (const char *path, const Test *test)
{
  for (; test != NULL; test = test->next)
    {
      g_autofree char *name = g_strdelimit (g_strdup (test->name), "_", '-');
      g_autofree char *full = g_strconcat (path, "/", name, NULL);

      if (test->func != NULL)
        g_test_add_func (full, test->func);
      else
        g_test_add_vtable (full, test->n_bytes, NULL, test->set_up, test->with, test->tear_down);
    }
}

void
tests_add_each (const char *path, gconstpointer rows, guint n, gsize n_bytes, GTestDataFunc func)
{
  for (guint i = 0; i < n; i++)
    {
      const char *const *row = (const void *) ((const char *) rows + i * n_bytes);
      g_autofree char *full = g_strconcat (path, "/", *row, NULL);

      g_test_add_data_func (full, row, func);
    }
}

void
tests_add_all (const char *path)
{
  add_to_glib (path, first);
}

/* Of programs that have none. */
__attribute__ ((weak)) int
main (int argc, char **argv)
{
  /* GLib runs none, and is content, where the prefix is wrong. */
  gboolean is_known = argc != 3 || strcmp (argv[1], "-r") != 0;

  if (at_home)
    home_isolate ();
  for (guint i = 0; i < n_files && !is_known; i++)
    is_known = strcmp (argv[2], files[i].path) == 0;
  if (!is_known)
    g_error ("no file's tests are “%s”", argv[2]);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n_files; i++)
    {
      add_to_glib (files[i].path, files[i].first);
      if (files[i].add != NULL)
        files[i].add ();
    }
  return home_run ();
}
