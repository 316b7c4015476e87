/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sentence that a developer acts on, for everything that a thread can wait for. */

#include <string.h>

#include "base/jank-clock-private.h"
#include "text/jank-text-report-private.h"
#include "report-fixture.h"
#include "test.h"

#define ID "20261121-153012-4242-1"
#define WHAT "Main loop stalled for 1.24 s (hang): "
#define WHO "compute_primes() (demo.c:123) "

/* What goes to another process makes the same words there. */
static void
check_gist (JankReport *report)
{
  g_autoptr (JankReport) gist = jank_text_gist (report);
  g_autofree char *doing = jank_text_doing (report), *culprit = jank_text_culprit (report);
  g_autofree char *gist_doing = jank_text_doing (gist), *gist_culprit = NULL;

  gist->culprit.file = g_strdup (report->culprit.file);
  gist->culprit.line = report->culprit.line;
  gist_culprit = jank_text_culprit (gist);
  g_assert_cmpstr (gist_doing, ==, doing);
  g_assert_cmpstr (gist_culprit, ==, culprit);
}

static void
assert_headline (JankReport *report, const char *expected)
{
  g_autofree char *headline = jank_text_headline (report), *cause = jank_text_cause (report);

  check_gist (report);
  g_assert_cmpstr (headline, ==, expected);
  /* `run` says the cause alone. */
  if (cause != NULL && report->kind != JANK_REPORT_NESTED && !report->locks.deadlock && !jank_report_is_idle (report))
    g_assert_true (g_str_has_suffix (headline, cause));
}

/* All of the culprit's samples were in state, and waited for wait (transfer full) (nullable). */
static JankReport *
new_report (JankThreadState state, JankReportWait *wait)
{
  JankReport *report = report_fixture_new (ID);

  for (guint i = 0; i < report->samples->len; i++)
    ((JankReportSample *) report->samples->pdata[i])->state = state;
  ((JankReportSample *) report->samples->pdata[1])->wait = wait;
  for (guint i = 0; i < JANK_N_STATES; i++)
    report->stall.state_ns[i] = 0;
  return report;
}

static JankReportWait *
new_wait (const char *kind, const char *syscall, const char *target, const char *filesystem)
{
  JankReportWait *wait = jank_report_wait_new ();

  wait->kind = g_strdup (kind);
  wait->syscall = g_strdup (syscall);
  wait->target = g_strdup (target);
  wait->filesystem = g_strdup (filesystem);
  wait->mount = target == NULL && filesystem != NULL ? g_strdup ("/n") : NULL;
  return wait;
}

