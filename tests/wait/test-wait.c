/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is said of calls that no thread is in: of those that no test can hold up, and of garbage. */

#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wait-stage.h"

#define BLOCKED(number, ...) { .kind = JANK_SYSCALL_BLOCKED, number, { __VA_ARGS__ } }

static void
check_detail (const JankSyscall *call, JankWaitKind kind, const char *detail)
{
  g_autoptr (JankWait) wait = jank_wait_new (call, 0, NULL, NULL, 0);

  g_assert_cmpstr (wait->detail, ==, detail);
  g_assert_cmpint (wait->kind, ==, kind);
}

/* Calls that no test can hold up for as long as it likes. */
static void
test_calls (void)
{
  Stage *stage = stage_new ();
  guint64 fd = (guint64) open (stage->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  guint64 null_fd = (guint64) open ("/dev/null", O_RDWR | O_CLOEXEC);
  guint64 notify_fd = (guint64) inotify_init1 (IN_CLOEXEC);
  guint64 text = (guintptr) stage->path;
  g_autofree char *file = g_strdup_printf ("%s (%s)", stage->path, stage->filesystem);
  g_autofree char *here = g_get_current_dir ();
  const struct { JankSyscall call; JankWaitKind kind; char *detail; } all[] = {
    { BLOCKED (SYS_fsync, fd), JANK_WAIT_FILE, g_strdup_printf ("fsync on %s", file) },
    { BLOCKED (SYS_fdatasync, fd), JANK_WAIT_FILE, g_strdup_printf ("fdatasync on %s", file) },
    { BLOCKED (SYS_pread64, fd, 0, 4096, 7), JANK_WAIT_FILE, g_strdup_printf ("pread64 of 4096 bytes from %s", file) },
    { BLOCKED (SYS_writev, fd, 0, 3), JANK_WAIT_FILE, g_strdup_printf ("writev to %s", file) },
    { BLOCKED (SYS_getdents64, fd, 0, 32768), JANK_WAIT_FILE,
      g_strdup_printf ("getdents64 of 32768 bytes from %s", file) },
    { BLOCKED (SYS_sendfile, null_fd, fd, 0, 99), JANK_WAIT_DEVICE,
      g_strdup_printf ("sendfile of 99 bytes from %s to /dev/null", file) },
    { BLOCKED (SYS_copy_file_range, fd, 0, fd, 0, 9), JANK_WAIT_FILE,
      g_strdup_printf ("copy_file_range of 9 bytes from %s to %s", file, file) },
    { BLOCKED (SYS_ioctl, null_fd, 0x5413), JANK_WAIT_DEVICE, g_strdup ("ioctl on /dev/null, request 0x5413") },
    { BLOCKED (SYS_read, notify_fd, 0, 512), JANK_WAIT_CALL, g_strdup ("read of 512 bytes from inotify") },
    { BLOCKED (SYS_read, 999999, 0, 512), JANK_WAIT_CALL, g_strdup ("read of 512 bytes from descriptor 999999") },
#ifdef __NR_stat
    { BLOCKED (SYS_stat, text), JANK_WAIT_FILE, g_strdup_printf ("stat of %s", stage->path) },
#endif
    { BLOCKED (SYS_newfstatat, (guint64) AT_FDCWD, text), JANK_WAIT_FILE,
      g_strdup_printf ("newfstatat of %s", stage->path) },
    { BLOCKED (SYS_openat, fd, text), JANK_WAIT_FILE, g_strdup_printf ("openat of %s", stage->path) },
    { BLOCKED (SYS_openat, 0xffffff9c, (guintptr) "x/y"), JANK_WAIT_FILE,
      g_strdup_printf ("openat of %s/x/y", here) },
    { BLOCKED (SYS_openat, fd, 8), JANK_WAIT_FILE, g_strdup ("openat") },
    { BLOCKED (SYS_connect, fd, 8, 16), JANK_WAIT_SOCKET, g_strdup_printf ("connect to %s", file) },
#ifdef __NR_poll
    { BLOCKED (SYS_poll, 8, 3, 0xffffffff), JANK_WAIT_POLL, g_strdup ("poll") },
    { BLOCKED (SYS_poll, 0, 0, 300), JANK_WAIT_POLL, g_strdup ("poll of 300 ms") },
#endif
    { BLOCKED (SYS_clock_nanosleep, 0, 0, 8), JANK_WAIT_SLEEP, g_strdup ("clock_nanosleep") },
    { BLOCKED (SYS_futex_waitv, 8, 5), JANK_WAIT_LOCK, g_strdup ("futex_waitv of 5") },
    { BLOCKED (SYS_msync, 0, 8192), JANK_WAIT_CALL, g_strdup ("msync of 8192 bytes") },
    { BLOCKED (9876), JANK_WAIT_CALL, g_strdup ("9876") },
    { { .kind = JANK_SYSCALL_RUNNING }, JANK_WAIT_UNKNOWN, g_strdup ("") },
    { { .kind = JANK_SYSCALL_BLOCKED, .number = -1 }, JANK_WAIT_UNKNOWN, g_strdup ("") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      check_detail (&all[i].call, all[i].kind, all[i].detail);
      g_free (all[i].detail);
    }
  close ((int) fd);
  close ((int) null_fd);
  close ((int) notify_fd);
  stage_free (stage);
}

/* Every call there is, and more, with arguments that point anywhere. */
static void
test_garbage (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (4);

  for (guint i = 0; i < 20000; i++)
    {
      JankSyscall call = { .kind = JANK_SYSCALL_BLOCKED, .number = g_rand_int_range (random, -1, 470) };
      g_autoptr (JankWait) wait = NULL;

      for (guint k = 0; k < G_N_ELEMENTS (call.args); k++)
        switch (g_rand_int_range (random, 0, 4))
          {
          case 0: call.args[k] = (guint64) g_rand_int_range (random, -3, 20); break;
          case 1: call.args[k] = (guint64) g_rand_int (random) << 32 | g_rand_int (random); break;
          case 2: call.args[k] = (guintptr) wait_buffer + (guint64) g_rand_int_range (random, 0, 4096); break;
          default: call.args[k] = (guintptr) &call - (guint64) g_rand_int_range (random, 0, 4096); break;
          }
      for (guint k = 0; k < 4096; k++)
        wait_buffer[k] = (char) g_rand_int (random);
      wait = jank_wait_new (&call, getpid (), NULL, NULL, 0);
      g_assert_true (g_utf8_validate (wait->detail, -1, NULL));
      g_assert_true (g_utf8_validate (wait->target, -1, NULL));
      g_assert_null (strchr (wait->detail, '\n'));
    }
}

static void
test_long_path (void)
{
  Stage *stage = stage_new ();
  g_autoptr (GString) path = g_string_new (stage->folder);
  g_autoptr (JankWait) wait = NULL;
  JankSyscall call;

  for (guint i = 0; i < 60; i++)
    g_string_append (path, "/größer\n");
  g_string_append (path, "/the file");
  call = (JankSyscall) BLOCKED (SYS_openat, (guint64) AT_FDCWD, (guintptr) path->str);
  wait = jank_wait_new (&call, 0, NULL, NULL, 0);
  g_assert_true (g_str_has_prefix (wait->target, "…"));
  g_assert_true (g_str_has_suffix (wait->target, "/größer?/the file"));
  g_assert_true (g_utf8_validate (wait->target, -1, NULL));
  g_assert_cmpuint (strlen (wait->target), >, sizeof wait->target - 4);
  stage_free (stage);
}

static void
test_nicks (void)
{
  for (guint i = 0; i < JANK_N_WAITS; i++)
    for (guint k = 0; k < i; k++)
      g_assert_cmpstr (jank_wait_kind_to_nick ((JankWaitKind) i), !=, jank_wait_kind_to_nick ((JankWaitKind) k));
  g_assert_cmpstr (jank_wait_kind_to_nick ((JankWaitKind) 999), ==, "unknown");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wait/wait/calls", test_calls);
  g_test_add_func ("/wait/wait/garbage", test_garbage);
  g_test_add_func ("/wait/wait/long-path", test_long_path);
  g_test_add_func ("/wait/wait/nicks", test_nicks);
  return g_test_run ();
}
