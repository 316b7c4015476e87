/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a store keeps when there is too much of it. */

#include "store-fixture.h"

TEST_WITH (Fixture, set_up, tear_down, fixture, count)
{
  g_autoptr (GPtrArray) reports = NULL;

  for (guint i = 1; i <= 8; i++)
    {
      g_autofree char *id = g_strdup_printf ("20261121-153012-4242-%u", i);
      g_autofree char *file = g_strconcat (id, ".json", NULL);

      save (fixture, id);
      set_age (fixture, file, 100 - i);
    }
  write_file (fixture, "foreign.json", "{}");
  save (fixture, "20200101-000000-1-1");

  reports = store_list (fixture->store, NULL, NULL);
  g_assert_cmpuint (reports->len, ==, 5);
  g_assert_cmpstr (((JankReport *) reports->pdata[0])->id, ==, "20261121-153012-4242-8");
  g_assert_cmpstr (((JankReport *) reports->pdata[3])->id, ==, "20261121-153012-4242-5");
  g_assert_cmpstr (((JankReport *) reports->pdata[4])->id, ==, "20200101-000000-1-1");
  g_assert_true (exists (fixture, "foreign.json"));
}

TEST_WITH (Fixture, set_up, tear_down, fixture, bytes)
{
  g_autoptr (JankStore) small = jank_store_new (fixture->folder, 100, 10000);
  g_autoptr (JankReport) large = report_fixture_new ("20261121-153012-4242-9");
  g_autoptr (GPtrArray) reports = NULL;

  save (fixture, "20261121-153012-4242-1");
  save (fixture, "20261121-153012-4242-2");
  set_age (fixture, "20261121-153012-4242-1.json", 20);
  set_age (fixture, "20261121-153012-4242-2.json", 10);
  g_free (large->app.name);
  large->app.name = g_strnfill (20000, 'x');
  g_assert_true (jank_store_write (small, large, NULL));

  /* Too large alone, and kept all the same: it is the one just written. */
  reports = store_list (small, NULL, NULL);
  g_assert_cmpuint (reports->len, ==, 1);
  g_assert_cmpstr (((JankReport *) reports->pdata[0])->id, ==, "20261121-153012-4242-9");
}

static void
save_of (JankStore *store, const char *app, const char *fingerprint, guint number)
{
  g_autofree char *id = g_strdup_printf ("20261121-153012-4242-%u", number);
  g_autoptr (JankReport) report = report_fixture_new_bare (id);
  g_autoptr (GError) error = NULL;

  g_free (report->app.name);
  g_free (report->fingerprint);
  report->app.name = g_strdup (app);
  report->fingerprint = g_strdup (fingerprint);
  jank_store_write (store, report, &error);
  g_assert_no_error (error);
}

/* 19 programs have three reports each, then one has 500 of one problem; one of another, in between, stays, too. */
TEST_WITH (Fixture, set_up, tear_down, fixture, noisy)
{
  const guint n_quiet = 19, n_noisy = 500, max_reports = 70;
  g_autoptr (JankStore) store = jank_store_new (fixture->folder, max_reports, 1 << 20);
  g_autoptr (GHashTable) found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) reports = NULL;

  for (guint i = 0; i < 3 * n_quiet; i++)
    {
      g_autofree char *app = g_strdup_printf ("quiet-%u", i % n_quiet);
      g_autofree char *file = g_strdup_printf ("20261121-153012-4242-%u.json", i + 1);

      save_of (store, app, "0123456789abcdef", i + 1);
      set_age (fixture, file, 3600);
    }
  for (guint i = 0; i < n_noisy; i++)
    save_of (store, "noisy", i == 100 ? "00000000000000ff" : "00000000000000aa", 1000 + i);

  reports = store_list (store, NULL, NULL);
  g_assert_cmpuint (reports->len, ==, max_reports);
  for (guint i = 0; i < reports->len; i++)
    {
      JankReport *report = g_ptr_array_index (reports, i);
      char *key = g_strconcat (report->app.name, " ", report->fingerprint, NULL);
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (found, key));

      g_hash_table_insert (found, key, GUINT_TO_POINTER (n + 1));
    }
  for (guint i = 0; i < n_quiet; i++)
    {
      g_autofree char *key = g_strdup_printf ("quiet-%u 0123456789abcdef", i);

      g_assert_cmpuint (GPOINTER_TO_UINT (g_hash_table_lookup (found, key)), ==, 3);
    }
  g_assert_nonnull (g_hash_table_lookup (found, "noisy 00000000000000ff"));
  g_assert_cmpstr (((JankReport *) reports->pdata[0])->id, ==, "20261121-153012-4242-1499");
}

/* Somebody has filled the store: each write removes a hundred files at most, so that none takes long. */
TEST_WITH (Fixture, set_up, tear_down, fixture, overfull)
{
  g_assert_cmpint (g_mkdir_with_parents (fixture->folder, 0700), ==, 0);
  for (guint i = 0; i < 150; i++)
    {
      g_autofree char *file = g_strdup_printf ("20260101-000000-1-%u.json", i);

      write_file (fixture, file, "{}");
    }
  save (fixture, "20261121-153012-4242-1");
  g_assert_cmpuint (count_files (fixture), ==, 51);
  save (fixture, "20261121-153012-4242-2");
  g_assert_cmpuint (count_files (fixture), ==, 5);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, stray)
{
  save (fixture, "20261121-153012-4242-1");
  write_file (fixture, "20261121-153012-4242-2.json.ABC123", "half");
  write_file (fixture, "20261121-153012-4242-3.json.DEF456", "half");
  write_file (fixture, "other.json.GHI789", "not ours");
  set_age (fixture, "20261121-153012-4242-2.json.ABC123", 120);
  set_age (fixture, "other.json.GHI789", 120);
  save (fixture, "20261121-153012-4242-4");

  g_assert_false (exists (fixture, "20261121-153012-4242-2.json.ABC123"));
  g_assert_true (exists (fixture, "20261121-153012-4242-3.json.DEF456"));
  g_assert_true (exists (fixture, "other.json.GHI789"));
}

TESTS ("/store/retention")