TEST (waits)
{
  static const struct { const char *kind, *syscall, *target, *filesystem, *expected; } waits[] = {
    { "file", "read", "/n/thumbs.db", "nfs4", "was reading ‘/n/thumbs.db’ on nfs4" },
    { "file", "preadv2", "/n/thumbs.db", "ext4", "was reading ‘/n/thumbs.db’" },
    { "file", "pwrite64", "/n/thumbs.db", "fuse.sshfs", "was writing to ‘/n/thumbs.db’ on fuse.sshfs" },
    { "file", "fdatasync", "/n/a", NULL, "was syncing ‘/n/a’ to disk" },
    { "file", "openat", "/n/a", NULL, "was opening ‘/n/a’" },
    { "file", "flock", "/n/a", NULL, "was waiting for a lock on ‘/n/a’" },
    { "file", "fcntl", "/n/a", NULL, "was waiting for a lock on ‘/n/a’" },
    { "file", "readlink", "/n/a", NULL, "was waiting for ‘/n/a’" },
    { "pipe", "read", "/run/fifo", NULL, "was reading ‘/run/fifo’" },
    { "socket", "connect", "10.0.0.7:80", NULL, "was connecting to 10.0.0.7:80" },
    { "socket", "recvfrom", "dbus-daemon", NULL, "was waiting for data from dbus-daemon" },
    { "socket", "sendmsg", "dbus-daemon", NULL, "was sending to dbus-daemon" },
    { "socket", "accept4", "10.0.0.7:80", NULL, "was waiting for a connection at 10.0.0.7:80" },
    { "socket", "recvmsg", NULL, NULL, "was blocked in recvmsg" },
    { "poll", "poll", NULL, NULL, "was waiting for any of several descriptors" },
    { "poll", "poll", "pipe, dbus-daemon", NULL, "was waiting for pipe, dbus-daemon" },
    { "page", NULL, "/n/map", "fuse.sshfs", "was waiting for the mapped file ‘/n/map’ on fuse.sshfs" },
    { "page", NULL, NULL, "fuse.sshfs", "was waiting for a mapped file in ‘/n’ on fuse.sshfs" },
    { "page", NULL, NULL, NULL, "was waiting for memory from disk" },
    { "poll", "poll", "eventfd", NULL, "was waiting for eventfd" }, /* in older reports */
    { "wake", "poll", NULL, NULL, "was waiting for another thread to wake it" },
    { "pipe", "poll", NULL, NULL, "was waiting for the other end of a pipe" },
    { "socket", "poll", "10.0.0.7:80", NULL, "was waiting for 10.0.0.7:80" },
    { "socket", "pselect6", "10.0.0.7:80", NULL, "was waiting for 10.0.0.7:80" },
    { "sleep", "clock_nanosleep", NULL, NULL, "was sleeping" },
    { "child", "wait4", "convert", NULL, "was waiting for the process convert to end" },
    { "child", "wait4", NULL, NULL, "was waiting for a child process to end" },
    { "device", "ioctl", "/dev/dri/card0", NULL, "was waiting for the device /dev/dri/card0" },
    { "dbus", "poll", "org.example.Slow.Wait", NULL, "was waiting for the D-Bus reply to org.example.Slow.Wait" },
    { "dbus", "poll", NULL, NULL, "was waiting for the reply to a D-Bus call" },
    { "pipe", "read", NULL, NULL, "was waiting for the other end of a pipe" },
    { "call", "msgrcv", NULL, NULL, "was blocked in msgrcv" },
    { NULL, NULL, NULL, NULL, "was blocked" },
    { "of a later version", "read", "it", NULL, "was waiting for it" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
    {
      JankReportWait *wait = new_wait (waits[i].kind, waits[i].syscall, waits[i].target, waits[i].filesystem);
      g_autoptr (JankReport) report = NULL;
      g_autofree char *expected = g_strconcat (WHAT WHO, waits[i].expected, " for 97 % of it", NULL);

      /* 400 ms of the 1180 ms are in this wait, and none in another. */
      report = new_report (JANK_STATE_BLOCKED, wait);
      for (guint k = 0; k < report->samples->len; k++)
        if (k != 1)
          ((JankReportSample *) report->samples->pdata[k])->state = JANK_STATE_UNKNOWN;
      assert_headline (report, expected);
    }
}

TEST (held_file)
{
  static const struct { const char *syscall; gint pid; const char *expected; } cases[] = {
    { "flock", 7, "waiting for a lock on ‘/n/a’, held by tracker [7]" },
    { "clock_nanosleep", 7, "waiting for the lock of the database ‘/n/a’, held by tracker [7]" },
    { "clock_nanosleep", 4242, "waiting for the lock of the database ‘/n/a’, held by the program itself" },
    { "clock_nanosleep", 0, "waiting for the lock of the database ‘/n/a’" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      JankReportWait *wait = new_wait ("file", cases[i].syscall, "/n/a", NULL);
      g_autoptr (JankReport) report = new_report (JANK_STATE_BLOCKED, wait);
      g_autofree char *said = NULL;

      report->app.pid = 4242;
      wait->peer_pid = cases[i].pid;
      wait->peer = g_strdup ("tracker");
      said = jank_text_wait (report, wait);
      g_assert_cmpstr (said, ==, cases[i].expected);
      check_gist (report);
    }
}

TEST (child_output)
{
  static const struct { const char *syscall, *expected; } cases[] = {
    { "read", "waiting for output of the child ‘sh’" }, { "poll", "waiting for output of the child ‘sh’" },
    { "writev", "waiting for the child ‘sh’ to read" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      JankReportWait *wait = new_wait ("pipe", cases[i].syscall, "sh", NULL);
      g_autoptr (JankReport) report = new_report (JANK_STATE_BLOCKED, wait);
      g_autofree char *said = NULL;

      wait->peer_pid = 7;
      said = jank_text_wait (report, wait);
      g_assert_cmpstr (said, ==, cases[i].expected);
      check_gist (report);
    }
}

typedef struct
{
  const char *target, *name, *path, *interface, *method, *property, *peer, *expected;
} DBusCase;

static JankReport *
new_dbus_report (const DBusCase *expected)
{
  JankReportWait *wait = new_wait ("dbus", "poll", expected->target, NULL);

  wait->dbus.name = g_strdup (expected->name);
  wait->dbus.path = g_strdup (expected->path);
  wait->dbus.interface = g_strdup (expected->interface);
  wait->dbus.method = g_strdup (expected->method);
  wait->dbus.property = g_strdup (expected->property);
  wait->peer = g_strdup (expected->peer);
  wait->peer_pid = expected->peer != NULL ? 812 : 0;
  return new_report (JANK_STATE_BLOCKED, wait);
}

TEST (dbus)
{
  static const DBusCase cases[] = {
    { "org.a.B.Wait", "org.a.Slow", "/org/a", "org.a.B", "org.a.B.Wait", NULL, "slowd",
      "waiting for the D-Bus reply to org.a.B.Wait of /org/a at org.a.Slow (slowd [812])" },
    { "org.a.B.Wait", NULL, NULL, "org.a.B", "org.a.B.Wait", NULL, NULL,
      "waiting for the D-Bus reply to org.a.B.Wait" },
    { "org.a.B.Wait", "org.a.Slow", NULL, "org.a.B", "org.a.B.Wait", NULL, NULL,
      "waiting for the D-Bus reply to org.a.B.Wait at org.a.Slow" },
    { "org.freedesktop.DBus.Properties.Get", "org.a.Slow", "/org/a", "org.freedesktop.DBus.Properties",
      "org.freedesktop.DBus.Properties.Get", "org.a.B.Level", NULL,
      "waiting for the D-Bus property org.a.B.Level of /org/a at org.a.Slow" },
    { "org.freedesktop.DBus.Properties.Set", "org.a.Slow", NULL, "org.freedesktop.DBus.Properties",
      "org.freedesktop.DBus.Properties.Set", "org.a.B.Level", NULL,
      "waiting for the D-Bus reply to org.freedesktop.DBus.Properties.Set of org.a.B.Level at org.a.Slow" },
    { "org.a.B", "org.a.Slow", "/org/a", "org.a.B", NULL, NULL, "slowd",
      "waiting to set up the D-Bus proxy org.a.B of /org/a at org.a.Slow (slowd [812])" },
    { "", NULL, NULL, NULL, NULL, NULL, "slowd", "waiting for the reply to a D-Bus call" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (JankReport) report = new_dbus_report (&cases[i]);
      const JankReportSample *sample = g_ptr_array_index (report->samples, 1);
      g_autofree char *said = jank_text_wait (report, sample->wait);

      g_assert_cmpstr (said, ==, cases[i].expected);
      check_gist (report);
    }
}

static void
add_branch (JankReport *report, gint call, gint from, double share)
{
  const JankReportBranch branch = { { call, share, 0 }, from, (gint64) (share * 1000) * JANK_NS_PER_MS };

  g_array_append_val (report->heaviest.branches, branch);
}

/* The fixture's path ends in its culprit, compute_primes(), and 8 is g_signal_emit(). */
TEST (branches)
{
  g_autoptr (JankReport) report = new_report (JANK_STATE_COMPUTING, NULL);
  const gint last = (gint) report->heaviest.path->len - 1;
  JankReportBranch *first;

  g_array_set_size (report->heaviest.branches, 0);
  add_branch (report, 11, last, 0.41);
  assert_headline (report, WHAT WHO "was computing for 97 % of it");
  add_branch (report, 12, last, 0.48);
  add_branch (report, 12, last + 1, 0.39);
  assert_headline (report, WHAT WHO "was computing for 97 % of it; clock_nanosleep() took 48 %, is_prime() 41 %");
  first = &g_array_index (report->heaviest.branches, JankReportBranch, 0);
  first->from = 8;
  assert_headline (report, WHAT WHO "was computing for 97 % of it");
}

/* What the sentence says of branches stands in the table. */
TEST (branches_in_table)
{
  g_autoptr (JankReport) report = new_report (JANK_STATE_COMPUTING, NULL);
  const gint last = (gint) report->heaviest.path->len - 1;
  const JankTextStyle style = { .n_columns = 120 };
  g_autofree char *text = NULL;

  g_array_set_size (report->heaviest.branches, 0);
  report->heaviest.stack = 1; /* in is_prime() */
  add_branch (report, 11, last, 0.41);
  add_branch (report, 12, last, 0.48);
  add_branch (report, 9, last + 2, 0.44);
  add_branch (report, 10, 8, 0.22);
  add_branch (report, 11, last + 4, 0.21);
  text = jank_text_report (report, &style);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, "  41 %        is_prime"));
  g_assert_nonnull (strstr (text, "  44 %   440 ms  on_button_clicked, called by compute_primes\n"
                                  "  22 %   220 ms  compute_primes → is_prime, called by main\n"));
}

static void
set_lock (JankReportWait *wait, const char *kind, gint owner)
{
  wait->lock.kind = g_strdup (kind);
  wait->lock.address = 0x1000;
  wait->lock.owner = owner;
}

static JankReport *
new_lock_report (const char *kind, gint owner)
{
  JankReportWait *wait = new_wait ("lock", "futex", NULL, NULL);
  JankReport *report = NULL;

  set_lock (wait, kind, owner);
  report = new_report (JANK_STATE_UNKNOWN, wait);
  ((JankReportSample *) report->samples->pdata[1])->state = JANK_STATE_BLOCKED;
  return report;
}

TEST (locks)
{
  g_autoptr (JankReport) owned = new_lock_report ("mutex", 4245);
  g_autoptr (JankReport) computing = new_lock_report ("mutex", 4246);
  g_autoptr (JankReport) gone = new_lock_report ("rwlock", 99);
  g_autoptr (JankReport) nameless = new_lock_report ("GMutex", 0);
  g_autoptr (JankReport) joined = new_lock_report ("join", 4246);
  g_autoptr (JankReport) signal = new_lock_report ("GCond", 0);

  assert_headline (owned, WHAT WHO "was waiting for a lock (mutex) held by thread 4245 “thumbnailer” for 97 % of it; "
                          "that thread was itself reading ‘/home/user/.cache/thumbs.db’ on nfs4");
  assert_headline (computing, WHAT WHO "was waiting for a lock (mutex) held by thread 4246 “pool-spawner” for 97 % of "
                              "it; that thread was itself computing");
  assert_headline (gone, WHAT WHO "was waiting for a lock (rwlock) held by thread 99 for 97 % of it");
  assert_headline (nameless, WHAT WHO "was waiting for a lock (GMutex, owner unknown) for 97 % of it");
  assert_headline (joined, WHAT WHO "was waiting for the end of thread 4246 “pool-spawner” for 97 % of it; "
                           "that thread was itself computing");
  assert_headline (signal, WHAT WHO "was waiting for another thread’s signal (GCond) for 97 % of it");
}

/* The threads were read while the main thread waited for that lock. */
static JankReportThread *
set_holder (JankReport *report, gint tid)
{
  JankReportThread *main_thread = g_ptr_array_index (report->threads, 0);
  JankReportThread *thread = (JankReportThread *) jank_text_find_thread (report, tid);

  main_thread->wait->lock.address = 0x1000;
  main_thread->wait->lock.owner = tid;
  thread->function = g_strdup ("save_database");
  thread->file = g_strdup ("/src/store.c");
  thread->line = 12;
  return thread;
}

/* The holder's own function; without a line where none is known, and an address as it is. */
TEST (holders)
{
  g_autoptr (JankReport) owned = new_lock_report ("GMutex", 4246);
  g_autoptr (JankReport) joined = new_lock_report ("join", 4246);
  JankReportThread *thread = set_holder (owned, 4246);

  assert_headline (owned, WHAT WHO "was waiting for a lock (GMutex) that thread 4246 “pool-spawner” holds in "
                          "save_database() (store.c:12) for 97 % of it; that thread was itself computing");
  thread->line = 0;
  assert_headline (owned, WHAT WHO "was waiting for a lock (GMutex) that thread 4246 “pool-spawner” holds in "
                          "save_database() for 97 % of it; that thread was itself computing");
  g_free (thread->function);
  thread->function = g_strdup ("notes+0x1f10");
  assert_headline (owned, WHAT WHO "was waiting for a lock (GMutex) that thread 4246 “pool-spawner” holds in "
                          "notes+0x1f10 for 97 % of it; that thread was itself computing");
  ((JankReportThread *) g_ptr_array_index (owned->threads, 0))->wait->lock.address = 0x2000;
  assert_headline (owned, WHAT WHO "was waiting for a lock (GMutex) held by thread 4246 “pool-spawner” for 97 % of it; "
                          "that thread was itself computing");
  set_holder (joined, 4246);
  assert_headline (joined, WHAT WHO "was waiting for the end of thread 4246 “pool-spawner”, which is in save_database() "
                           "(store.c:12) for 97 % of it; that thread was itself computing");
}

TEST (deadlock)
{
  const gint again = 4242;
  g_autoptr (JankReport) report = report_fixture_new (ID);
  JankReportThread *worker = g_ptr_array_index (report->threads, 1);
  const char *expected = "Deadlock: 4242 “jankwatch-demo” → 4245 “thumbnailer” → 4242 “jankwatch-demo”, each waiting for "
                         "a lock of the next. Main loop has been stalled for 1.24 s so far (hang): "
                         "compute_primes() (demo.c:123)";

  report->stall.outcome = JANK_OUTCOME_ONGOING;
  report->locks.deadlock = TRUE;
  set_lock (worker->wait, "mutex", 4242);
  assert_headline (report, expected);

  /* The same where the chain says that it closes. */
  g_array_append_val (report->locks.chain, again);
  assert_headline (report, expected);
}

/* A function of the platform is not all: it came from a source. */
TEST (deadlock_from_source)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);

  report->locks.deadlock = TRUE;
  set_lock (((JankReportThread *) report->threads->pdata[1])->wait, "mutex", 4242);
  jank_set_text (&report->culprit.module, "/usr/lib/x86_64-linux-gnu/libgio-2.0.so.0");
  assert_headline (report, "Deadlock: 4242 “jankwatch-demo” → 4245 “thumbnailer” → 4242 “jankwatch-demo”, each waiting for "
                           "a lock of the next. Main loop stalled for 1.24 s (hang): compute_primes() (demo.c:123), from "
                           "‘GDK X11 Event source (:99)’");
}

TEST (states)
{
  g_autoptr (JankReport) faults = new_report (JANK_STATE_PAGE_FAULT, NULL);
  g_autoptr (JankReport) preempted = new_report (JANK_STATE_PREEMPTED, NULL);
  g_autoptr (JankReport) unknown = new_report (JANK_STATE_UNKNOWN, NULL);

  assert_headline (faults, WHAT WHO "was waiting for memory from disk for 97 % of it");
  assert_headline (preempted, WHAT WHO "had no CPU for 97 % of it");
  assert_headline (unknown, WHAT WHO "was running for 97 % of it");
}

/* 780 of 1180 ms computing and the rest waiting: what is said is true of the share that is said. */
TEST (mixed)
{
  g_autoptr (JankReport) report = new_report (JANK_STATE_COMPUTING, new_wait ("sleep", "clock_nanosleep", NULL, NULL));

  ((JankReportSample *) report->samples->pdata[1])->state = JANK_STATE_BLOCKED;
  assert_headline (report, WHAT WHO "was computing for 64 % of it");
  ((JankReportSample *) report->samples->pdata[0])->state = JANK_STATE_BLOCKED;
  ((JankReportSample *) report->samples->pdata[0])->wait = new_wait ("file", "read", "/n/a", NULL);
  assert_headline (report, WHAT WHO "was sleeping for 33 % of it, and reading ‘/n/a’ for 26 %");
  /* One of less than a quarter is not told, and not in the share. */
  ((JankReportSample *) report->samples->pdata[0])->weight_ns /= 4;
  assert_headline (report, WHAT WHO "was sleeping for 41 % of it");
  ((JankReportSample *) report->samples->pdata[0])->weight_ns *= 4;
  ((JankReportSample *) report->samples->pdata[4])->state = JANK_STATE_BLOCKED;
  ((JankReportSample *) report->samples->pdata[4])->wait = new_wait ("file", "read", "/n/b", NULL);
  assert_headline (report, WHAT WHO "was sleeping for 33 % of it, and reading ‘/n/b’ for 31 %");
  for (guint i = 0; i < report->samples->len; i++)
    {
      JankReportSample *sample = report->samples->pdata[i];
      g_autofree char *file = g_strdup_printf ("/n/%u", i);

      sample->state = JANK_STATE_BLOCKED;
      sample->weight_ns = 100 * JANK_NS_PER_MS;
      if (sample->wait == NULL)
        sample->wait = new_wait ("file", "read", file, NULL);
    }
  assert_headline (report, WHAT WHO "was waiting for one thing after another for 97 % of it");
}

/* Inside one system call, on a CPU. */
TEST (kernel)
{
  g_autoptr (JankReport) report = new_report (JANK_STATE_COMPUTING, NULL);
  JankReportSample *longest = report->samples->pdata[1];

  longest->kernel = g_strdup ("munmap");
  assert_headline (report, WHAT WHO "was computing for 97 % of it");
  for (guint i = 2; i < report->samples->len; i++)
    ((JankReportSample *) report->samples->pdata[i])->kernel = g_strdup ("unknown");
  assert_headline (report, WHAT WHO "was computing in the kernel for 97 % of it");
  longest->weight_ns *= 3;
  assert_headline (report, WHAT WHO "was computing in the kernel (munmap) for 97 % of it");
  jank_set_text (&longest->kernel, "unknown");
  assert_headline (report, WHAT WHO "was computing in the kernel for 97 % of it");
}

TEST (starved)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);

  report->stall.state_ns[JANK_STATE_COMPUTING] = 400 * JANK_NS_PER_MS;
  report->stall.state_ns[JANK_STATE_PREEMPTED] = 806 * JANK_NS_PER_MS;
  assert_headline (report, WHAT "the machine was overloaded: the program was ready to run but had no CPU for 65 % of the stall; "
                   "97 % of its stacks are in compute_primes() (demo.c:123)");

  /* The watcher was late, and nobody knows what the thread did. */
  memset (report->stall.state_ns, 0, sizeof report->stall.state_ns);
  report->stall.watcher_late_ns = 1116 * JANK_NS_PER_MS;
  assert_headline (report, WHAT "the machine was overloaded: the program was ready to run but had no CPU for 90 % of the stall; "
                   "97 % of its stacks are in compute_primes() (demo.c:123)");

  /* It was late, but the thread did compute. */
  report->stall.state_ns[JANK_STATE_COMPUTING] = 1210 * JANK_NS_PER_MS;
  assert_headline (report, WHAT WHO "was computing for 97 % of it");
}

