/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sentence that a developer acts on, for everything that a thread can wait for. */

#include "headline.h"

/* 400 ms of the 1180 ms are in a wait, which has no member yet, and none in another. */
#define IN_WAIT ALL ("") "; samples.1.state=blocked; samples.1.wait={}; "
#define SAID(what) WHAT WHO "was " what " for 97 % of it"
#define TO(member) "; samples.1.wait." member "="
#define FILE_LOCK(syscall, pid) \
  IN_WAIT "samples.1.wait.kind=file" TO ("target") "/n/a" TO ("syscall") syscall TO ("peer") "tracker" \
  TO ("peer_pid") pid
#define CHILD(syscall) \
  IN_WAIT "samples.1.wait.kind=pipe" TO ("target") "sh" TO ("peer_pid") "7" TO ("syscall") syscall
#define DBUS(target) IN_WAIT "samples.1.wait.kind=dbus" TO ("syscall") "poll" TO ("target") target
#define CALL DBUS ("org.a.B.Wait") TO ("dbus.interface") "org.a.B" TO ("dbus.method") "org.a.B.Wait"
#define PROPERTY(method) \
  DBUS ("org.freedesktop.DBus.Properties." method) TO ("dbus.interface") "org.freedesktop.DBus.Properties" \
  TO ("dbus.method") "org.freedesktop.DBus.Properties." method TO ("dbus.property") "org.a.B.Level"
#define NAME TO ("dbus.name") "org.a.Slow"
#define PATH TO ("dbus.path") "/org/a"
#define PEER TO ("peer") "slowd" TO ("peer_pid") "812"
#define LOCK_OF(kind, owner) "{\"kind\":\"" kind "\",\"address\":4096,\"owner\":" #owner "}"
#define LOCK(kind, owner) \
  IN_WAIT "samples.1.wait.kind=lock" TO ("syscall") "futex" TO ("lock") LOCK_OF (kind, owner)
/* The threads were read while the main thread waited for a lock, that one or another. */
#define HELD_AT(address) "; threads.0.wait.lock.address=" #address "; threads.0.wait.lock.owner=4246"
#define IN_FUNCTION(function, line) \
  "; threads.2.function=" function "; threads.2.file=/src/store.c; threads.2.line=" #line
#define NOBODY "; threads.1.wait.kind=wake; threads.2.name=gmain; samples.1.wait.timeout_ns=1"
#define COMPUTES "; that thread was itself computing"
#define DEADLOCK "locks.deadlock=true; threads.1.wait.lock=" LOCK_OF ("mutex", 4242)
#define CIRCLE \
  "Deadlock: 4242 “jankwatch-demo” → 4245 “thumbnailer” → 4242 “jankwatch-demo”, each waiting for a lock held by the " \
  "next. "
#define SO_FAR "Main loop has been stalled for 1.24 s so far (hang): compute_primes() (demo.c:123)"
/* 780 of 1180 ms computing and the rest waiting: what is said is true of the share that is said. */
#define MIXED ALL ("computing") "; samples.1.state=blocked; samples.1.wait.kind=sleep" TO ("syscall") "clock_nanosleep"
#define READING(sample, path) \
  "; samples." sample ".state=blocked; samples." sample ".wait={\"kind\":\"file\",\"syscall\":\"read\",\"target\":\"" \
  path "\"}"

#define TERMINAL "samples.1.wait.kind=device" TO ("syscall") "write" TO ("target") "/dev/pts/3"
/* Read in that stall or in another of its problem. */
#define CHAIN(began_ns) \
  IN_WAIT TERMINAL "; stall.began_monotonic_ns=5; chain={\"began_monotonic_ns\":" #began_ns ",\"cause\":\"sleep\"," \
  "\"settled\":true,\"links\":[{\"pid\":4242,\"tid\":4242,\"kind\":\"terminal\",\"syscall\":\"write\"}," \
  "{\"pid\":812,\"tid\":812,\"name\":\"device\",\"kind\":\"sleep\"}]}"

