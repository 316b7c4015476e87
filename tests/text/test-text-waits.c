/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sentence that a developer acts on, for everything that a thread can wait for. */

#include "headline.h"

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
  assert_headline (joined, WHAT WHO "was waiting for the end of thread 4246 “pool-spawner”, which is in "
                                    "save_database() (store.c:12) for 97 % of it; that thread was itself computing");
}

TEST (deadlock)
{
  const gint again = 4242;
  g_autoptr (JankReport) report = report_fixture_new (ID);
  JankReportThread *worker = g_ptr_array_index (report->threads, 1);
  const char *expected = "Deadlock: 4242 “jankwatch-demo” → 4245 “thumbnailer” → 4242 “jankwatch-demo”, each waiting "
                         "for a lock of the next. Main loop has been stalled for 1.24 s so far (hang): "
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
  assert_headline (report, "Deadlock: 4242 “jankwatch-demo” → 4245 “thumbnailer” → 4242 “jankwatch-demo”, each "
                           "waiting for a lock of the next. Main loop stalled for 1.24 s (hang): compute_primes() "
                           "(demo.c:123), from ‘GDK X11 Event source (:99)’");
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

TESTS ("/text/waits")