/* Shares are of the time that has stacks, and the thread did not wait while it had no CPU. */
TEST (starved_and_waiting)
{
  g_autoptr (JankReport) report = new_lock_report ("rwlock", 99);
  JankReportSample *sample = report->samples->pdata[1];

  sample->weight_ns = 420 * JANK_NS_PER_MS;
  sample = report->samples->pdata[3];
  sample->weight_ns = 600 * JANK_NS_PER_MS;
  sample->state = JANK_STATE_PREEMPTED;
  /* 97 % of 1224 ms of 1824 ms */
  assert_headline (report, WHAT WHO "was waiting for a lock (rwlock) held by thread 99 for 65 % of it");
}

TEST (spin)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);

  report->kind = JANK_REPORT_SPIN;
  report->stall.duration_ns = 3200 * JANK_NS_PER_MS;
  report->stall.n_turns = 154282;
  jank_set_text (&report->source.name, "my idle");
  assert_headline (report, "Main loop turned 48213 times a second for 3.20 s without waiting: it kept dispatching "
                           "on_button_clicked(), from ‘my idle’");
  report->source.name[0] = '\0';
  assert_headline (report, "Main loop turned 48213 times a second for 3.20 s without waiting: it kept dispatching "
                           "on_button_clicked()");
  jank_set_text (&report->culprit.function, "on_button_clicked");
  report->culprit.line = 17;
  assert_headline (report, "Main loop turned 48213 times a second for 3.20 s without waiting: it kept dispatching "
                           "on_button_clicked() (demo.c:17)");
  report->source.callback = JANK_REPORT_NO_INDEX;
  report->stall.outcome = JANK_OUTCOME_ONGOING;
  assert_headline (report, "Main loop has been turning 48213 times a second for 3.20 s without waiting: "
                           "on_button_clicked() (demo.c:17) turned it itself");
  report->source.name[0] = 'm';
  g_clear_pointer (&report->culprit.function, g_free);
  assert_headline (report, "Main loop has been turning 48213 times a second for 3.20 s without waiting: it kept "
                           "dispatching ‘my idle’");
}