static const HeadlineRow rows[] = {
  { "chain", CHAIN (5), SAID ("writing to the full terminal /dev/pts/3") " → device [812] sleeps" },
  { "chain-of-another", CHAIN (6), SAID ("writing to the full terminal /dev/pts/3") },
  { "flock", FILE_LOCK ("flock", "7"), SAID ("waiting for a lock on ‘/n/a’, held by tracker [7]") },
  { "database", FILE_LOCK ("clock_nanosleep", "7"),
    SAID ("waiting for the lock of the database ‘/n/a’, held by tracker [7]") },
  { "own-database", FILE_LOCK ("clock_nanosleep", "4242"),
    SAID ("waiting for the lock of the database ‘/n/a’, held by the program itself") },
  { "child-read", CHILD ("read"), SAID ("waiting for output of the child ‘sh’") },
  { "child-write", CHILD ("writev"), SAID ("waiting for the child ‘sh’ to read") },
  { "dbus", CALL NAME PATH PEER,
    SAID ("waiting for the D-Bus reply to org.a.B.Wait of /org/a at org.a.Slow (slowd [812])") },
  { "dbus-unnamed", CALL, SAID ("waiting for the D-Bus reply to org.a.B.Wait") },
  { "dbus-name", CALL NAME, SAID ("waiting for the D-Bus reply to org.a.B.Wait at org.a.Slow") },
  { "dbus-get", PROPERTY ("Get") NAME PATH,
    SAID ("waiting for the D-Bus property org.a.B.Level of /org/a at org.a.Slow") },
  { "dbus-set", PROPERTY ("Set") NAME,
    SAID ("waiting for the D-Bus reply to org.freedesktop.DBus.Properties.Set of org.a.B.Level at org.a.Slow") },
  { "dbus-proxy", DBUS ("org.a.B") TO ("dbus.interface") "org.a.B" NAME PATH PEER,
    SAID ("waiting to set up the D-Bus proxy org.a.B of /org/a at org.a.Slow (slowd [812])") },
  { "mutex", LOCK ("mutex", 4245), SAID ("waiting for a lock (mutex) held by thread 4245 “thumbnailer”")
    "; that thread was itself reading ‘/home/user/.cache/thumbs.db’ on nfs4" },
  { "mutex-computing", LOCK ("mutex", 4246),
    SAID ("waiting for a lock (mutex) held by thread 4246 “pool-spawner”") COMPUTES },
  { "rwlock-gone", LOCK ("rwlock", 99), SAID ("waiting for a lock (rwlock) held by thread 99") },
  { "mutex-of-nobody", LOCK ("GMutex", 0), SAID ("waiting for a lock (GMutex, owner unknown)") },
  { "join", LOCK ("join", 4246), SAID ("waiting for the end of thread 4246 “pool-spawner”") COMPUTES },
  { "cond", LOCK ("GCond", 0), SAID ("waiting for another thread’s signal (GCond)") },
  /* The holder's own function; without a line where none is known. */
  { "holder-line", LOCK ("GMutex", 4246) HELD_AT (4096) IN_FUNCTION ("save_database", 12),
    SAID ("waiting for a lock (GMutex) that thread 4246 “pool-spawner” holds in save_database() (store.c:12)")
    COMPUTES },
  { "holder", LOCK ("GMutex", 4246) HELD_AT (4096) IN_FUNCTION ("save_database", 0),
    SAID ("waiting for a lock (GMutex) that thread 4246 “pool-spawner” holds in save_database()") COMPUTES },
  { "holder-of-another", LOCK ("GMutex", 4246) HELD_AT (8192) IN_FUNCTION ("notes", 0),
    SAID ("waiting for a lock (GMutex) held by thread 4246 “pool-spawner”") COMPUTES },
  { "holder-joined", LOCK ("join", 4246) HELD_AT (4096) IN_FUNCTION ("save_database", 12),
    SAID ("waiting for the end of thread 4246 “pool-spawner”, which is in save_database() (store.c:12)") COMPUTES },
  /* No owner: a guess. */
  { "waker", LOCK ("queue", 0) HELD_AT (4096) IN_FUNCTION ("save_database", 12)
    "; threads.1.stall_cpu_ns=0; threads.2.name=saver",
    SAID ("waiting for an item of a queue") "; probably for thread 4246 “saver” in save_database() "
    "(store.c:12), which was itself computing" },
  { "waker-itself", LOCK ("event", 0) HELD_AT (4096) NOBODY, SAID ("waiting for an Event")
    "; no other thread is at work: probably only this main loop could wake it, a deadlock with itself" },
  { "taker", LOCK ("Mutex", 0) HELD_AT (4096) NOBODY "; threads.0.stack=0",
    SAID ("waiting for a lock (Mutex, owner unknown)")
    "; probably this thread holds it itself, since on_button_clicked() (or locked twice)" },
  { "taker-unknown", LOCK ("Mutex", 0) HELD_AT (4096) NOBODY, SAID ("waiting for a lock (Mutex, owner unknown)")
    "; probably this thread holds it itself" },
  { "taker-known", LOCK ("GMutex", 4242) HELD_AT (4096) "; threads.0.stack=0; locks.deadlock=true; locks.chain=[4242]"
    "; locks.chain.+=4242",
    "Deadlock: thread 4242 “jankwatch-demo” is waiting for a lock that it holds itself, probably since "
    "on_button_clicked() (or locked twice). " WHAT "compute_primes() (demo.c:123)" },
  { "deadlock", DEADLOCK "; stall.outcome=ongoing", CIRCLE SO_FAR },
  /* A function of the platform is not all: it came from a source. */
  { "deadlock-from-source", DEADLOCK "; culprit.module=/usr/lib/x86_64-linux-gnu/libgio-2.0.so.0",
    CIRCLE WHAT "compute_primes() (demo.c:123), from ‘GDK X11 Event source (:99)’" },
  { "mixed", MIXED, WHAT WHO "was computing for 64 % of it" },
  { "short-sleeps", IN_WAIT "samples.1.wait.kind=sleep" TO ("timeout_ns") "100000",
    SAID ("sleeping 100 µs again and again") },
  { "two-waits", MIXED READING ("0", "/n/a"), WHAT WHO "was sleeping for 33 % of it, and reading ‘/n/a’ for 26 %" },
  { "three-waits", MIXED READING ("0", "/n/a") READING ("4", "/n/b"),
    WHAT WHO "was sleeping for 33 % of it, and reading ‘/n/b’ for 31 %" },
  { "many-waits", MIXED READING ("0", "/n/a") READING ("2", "/n/2") READING ("3", "/n/3") READING ("4", "/n/b")
    "; samples.*.state=blocked; samples.*.weight_ns=100ms", SAID ("in several short waits") },
};

