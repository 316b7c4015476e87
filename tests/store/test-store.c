/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The store on a real disk, with real processes, foreign files and a disk that is full. */

#include <errno.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/jank-error.h"
#include "store/jank-store-private.h"
#include "store-fixture.h"

TEST_WITH (Fixture, set_up, tear_down, fixture, private)
{
  g_autofree char *path = path_of (fixture, "20261121-153012-4242-1.json");
  struct stat info;

  save (fixture, "20261121-153012-4242-1");
  g_assert_cmpint (g_stat (fixture->folder, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0700);
  g_assert_cmpint (g_stat (path, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0600);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, load)
{
  static const char *const unknown[] = { "20261121", "2027", "", "../../etc/passwd" };

  save (fixture, "20261121-153012-4242-1");
  save (fixture, "20261121-153012-4242-10");
  save (fixture, "20261121-160000-17-1");
  assert_loads (fixture, "20261121-153012-4242-1", "20261121-153012-4242-1");
  assert_loads (fixture, "20261121-16", "20261121-160000-17-1");
  assert_loads (fixture, "latest", "20261121-160000-17-1");

  for (guint i = 0; i < G_N_ELEMENTS (unknown); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (jank_store_load (fixture->store, unknown[i], &error));
      g_assert_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND);
    }
}

TEST_WITH (Fixture, set_up, tear_down, fixture, list)
{
  g_autoptr (GPtrArray) reports = NULL;
  g_autoptr (GError) error = NULL;
  guint n_skipped = 0;

  save (fixture, "20261121-153012-4242-9");
  save (fixture, "20261121-153012-4242-10");
  save (fixture, "20261121-153011-4242-1");
  write_file (fixture, "20261121-170000-1-1.json", "{ not a report");
  write_file (fixture, "20261121-170000-1-2.json", "{\"schema\":\"jankwatch-report-2\"}");
  write_file (fixture, "notes.json", "{}");
  write_file (fixture, "notes.txt", "not ours");

  reports = store_list (fixture->store, &n_skipped, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (reports->len, ==, 3);
  g_assert_cmpuint (n_skipped, ==, 3);
  g_assert_cmpstr (((JankReport *) reports->pdata[0])->id, ==, "20261121-153012-4242-10");
  g_assert_cmpstr (((JankReport *) reports->pdata[1])->id, ==, "20261121-153012-4242-9");
  g_assert_cmpstr (((JankReport *) reports->pdata[2])->id, ==, "20261121-153011-4242-1");
  assert_loads (fixture, "latest", "20261121-153012-4242-10");
}

TEST_WITH (Fixture, set_up, tear_down, fixture, rewrite)
{
  g_autoptr (JankReport) report = report_fixture_new ("20261121-153012-4242-1");
  g_autoptr (JankReport) read = NULL;
  g_autoptr (GPtrArray) reports = NULL;

  report->stall.outcome = JANK_OUTCOME_ONGOING;
  g_assert_true (jank_store_write (fixture->store, report, NULL));
  report->stall.outcome = JANK_OUTCOME_RECOVERED;
  g_assert_true (jank_store_write (fixture->store, report, NULL));
  reports = store_list (fixture->store, NULL, NULL);
  g_assert_cmpuint (reports->len, ==, 1);
  read = jank_store_load (fixture->store, "latest", NULL);
  g_assert_cmpint (read->stall.outcome, ==, JANK_OUTCOME_RECOVERED);
}

/* In a folder that everybody may write to. */
TEST_WITH (Fixture, set_up, tear_down, fixture, planted_links)
{
  g_autofree char *outside = g_strconcat (fixture->folder, "-outside", NULL);
  g_autofree char *secret = g_build_filename (outside, "secret", NULL);
  g_autofree char *link = path_of (fixture, "20261121-153012-4242-1.json");
  g_autofree char *kept = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (fixture->folder, 0700), ==, 0);
  g_assert_cmpint (g_mkdir (outside, 0700), ==, 0);
  g_assert_true (g_file_set_contents (secret, "secret", -1, NULL));
  g_assert_cmpint (symlink (secret, link), ==, 0);
  g_assert_null (jank_store_load (fixture->store, "20261121-153012-4242-1", &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND);
  save (fixture, "20261121-153012-4242-1");
  g_assert_true (g_file_get_contents (secret, &kept, NULL, NULL));
  g_assert_cmpstr (kept, ==, "secret");
  assert_loads (fixture, "20261121-153012-4242-1", "20261121-153012-4242-1");

  if (geteuid () == 0)
    {
      g_autofree char *planted = path_of (fixture, "sessions");
      g_autoptr (JankReport) report = report_fixture_new ("20261121-153012-4242-1");
      g_autoptr (JankStore) store = jank_store_new (planted, 5, 1 << 20);

      /* One's own is followed. */
      g_assert_cmpint (symlink (outside, planted), ==, 0);
      g_assert_true (jank_store_write (store, report, NULL));
      g_assert_cmpint (lchown (planted, 12345, 12345), ==, 0);
      g_clear_error (&error);
      g_assert_false (jank_store_write (store, report, &error));
      g_assert_error (error, JANK_ERROR, JANK_ERROR_FAILED);
      g_assert_null (store_list (store, NULL, NULL));
    }
  else
    g_test_message ("not root: nobody else's link can be made");
  folder_remove (outside);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, remove)
{
  g_autoptr (GError) error = NULL;

  save (fixture, "20261121-153012-4242-1");
  g_assert_true (jank_store_remove (fixture->store, "20261121-153012-4242-1", &error));
  g_assert_no_error (error);
  g_assert_false (jank_store_remove (fixture->store, "20261121-153012-4242-1", &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_false (jank_store_remove (fixture->store, "../x", &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND);
}

static void
keep_chain (Fixture *fixture, const char *id, gint64 began_ns, gint64 duration_ns, gboolean expected)
{
  g_autoptr (JankReportChain) kept = report_fixture_new_chain ();

  kept->began_monotonic_ns = began_ns;
  kept->duration_ns = duration_ns;
  g_assert_cmpint (jank_store_keep_chain (fixture->store, id, kept), ==, expected);
}

static void
assert_chain (Fixture *fixture, const char *id, gint64 began_ns, gint64 duration_ns)
{
  g_autoptr (JankReport) report = jank_store_load (fixture->store, id, NULL);

  g_assert_nonnull (report->chain);
  g_assert_cmpint (report->chain->began_monotonic_ns, ==, began_ns);
  g_assert_cmpint (report->chain->duration_ns, ==, duration_ns);
  g_assert_cmpuint (report->chain->links->len, ==, 2);
}

/* The report's own program writes it again and again, and knows nothing of the chain. */
TEST_WITH (Fixture, set_up, tear_down, fixture, chain)
{
  const char *id = "20261121-153012-4242-1", *other = "20261121-153012-4242-2";
  g_autoptr (JankReport) brief = NULL, report = NULL;

  keep_chain (fixture, id, 1, 5, FALSE);
  save (fixture, id);
  keep_chain (fixture, id, 1, 5, TRUE);
  save (fixture, id);
  assert_chain (fixture, id, 1, 5);
  keep_chain (fixture, id, 1, 7, TRUE);
  assert_chain (fixture, id, 1, 7);
  keep_chain (fixture, id, 2, 6, TRUE);
  assert_chain (fixture, id, 1, 7);
  keep_chain (fixture, id, 3, 8, TRUE);
  assert_chain (fixture, id, 3, 8);
  brief = jank_store_load_brief (fixture->store, id, NULL);
  g_assert_null (brief->chain);
  g_assert_true (jank_store_remove (fixture->store, id, NULL));
  g_assert_false (exists (fixture, "chains/20261121-153012-4242-1.json"));
  keep_chain (fixture, "../x", 1, 1, FALSE);

  /* Of a report that others removed. */
  save (fixture, other);
  keep_chain (fixture, other, 1, 5, TRUE);
  remove_file (fixture, "20261121-153012-4242-2.json");
  save (fixture, id);
  keep_chain (fixture, id, 1, 5, TRUE);
  g_assert_false (exists (fixture, "chains/20261121-153012-4242-2.json"));

  write_file (fixture, "chains/20261121-153012-4242-1.json", "{\"schema\":\"jankwatch-chain-1\",\"links\":[]}");
  report = jank_store_load (fixture->store, id, NULL);
  g_assert_null (report->chain);
}

static JankOutcome
outcome_of (Fixture *fixture, gint pid, gint64 began_real_us)
{
  g_autoptr (JankReport) report = report_fixture_new ("20261121-153012-4242-1");
  g_autoptr (JankReport) read = NULL;

  report->app.pid = pid;
  report->stall.began_real_us = began_real_us;
  report->stall.outcome = JANK_OUTCOME_ONGOING;
  g_assert_true (jank_store_write (fixture->store, report, NULL));
  read = jank_store_load (fixture->store, "latest", NULL);
  return read->stall.outcome;
}

TEST_WITH (Fixture, set_up, tear_down, fixture, killed)
{
  gint64 now = g_get_real_time ();
  pid_t child = fork ();

  if (child == 0)
    {
      pause ();
      _exit (0);
    }
  g_assert_cmpint (outcome_of (fixture, child, now + G_USEC_PER_SEC), ==, JANK_OUTCOME_ONGOING);
  kill (child, SIGKILL);
  g_assert_cmpint (waitid (P_PID, (id_t) child, &(siginfo_t) { 0 }, WEXITED | WNOWAIT), ==, 0);
  /* A zombie first, then gone. */
  g_assert_cmpint (outcome_of (fixture, child, now + G_USEC_PER_SEC), ==, JANK_OUTCOME_KILLED);
  g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
  g_assert_cmpint (outcome_of (fixture, child, now + G_USEC_PER_SEC), ==, JANK_OUTCOME_KILLED);
}

/* This process has the number now, but started long after the stall. */
TEST_WITH (Fixture, set_up, tear_down, fixture, reused_pid)
{
  gint64 long_ago = g_get_real_time () - 3600 * (gint64) G_USEC_PER_SEC;

  g_assert_true (jank_process_is_alive (getpid (), g_get_real_time ()));
  g_assert_cmpint (outcome_of (fixture, getpid (), g_get_real_time ()), ==, JANK_OUTCOME_ONGOING);
  g_assert_false (jank_process_is_alive (getpid (), long_ago));
  g_assert_cmpint (outcome_of (fixture, getpid (), long_ago), ==, JANK_OUTCOME_KILLED);
  g_assert_false (jank_process_is_alive (0, g_get_real_time ()));
}

static void
assert_save_fails (JankStore *store, JankReport *report)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (jank_store_write (store, report, &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_FAILED);
  g_test_message ("%s", error->message);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, folder_is_file)
{
  g_autofree char *file = g_build_filename (fixture->root, "file", NULL);
  g_autofree char *below = g_build_filename (file, "store", NULL);
  g_autoptr (JankStore) on_file = jank_store_new (file, 5, 1 << 20);
  g_autoptr (JankStore) below_file = jank_store_new (below, 5, 1 << 20);
  g_autoptr (JankReport) report = report_fixture_new ("20261121-153012-4242-1");
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (file, "x", -1, NULL));
  assert_save_fails (on_file, report);
  assert_save_fails (below_file, report);
  g_assert_null (store_list (on_file, NULL, &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_FAILED);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, read_only)
{
  g_autoptr (JankReport) report = report_fixture_new ("20261121-153012-4242-2");
  pid_t child;
  int status;

  save (fixture, "20261121-153012-4242-1");
  g_assert_cmpint (g_chmod (fixture->folder, 0500), ==, 0);
  g_assert_cmpint (g_chmod (fixture->root, 0755), ==, 0);

  /* Root may write anywhere: give the right up in a child. */
  child = fork ();
  if (child == 0)
    {
      if (getuid () == 0 && (chown (fixture->folder, 65534, 65534) != 0 || setresuid (65534, 65534, 65534) != 0))
        _exit (2);
      _exit (jank_store_write (fixture->store, report, NULL) ? 1 : 0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  g_assert_cmpint (g_chmod (fixture->folder, 0700), ==, 0);
  assert_loads (fixture, "latest", "20261121-153012-4242-1");
}

/* The old version of a report survives a write that has no room, and so does the process. */
TEST_WITH (Fixture, set_up, tear_down, fixture, file_limit)
{
  g_autoptr (JankReport) report = report_fixture_new ("20261121-153012-4242-1");
  struct rlimit before, limit;

  save (fixture, "20261121-153012-4242-1");
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  limit = before;
  limit.rlim_cur = 1024;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  report->stall.duration_ns = 1;
  assert_save_fails (fixture->store, report);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);

  g_clear_pointer (&report, jank_report_unref);
  report = jank_store_load (fixture->store, "latest", NULL);
  g_assert_cmpint (report->stall.duration_ns, ==, G_GINT64_CONSTANT (1240000000));
  g_assert_cmpuint (count_files (fixture), ==, 1);
}

static void
fill_disk (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "filler", NULL);
  FILE *file = fopen (path, "w");
  static const char block[4096];

  g_assert_nonnull (file);
  setbuf (file, NULL);
  while (fwrite (block, 1, sizeof block, file) == sizeof block)
    ;
  g_assert_cmpint (errno, ==, ENOSPC);
  fclose (file);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, full_disk)
{
  g_autoptr (JankReport) report = report_fixture_new ("20261121-153012-4242-1");

  g_assert_cmpint (g_mkdir_with_parents (fixture->folder, 0700), ==, 0);
  if (mount ("none", fixture->folder, "tmpfs", 0, "size=64k,mode=0700") != 0)
    {
      g_test_skip_printf ("mounting a tmpfs: %s; the file size limit stands for a full disk", g_strerror (errno));
      return;
    }
  save (fixture, "20261121-153012-4242-1");
  fill_disk (fixture->folder);
  report->stall.duration_ns = 1;
  assert_save_fails (fixture->store, report);
  assert_loads (fixture, "latest", "20261121-153012-4242-1");
  g_assert_cmpuint (count_files (fixture), ==, 2);
  g_assert_cmpint (umount (fixture->folder), ==, 0);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, bad_id)
{
  g_autoptr (JankReport) report = report_fixture_new ("../evil");
  g_autoptr (GError) error = NULL;

  g_assert_false (jank_store_write (fixture->store, report, &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_INVALID);
}

/* A reader beside a writer sees whole reports only. */
TEST_WITH (Fixture, set_up, tear_down, fixture, two_processes)
{
  pid_t writer;
  int status;

  save (fixture, "20261121-153012-4242-1");
  writer = fork ();
  if (writer == 0)
    {
      for (guint i = 0; i < 200; i++)
        save (fixture, "20261121-153012-4242-1");
      _exit (0);
    }
  while (waitpid (writer, &status, WNOHANG) == 0)
    assert_loads (fixture, "latest", "20261121-153012-4242-1");
  g_assert_cmpint (status, ==, 0);
}

TESTS ("/store/store")