TEST (cpu)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autofree char *expected = NULL, *many = NULL;
  JankReportThread *thread;

  report->kind = JANK_REPORT_CPU;
  report->stall.cpu_ns = 2 * report->stall.duration_ns;
  for (guint i = 0; i < report->threads->len; i++)
    ((JankReportThread *) report->threads->pdata[i])->stall_cpu_ns = -1;
  assert_headline (report, "Program used 200 % of a CPU for 1.24 s: " WHO "was computing for 97 % of it");

  /* That the watcher had no CPU does not take the blame off the program. */
  report->stall.watcher_late_ns = report->stall.duration_ns;
  memset (report->stall.state_ns, 0, sizeof report->stall.state_ns);
  thread = report->threads->pdata[1];
  thread->stall_cpu_ns = report->stall.duration_ns;
  expected = g_strdup_printf ("Program used 200 %% of a CPU for 1.24 s, most of it in thread %d “%s”: " WHO
                              "was computing for 97 %% of it", thread->tid, thread->name);
  assert_headline (report, expected);

  thread->stall_cpu_ns -= 1;
  many = g_strdup_printf ("Program used 200 %% of a CPU for 1.24 s, more in thread %d “%s” than in any other: " WHO
                          "was computing for 97 %% of it", thread->tid, thread->name);
  assert_headline (report, many);

  /* None stands out. */
  thread->stall_cpu_ns = report->stall.cpu_ns / 4 - 1;
  assert_headline (report, "Program used 200 % of a CPU for 1.24 s: " WHO "was computing for 97 % of it");
}

