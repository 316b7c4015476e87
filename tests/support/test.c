/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

static Test *first;
static Test **end = &first;

/* Before main(). */
void
tests_add (Test *test)
{
  *end = test;
  end = &test->next;
}

void
tests_add_all (const char *path)
{
  for (const Test *test = first; test != NULL; test = test->next)
    {
      g_autofree char *name = g_strdelimit (g_strdup (test->name), "_", '-');
      g_autofree char *full = g_strconcat (path, "/", name, NULL);

      if (test->func != NULL)
        g_test_add_func (full, test->func);
      else
        g_test_add_vtable (full, test->n_bytes, NULL, test->set_up, test->with, test->tear_down);
    }
}
