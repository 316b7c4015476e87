/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Several calls on one file, or on the files of one mount, are one wait. */

#include "test.h"
#include "text/jank-text-chain-private.h"
#include "text/jank-text-report-private.h"
#include "verdict/jank-merged-waits-private.h"
#include "verdict/jank-verdict-private.h"

/* A sample of 100 ms for each letter of a word: the file that it used. */
typedef struct
{
  const char *files, *syscalls, *mount, *expected[4]; /* of each sample; the last one stands for all others */
  gint        n_calls;
} Case;

static JankReport *
new_report (const Case *made)
{
  static const struct { char letter; const char *name; } syscalls[] = {
    { 'o', "openat" }, { 's', "newfstatat" }, { 'r', "read" }, { 'l', "flock" }, { 'n', "clock_nanosleep" },
    { 'f', "fsync" },
  };
  JankReport *report = jank_report_new ();

  for (guint i = 0; made->files[i] != '\0'; i++)
    {
      JankReportSample *sample = jank_report_sample_new ();

      sample->state = JANK_STATE_BLOCKED;
      sample->weight_ns = 100 * JANK_NS_PER_MS;
      sample->wait = jank_report_wait_new ();
      sample->wait->kind = g_strdup ("file");
      for (guint k = 0; k < G_N_ELEMENTS (syscalls); k++)
        if (made->syscalls[i] == syscalls[k].letter)
          sample->wait->syscall = g_strdup (syscalls[k].name);
      sample->wait->target = g_strdup_printf ("/m/%c", made->files[i]);
      sample->wait->filesystem = made->mount != NULL ? g_strdup ("fuse.slow") : NULL;
      sample->wait->mount = g_strdup (made->mount);
      sample->wait->n_calls = made->n_calls;
      g_ptr_array_add (report->samples, sample);
    }
  return report;
}

TEST (merged)
{
  static const Case cases[] = {
    { "aaaaa", "ossrr", "/m", { "waiting for ‘/m/a’ on fuse.slow (5 calls)" }, 1 },
    { "aaaaa", "ossrr", NULL, { "waiting for ‘/m/a’ (5 calls)" }, 1 },
    /* Many short calls of one kind; one of them is not the others. */
    { "abcde", "fffff", "/m", { "syncing ‘/m/*’ on fuse.slow to disk" }, 1 },
    { "abbbb", "fffff", NULL, { "syncing ‘/m/a’ to disk", "syncing ‘/m/b’ to disk" }, 1 },
    /* Not known of older reports; and one call that lasts. */
    { "aaaaa", "ossrr", "/m", { "waiting for ‘/m/a’ on fuse.slow" }, -1 },
    { "aaaaa", "ossrr", "/m", { "waiting for ‘/m/a’ on fuse.slow" }, 0 },
    { "aaa", "rrr", "/m", { "reading ‘/m/a’ on fuse.slow" }, 1 },
    { "abcd", "osrr", "/m", { "waiting for files in ‘/m’ on fuse.slow (4 calls)" }, 1 },
    { "abcabc", "osrosr", "/m", { "waiting for files in ‘/m’ on fuse.slow (6 calls)" }, 1 },
    /* One of them has half, or there are but two. */
    { "abbc", "orrr", "/m",
      { "opening ‘/m/a’ on fuse.slow", "reading ‘/m/b’ on fuse.slow", NULL, "reading ‘/m/c’ on fuse.slow" }, 1 },
    { "ab", "or", "/m", { "opening ‘/m/a’ on fuse.slow", "reading ‘/m/b’ on fuse.slow" }, 1 },
    /* Of no mount that is known. */
    { "abcd", "orrr", NULL, { "opening ‘/m/a’", "reading ‘/m/b’", "reading ‘/m/c’", "reading ‘/m/d’" }, 1 },
    /* Who waits for a lock does not wait for the file. */
    { "aaa", "lnr", NULL,
      { "waiting for a lock on ‘/m/a’", "waiting for the lock of the database ‘/m/a’", "reading ‘/m/a’" }, 1 },
  };

  for (const Case *made = cases; made < cases + G_N_ELEMENTS (cases); made++)
    {
      g_autoptr (JankReport) report = new_report (made);
      g_autoptr (JankMergedWaits) waits = jank_merged_waits_new (report);
      const char *expected = made->expected[0];

      for (guint i = 0; i < report->samples->len; i++)
        {
          g_autofree char *said = jank_text_wait (report, jank_merged_waits_get (waits, i));

          if (i < G_N_ELEMENTS (made->expected) && made->expected[i] != NULL)
            expected = made->expected[i];
          g_assert_cmpstr (said, ==, expected);
        }
    }
}

/* A chain goes on from the wait that is told, not from another call, nor from what computed. */
TEST (chains)
{
  static const struct { const char *syscalls; JankHopKind kind; const char *syscall; gboolean goes_on; } chains[] = {
    { "rrrr", JANK_HOP_FUSE, "newfstatat", TRUE },
    { "llll", JANK_HOP_FILE_LOCK, "flock", TRUE },
    { "rrrr", JANK_HOP_DISPLAY, "poll", FALSE },
    { "nnnn", JANK_HOP_DISPLAY, "poll", FALSE },
    { "nnnn", JANK_HOP_PIPE, "clock_nanosleep", TRUE },
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (chains); i++)
    {
      gboolean computes = i % 2 != 0;
      g_autoptr (JankReport) report = new_report (&(Case) { "aaaa", chains[i / 2].syscalls, NULL, { NULL }, 1 });
      g_autoptr (JankReportChain) chain = jank_report_chain_new ();
      g_autofree char *rest = NULL, *fact = NULL;

      report->stall.duration_ns = 100 * JANK_NS_PER_MS;
      report->stall.state_ns[JANK_STATE_COMPUTING] = computes ? 99 * JANK_NS_PER_MS : 0;
      for (guint k = 0; k < report->samples->len; k++)
        {
          JankReportSample *sample = g_ptr_array_index (report->samples, k);

          sample->state = computes && k > 0 ? JANK_STATE_COMPUTING : JANK_STATE_BLOCKED;
          jank_set_text (&sample->wait->kind, chains[i / 2].syscalls[0] == 'n' ? "call" : "file");
        }
      for (gint k = 1; k <= 2; k++)
        {
          JankReportLink *link = jank_report_link_new ();

          link->pid = link->tid = k;
          link->kind = k == 1 ? chains[i / 2].kind : JANK_HOP_COMPUTING;
          jank_set_text (&link->syscall, chains[i / 2].syscall);
          g_ptr_array_add (chain->links, link);
        }
      jank_verdict_update (report);
      rest = jank_text_doing_rest (report, chain, FALSE);
      g_assert_cmpint (rest != NULL, ==, chains[i / 2].goes_on && !computes);
      fact = jank_text_chain_fact (report, chain);
      g_assert_cmpint (fact != NULL, ==, !computes);
    }
}

TESTS ("/verdict/merged-waits")