/* Frames that are missing are no stall of the loop. */
TEST (frame)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  JankReportCall *callback;
  g_autoptr (JankReport) bare = report_fixture_new_bare (ID);

  report->kind = JANK_REPORT_FRAME;
  bare->kind = JANK_REPORT_FRAME;
  bare->stall.duration_ns = JANK_NS_PER_S;
  assert_headline (report, "Only 43.5 frames a second in 1.24 s: " WHO "was computing for 97 % of it");
  report->stall.fps = 0;
  report->stall.n_turns = 631;
  assert_headline (report, "No frame for 1.24 s while the main loop turned 631 times, above all for on_button_clicked "
                           "(priority 0): " WHO "was computing for 97 % of it");
  /* Code that an interpreter has made: its address tells nobody anything. */
  callback = g_ptr_array_index (report->calls, report->source.callback);
  g_clear_pointer (&callback->symbol, g_free);
  callback->module = JANK_REPORT_NO_INDEX;
  assert_headline (report, "No frame for 1.24 s while the main loop turned 631 times, above all for GDK X11 Event source (:99) "
                           "(priority 0): " WHO "was computing for 97 % of it");
  report->stall.n_turns = 0;
  assert_headline (report, "No frame for 1.24 s: " WHO "was computing for 97 % of it");
  bare->stall.fps = 51.25;
  assert_headline (bare, "Only 51.2 frames a second in 1.00 s");
}