TEST (waits)
{
  static const struct { const char *kind, *syscall, *target, *filesystem, *expected; } waits[] = {
    { "file", "read", "/n/thumbs.db", "nfs4", "was reading ‘/n/thumbs.db’ on nfs4" },
    { "file", "preadv2", "/n/thumbs.db", "ext4", "was reading ‘/n/thumbs.db’" },
    { "file", "pwrite64", "/n/thumbs.db", "fuse.sshfs", "was writing to ‘/n/thumbs.db’ on fuse.sshfs" },
    { "file", "fdatasync", "/n/a", NULL, "was syncing ‘/n/a’ to disk" },
    { "file", "openat", "/n/a", NULL, "was opening ‘/n/a’" },
    { "file", "flock", "/n/a", NULL, "was waiting for a lock on ‘/n/a’" },
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
    { "sleep", "clock_nanosleep", NULL, NULL, "was sleeping" },
    { "child", "wait4", "convert", NULL, "was waiting for the process convert to end" },
    { "child", "wait4", NULL, NULL, "was waiting for a child process to end" },
    { "device", "ioctl", "/dev/dri/card0", NULL, "was waiting for the device /dev/dri/card0" },
    { "device", "read", "/dev/pts/3", NULL, "was waiting for input at the terminal /dev/pts/3" },
    { "dbus", "poll", NULL, NULL, "was waiting for the reply to a D-Bus call" },
    { "call", "msgrcv", NULL, NULL, "was blocked in msgrcv" },
    { NULL, NULL, NULL, NULL, "was blocked" },
    { "of a later version", "read", "it", NULL, "was waiting for it" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
    {
      const char *parts[] = { waits[i].kind, waits[i].syscall, waits[i].target, waits[i].filesystem };
      const char *mount = waits[i].target == NULL && waits[i].filesystem != NULL ? "/n" : "";
      g_autofree char *expected = g_strconcat (WHAT WHO, waits[i].expected, " for 97 % of it", NULL), *edits = NULL;
      g_autoptr (JankReport) report = NULL;

      for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
        parts[k] = parts[k] != NULL ? parts[k] : "";
      edits = g_strdup_printf (IN_WAIT "samples.1.wait.kind=%s" TO ("syscall") "%s" TO ("target") "%s"
                               TO ("filesystem") "%s" TO ("mount") "%s", parts[0], parts[1], parts[2], parts[3], mount);
      report = report_fixture_new_edited (edits);
      assert_headline (report, expected);
    }
}

TESTS_AND_ROWS ("/text/waits", rows, headline_check)
