/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A store in a temporary folder, and its files. */

#pragma once

#include <unistd.h>
#include <utime.h>

#include "folder.h"
#include "report-fixture.h"
#include "store-list.h"
#include "test.h"

typedef struct
{
  char      *root;   /* temporary */
  char      *folder; /* of the store, two levels below */
  JankStore *store;
} Fixture;

static inline void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->root = folder_new ("jank-store");
  fixture->folder = g_build_filename (fixture->root, "state", "jankwatch", NULL);
  fixture->store = jank_store_new (fixture->folder, 5, 1 << 20);
}

static inline void
tear_down (Fixture *fixture, gconstpointer data)
{
  jank_store_free (fixture->store);
  folder_remove (fixture->root);
  g_free (fixture->folder);
  g_free (fixture->root);
}

static inline char *
path_of (Fixture *fixture, const char *file)
{
  return g_build_filename (fixture->folder, file, NULL);
}

static inline void
write_file (Fixture *fixture, const char *file, const char *text)
{
  g_autofree char *path = path_of (fixture, file);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static inline void
set_age (Fixture *fixture, const char *file, gint64 seconds)
{
  g_autofree char *path = path_of (fixture, file);
  struct utimbuf times = { .actime = g_get_real_time () / G_USEC_PER_SEC - seconds };

  times.modtime = times.actime;
  g_assert_cmpint (utime (path, &times), ==, 0);
}

static inline void
remove_file (Fixture *fixture, const char *file)
{
  g_autofree char *path = path_of (fixture, file);

  g_assert_cmpint (unlink (path), ==, 0);
}

static inline gboolean
exists (Fixture *fixture, const char *file)
{
  g_autofree char *path = path_of (fixture, file);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static inline void
save (Fixture *fixture, const char *id)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JankReport) report = report_fixture_new (id);

  jank_store_write (fixture->store, report, &error);
  g_assert_no_error (error);
}

static inline void
assert_loads (Fixture *fixture, const char *name, const char *id)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JankReport) report = jank_store_load (fixture->store, name, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (report->id, ==, id);
}

static inline guint
count_files (Fixture *fixture)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}