/* A callback that waits for an answer in a loop of its own. */
TEST (nested)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autoptr (JankReport) bare = report_fixture_new_bare (ID);

  report->kind = bare->kind = JANK_REPORT_NESTED;
  assert_headline (report, WHO "was in a nested main loop for 1.24 s");
  report->stall.outcome = JANK_OUTCOME_ONGOING;
  assert_headline (report, WHO "has been in a nested main loop for 1.24 s");
  assert_headline (bare, "A callback was in a nested main loop for 1.24 s");
}

/* Names for people; what a compiler made of them is for the JSON. */
TEST (encoded_names)
{
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autoptr (JankReport) spin = report_fixture_new (ID);
  guint step = (guint) jank_report_find_culprit_step (report);
  JankReportCall *culprit = report->calls->pdata[g_array_index (report->heaviest.path, JankReportStep, step).call];
  JankReportCall *callback = spin->calls->pdata[spin->source.callback];

  jank_set_text (&culprit->symbol, "_ZN6Canvas4drawERKN3Gdk9RectangleE");
  jank_set_text (&report->culprit.function, culprit->symbol);
  assert_headline (report, WHAT "Canvas::draw() (demo.c:123) was computing for 97 % of it");

  spin->kind = JANK_REPORT_SPIN;
  spin->stall.n_turns = 10000;
  jank_set_text (&callback->symbol, "_ZZN3App3runEvENUlPvE_4_FUNES0_");
  assert_headline (spin, "Main loop turned 8064 times a second for 1.24 s without waiting: it kept dispatching "
                         "App::run::{lambda}::_FUN(), from ‘GDK X11 Event source (:99)’");
}

/* A long path keeps its end. */
TEST (paths)
{
  g_autofree char *cut = jank_text_short_path ("/home/somebody/.local/share/a-rather-long-folder/thumbnails/large/thumbs.db");
  g_autofree char *one = jank_text_short_path ("/a-file-name-that-is-longer-than-any-line-would-have-room-for.db");
  g_autofree char *whole = jank_text_short_path ("/home/somebody/thumbs.db");
  g_autofree char *relative = jank_text_short_path ("../../somebody/src/a-rather-long-folder/cli/demo/stall.c");
  g_autofree char *method = jank_text_short_path ("org.example.Application.Printers.ListAllOfThemAtOnce");

  g_assert_cmpstr (cut, ==, "…/thumbnails/large/thumbs.db");
  g_assert_cmpstr (one, ==, "…/a-file-name-that-is-longer-than-any-line-would-have-room-for.db");
  g_assert_cmpstr (whole, ==, "/home/somebody/thumbs.db");
  g_assert_cmpstr (relative, ==, "…/src/a-rather-long-folder/cli/demo/stall.c");
  g_assert_cmpstr (method, ==, "org.example.Application.Printers.ListAllOfThemA…");
}

/* Whoever is to blame, and whether or not it has a name. */
TEST (interaction)
{
  static const struct { JankInteractionKind kind; const char *widget, *label, *expected; } interactions[] = {
    { JANK_INTERACTION_NONE, "GtkButton", "Open", NULL },
    { JANK_INTERACTION_PRESS, "GtkButton", "Open", "Your click on “Open” waited 430 ms for compute_primes()" },
    { JANK_INTERACTION_RELEASE, "GtkButton", NULL, "Your click on GtkButton waited 430 ms for compute_primes()" },
    { JANK_INTERACTION_PRESS, NULL, NULL, "Your click waited 430 ms for compute_primes()" },
    { JANK_INTERACTION_KEY, "GtkTextView", NULL, "Your key press in GtkTextView waited 430 ms for compute_primes()" },
    { JANK_INTERACTION_KEY, NULL, NULL, "Your key press waited 430 ms for compute_primes()" },
    { JANK_INTERACTION_SCROLL, NULL, NULL, "Your scrolling waited 430 ms for compute_primes()" },
    { JANK_INTERACTION_TOUCH, "GtkButton", "Open", "Your touch on “Open” waited 430 ms for compute_primes()" },
  };
  g_autoptr (JankReport) report = report_fixture_new (ID);
  g_autofree char *overloaded = NULL, *nobody = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (interactions); i++)
    {
      g_autofree char *sentence = NULL;

      g_free (report->interaction.widget);
      g_free (report->interaction.label);
      report->interaction.kind = interactions[i].kind;
      report->interaction.waited_ns = 430 * JANK_NS_PER_MS;
      report->interaction.widget = g_strdup (interactions[i].widget);
      report->interaction.label = g_strdup (interactions[i].label);
      sentence = jank_text_interaction (report);
      g_assert_cmpstr (sentence, ==, interactions[i].expected);
    }
  /* It waited for the machine. */
  report->stall.state_ns[JANK_STATE_PREEMPTED] = report->stall.duration_ns;
  overloaded = jank_text_interaction (report);
  g_assert_cmpstr (overloaded, ==, "Your touch on “Open” waited 430 ms");
  report->stall.state_ns[JANK_STATE_PREEMPTED] = 0;
  g_clear_pointer (&report->culprit.function, g_free);
  nobody = jank_text_interaction (report);
  g_assert_cmpstr (nobody, ==, "Your touch on “Open” waited 430 ms");
}

static void
assert_inputs (const JankReportInputs *inputs, const char *expected)
{
  g_autofree char *text = jank_text_inputs (inputs);

  g_assert_cmpstr (text, ==, expected);
}

/* A click is a press and a release. */
TEST (inputs)
{
  g_auto (JankReportInputs) inputs = {
    .answered = { .n = 83, .p98_ns = 501 * JANK_NS_PER_MS, .longest_ns = 612 * JANK_NS_PER_MS },
    .n_of = { [JANK_INTERACTION_PRESS] = 12, [JANK_INTERACTION_RELEASE] = 11, [JANK_INTERACTION_KEY] = 29 },
    .band = jank_input_band (501 * JANK_NS_PER_MS),
    .longest = { .kind = JANK_INTERACTION_RELEASE, .widget = g_strdup ("GtkButton"), .label = g_strdup ("Open") },
  };

  assert_inputs (&inputs, "41 clicks and keys: p98 501 ms (poor), worst 612 ms on “Open”");
  g_clear_pointer (&inputs.longest.label, g_free);
  inputs.n_of[JANK_INTERACTION_SCROLL] = 30;
  inputs.band = jank_input_band (500 * JANK_NS_PER_MS);
  assert_inputs (&inputs, "41 clicks and keys, 30 steps of scrolling: p98 501 ms (fair), worst 612 ms on GtkButton");
  g_clear_pointer (&inputs.longest.widget, g_free);
  memset (inputs.n_of, 0, sizeof inputs.n_of);
  inputs.n_of[JANK_INTERACTION_TOUCH] = 1;
  inputs.band = jank_input_band (200 * JANK_NS_PER_MS);
  assert_inputs (&inputs, "1 click or key: p98 501 ms (good), worst 612 ms");
}

TESTS ("/text/headline")
