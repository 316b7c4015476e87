/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is said of a call, by its number and arguments. Threads that really are in such calls: module/kinds. */

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "folder.h"
#include "test.h"
#include "descriptors/jank-mounts-private.h"
#include "wait/jank-wait-private.h"

#define BLOCKED(number, ...) { .kind = JANK_SYSCALL_BLOCKED, number, { __VA_ARGS__ } }
#define MINUTE_NS (60 * JANK_NS_PER_S)

/* A folder of the test's own, and in it the path of no file yet. */
typedef struct
{
  char *folder, *path;  /* (owned) */
  JankMount mount;      /* of the folder */
} Stage;

static char wait_buffer[4096];

static void
set_up (Stage *stage, gconstpointer data)
{
  stage->folder = folder_new ("wait");
  stage->path = g_build_filename (stage->folder, "the file", NULL);
  g_assert_true (jank_mounts_find_path (stage->folder, &stage->mount));
}

static void
tear_down (Stage *stage, gconstpointer data)
{
  folder_remove (stage->folder);
  g_free (stage->path);
  g_free (stage->folder);
}

/* Frees the detail. Returns: (transfer full) */
static JankWait *
check_detail (const JankSyscall *call, JankWaitKind kind, char *detail)
{
  JankWait *wait = jank_wait_new (call, 0, NULL, 0);

  g_assert_cmpstr (wait->detail, ==, detail);
  g_assert_cmpint (wait->kind, ==, kind);
  g_assert_cmpint (wait->syscall, ==, call->number);
  g_free (detail);
  return wait;
}

TEST_WITH (Stage, set_up, tear_down, stage, calls)
{
  guint64 fd = (guint64) open (stage->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  guint64 null_fd = (guint64) open ("/dev/null", O_RDWR | O_CLOEXEC);
  guint64 notify_fd = (guint64) inotify_init1 (IN_CLOEXEC);
  guint64 text = (guintptr) stage->path;
  g_autofree char *file = g_strdup_printf ("%s (%s)", stage->path, stage->mount.type);
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
    { BLOCKED (SYS_poll, 0, 0, 300), JANK_WAIT_SLEEP, g_strdup ("poll of 300 ms") },
#endif
    { BLOCKED (SYS_clock_nanosleep, 0, 0, 8), JANK_WAIT_SLEEP, g_strdup ("clock_nanosleep") },
    { BLOCKED (SYS_futex_waitv, 8, 5), JANK_WAIT_LOCK, g_strdup ("futex_waitv of 5") },
    { BLOCKED (SYS_msync, 0, 8192), JANK_WAIT_CALL, g_strdup ("msync of 8192 bytes") },
    { BLOCKED (9876), JANK_WAIT_CALL, g_strdup ("9876") },
    { { .kind = JANK_SYSCALL_RUNNING }, JANK_WAIT_UNKNOWN, g_strdup ("") },
    { { .kind = JANK_SYSCALL_BLOCKED, .number = -1 }, JANK_WAIT_UNKNOWN, g_strdup ("") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    jank_wait_unref (check_detail (&all[i].call, all[i].kind, all[i].detail));
  close ((int) fd);
  close ((int) null_fd);
  close ((int) notify_fd);
}

/* And what a reader of the report gets as text and numbers of their own. */
typedef struct
{
  JankSyscall  call;
  JankWaitKind kind;
  char        *detail, *target; /* (owned), target (nullable) */
  gint64       n_bytes, timeout_ns;
  pid_t        peer_pid;
} Case;

static void
check_cases (const Case *cases, guint n_cases)
{
  for (guint i = 0; i < n_cases; i++)
    {
      g_autoptr (JankWait) wait = check_detail (&cases[i].call, cases[i].kind, cases[i].detail);

      g_assert_cmpstr (wait->target, ==, cases[i].target != NULL ? cases[i].target : "");
      g_assert_cmpint (wait->n_bytes, ==, cases[i].n_bytes);
      g_assert_cmpint (wait->timeout_ns, ==, cases[i].timeout_ns);
      g_assert_cmpint (wait->peer_pid, ==, cases[i].peer_pid);
      g_free (cases[i].target);
    }
}

TEST_WITH (Stage, set_up, tear_down, stage, descriptors)
{
  gint64 minute[2] = { 60, 0 };
  int pipes[2], full[2], event = eventfd (0, EFD_CLOEXEC), file =
      open (stage->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  struct pollfd polled[2] = { { .events = POLLIN }, { event, POLLIN, 0 } };
  fd_set readable, except;

  g_assert_cmpint (pipe2 (pipes, O_CLOEXEC), ==, 0);
  g_assert_cmpint (pipe2 (full, O_CLOEXEC | O_NONBLOCK), ==, 0);
  while (write (full[1], wait_buffer, sizeof wait_buffer) > 0)
    continue;
  polled[0].fd = pipes[0];
  FD_ZERO (&readable);
  FD_ZERO (&except);
  FD_SET (pipes[0], &readable);
  FD_SET (event, &except);

  const Case cases[] = {
    { BLOCKED (SYS_read, (guint64) event, 0, 8), JANK_WAIT_CALL, g_strdup ("read of 8 bytes from eventfd"),
      g_strdup ("eventfd"), 8, -1 },
    { BLOCKED (SYS_read, (guint64) pipes[0], 0, 100), JANK_WAIT_PIPE, g_strdup ("read of 100 bytes from pipe"), NULL,
      100, -1 },
    { BLOCKED (SYS_write, (guint64) full[1], 0, 99), JANK_WAIT_PIPE, g_strdup ("write of 99 bytes to pipe"), NULL, 99,
      -1 },
    { BLOCKED (SYS_flock, (guint64) file, 2), JANK_WAIT_FILE,
      g_strdup_printf ("flock on %s (%s)", stage->path, stage->mount.type), g_strdup (stage->path), -1, -1 },
    { BLOCKED (SYS_fcntl, (guint64) file, F_OFD_SETLKW), JANK_WAIT_FILE,
      g_strdup_printf ("fcntl F_OFD_SETLKW on %s (%s)", stage->path, stage->mount.type), g_strdup (stage->path),
      -1, -1 },
#ifdef __NR_poll
    { BLOCKED (SYS_poll, (guintptr) polled, 2, 60000), JANK_WAIT_PIPE,
      g_strdup ("poll of 2: pipe, eventfd; time-out 60000 ms"), NULL, -1, MINUTE_NS },
    { BLOCKED (SYS_select, (guint64) MAX (event, pipes[0]) + 1, (guintptr) &readable, 0, (guintptr) &except,
               (guintptr) minute), JANK_WAIT_PIPE,
      g_strdup ("select of 2: eventfd, pipe; time-out 60000 ms"), NULL, -1, MINUTE_NS },
#endif
    { BLOCKED (SYS_ppoll, (guintptr) polled, 2, (guintptr) minute), JANK_WAIT_PIPE,
      g_strdup ("ppoll of 2: pipe, eventfd; time-out 60000 ms"), NULL, -1, MINUTE_NS },
    { BLOCKED (SYS_pselect6, (guint64) MAX (event, pipes[0]) + 1, (guintptr) &readable, 0, (guintptr) &except,
               (guintptr) minute), JANK_WAIT_PIPE,
      g_strdup ("pselect6 of 2: eventfd, pipe; time-out 60000 ms"), NULL, -1, MINUTE_NS },
  };

  check_cases (cases, G_N_ELEMENTS (cases));
  const int all[] = { pipes[0], pipes[1], full[0], full[1], event, file };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    close (all[i]);
}

/* Of several descriptors the one that something can come from. */
TEST (polls)
{
  int pipes[2], sockets[2], own[2], events[2] = { eventfd (0, EFD_CLOEXEC), eventfd (0, EFD_CLOEXEC) };
  int notify = inotify_init1 (IN_CLOEXEC), listening = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  g_autofree char *name = NULL, *peer = NULL;
  socklen_t n_bytes = sizeof address;

  g_assert_cmpint (pipe2 (pipes, O_CLOEXEC), ==, 0);
  g_assert_cmpint (bind (listening, (struct sockaddr *) &address, n_bytes), ==, 0);
  g_assert_cmpint (listen (listening, 1), ==, 0);
  g_assert_cmpint (getsockname (listening, (struct sockaddr *) &address, &n_bytes), ==, 0);
  sockets[0] = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  g_assert_cmpint (connect (sockets[0], (struct sockaddr *) &address, n_bytes), ==, 0);
  sockets[1] = accept (listening, NULL, NULL);
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, own), ==, 0);
  name = g_strdup_printf ("127.0.0.1:%d", ntohs (address.sin_port));
  peer = g_strdup_printf ("ppoll of 2: eventfd, %s (tcp)", name);

  struct pollfd both[] = { { events[0], POLLIN, 0 }, { sockets[0], POLLIN, 0 } };
  struct pollfd wakers[] = { { events[0], POLLIN, 0 }, { events[1], POLLIN, 0 } };
  struct pollfd pair[] = { { events[0], POLLIN, 0 }, { own[0], POLLIN, 0 } };
  struct pollfd pair_and_socket[] = { { own[0], POLLIN, 0 }, { sockets[0], POLLIN, 0 } };
  struct pollfd files[] = { { notify, POLLIN, 0 }, { events[1], POLLIN, 0 } };
  struct pollfd several[] = { { pipes[0], POLLIN, 0 }, { notify, POLLIN, 0 }, { events[1], POLLIN, 0 } };
  const Case cases[] = {
    { BLOCKED (SYS_ppoll, (guintptr) both, 2), JANK_WAIT_SOCKET, g_strdup (peer), g_strdup (name), -1, -1 },
    { BLOCKED (SYS_ppoll, (guintptr) wakers, 2), JANK_WAIT_WAKE, g_strdup ("ppoll of 2: eventfd, eventfd"), NULL, -1,
      -1 },
    { BLOCKED (SYS_ppoll, (guintptr) pair, 2), JANK_WAIT_WAKE, g_strdup ("ppoll of 2: eventfd, socket (unix)"), NULL,
      -1, -1 },
    { BLOCKED (SYS_ppoll, (guintptr) pair_and_socket, 2), JANK_WAIT_SOCKET,
      g_strdup_printf ("ppoll of 2: socket (unix), %s (tcp)", name), g_strdup (name), -1, -1 },
    { BLOCKED (SYS_ppoll, (guintptr) files, 2), JANK_WAIT_POLL, g_strdup ("ppoll of 2: inotify, eventfd"),
      g_strdup ("inotify"), -1, -1 },
    { BLOCKED (SYS_ppoll, (guintptr) several, 3), JANK_WAIT_POLL,
      g_strdup ("ppoll of 3: pipe, inotify, eventfd"), NULL, -1, -1 },
  };

  check_cases (cases, G_N_ELEMENTS (cases));
  const int all[] = { pipes[0], pipes[1], sockets[0], sockets[1], own[0], own[1], events[0], events[1], notify,
                      listening };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    close (all[i]);
}

/* A child that only the pipes' other ends keep. Returns when it has closed the others. */
static pid_t
fork_child (const char *name, int kept_a, int kept_b, const int *all, guint n_all)
{
  pid_t child;

  prctl (PR_SET_NAME, name);
  child = fork ();
  if (child != 0)
    {
      g_assert_cmpint (waitpid (child, NULL, WUNTRACED), ==, child);
      return child;
    }
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  for (guint i = 0; i < n_all; i++)
    if (all[i] != kept_a && all[i] != kept_b)
      close (all[i]);
  for (;;)
    raise (SIGSTOP);
}

TEST (pipes_of_children)
{
  int output[2], errors[2], input[2], own[2];

  g_assert_cmpint (pipe2 (output, O_CLOEXEC), ==, 0);
  g_assert_cmpint (pipe2 (errors, O_CLOEXEC), ==, 0);
  g_assert_cmpint (pipe2 (input, O_CLOEXEC), ==, 0);
  g_assert_cmpint (pipe2 (own, O_CLOEXEC), ==, 0);

  const int all[] = { output[0], output[1], errors[0], errors[1], input[0], input[1], own[0], own[1] };
  pid_t writer = fork_child ("writes", output[1], errors[1], all, G_N_ELEMENTS (all));
  pid_t reader = fork_child ("reads", input[0], -1, all, G_N_ELEMENTS (all));
  struct pollfd both[] = { { output[0], POLLIN, 0 }, { errors[0], POLLIN, 0 } };
  struct pollfd two[] = { { output[0], POLLIN, 0 }, { own[0], POLLIN, 0 } };
  const Case cases[] = {
    { BLOCKED (SYS_read, (guint64) output[0], 0, 100), JANK_WAIT_PIPE,
      g_strdup ("read of 100 bytes from pipe of writes[%d]"), g_strdup ("writes"), 100, -1, writer },
    { BLOCKED (SYS_ppoll, (guintptr) both, 2), JANK_WAIT_PIPE,
      g_strdup ("ppoll of 2: pipe of writes[%d], pipe of writes[%d]"), g_strdup ("writes"), -1, -1, writer },
    { BLOCKED (SYS_ppoll, (guintptr) two, 2), JANK_WAIT_POLL,
      g_strdup ("ppoll of 2: pipe of writes[%d], pipe"), NULL, -1, -1 },
    { BLOCKED (SYS_read, (guint64) own[0], 0, 100), JANK_WAIT_PIPE,
      g_strdup ("read of 100 bytes from pipe"), NULL, 100, -1 },
    /* The same end is none to wait for. */
    { BLOCKED (SYS_read, (guint64) input[0], 0, 100), JANK_WAIT_PIPE,
      g_strdup ("read of 100 bytes from pipe"), NULL, 100, -1 },
  };
  Case filled[G_N_ELEMENTS (cases)];

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *number = g_strdup_printf ("%d", (int) writer);
      g_autoptr (GString) detail = g_string_new (cases[i].detail);

      g_string_replace (detail, "%d", number, 0);
      filled[i] = cases[i];
      filled[i].detail = g_strdup (detail->str);
      g_free (cases[i].detail);
    }
  check_cases (filled, G_N_ELEMENTS (filled));
  g_assert_cmpint (kill (writer, SIGKILL), ==, 0);
  g_assert_cmpint (kill (reader, SIGKILL), ==, 0);
  while (waitpid (-1, NULL, 0) > 0)
    continue;
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    close (all[i]);
}

TEST (sockets)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t n_bytes = sizeof address;
  int listening = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), own =
      socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int free_fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), pair[2];
  g_autofree char *name = NULL;

  g_assert_cmpint (bind (listening, (struct sockaddr *) &address, n_bytes), ==, 0);
  g_assert_cmpint (getsockname (listening, (struct sockaddr *) &address, &n_bytes), ==, 0);
  name = g_strdup_printf ("127.0.0.1:%d", ntohs (address.sin_port));
  g_assert_cmpint (listen (listening, 1), ==, 0);
  g_assert_cmpint (connect (own, (struct sockaddr *) &address, n_bytes), ==, 0);
  close (accept (listening, NULL, NULL));
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), ==, 0);

  const Case cases[] = {
    { BLOCKED (SYS_connect, (guint64) free_fd, (guintptr) &address, n_bytes), JANK_WAIT_SOCKET,
      g_strdup_printf ("connect to %s (tcp)", name), g_strdup (name), -1, -1 },
    { BLOCKED (SYS_accept, (guint64) listening), JANK_WAIT_SOCKET, g_strdup_printf ("accept from %s (tcp)", name),
      g_strdup (name), -1, -1 },
    /* Who has the other end cannot be known. */
    { BLOCKED (SYS_read, (guint64) pair[0], 0, 100), JANK_WAIT_SOCKET,
      g_strdup ("read of 100 bytes from socket (unix)"),
      NULL, 100, -1 },
    { BLOCKED (SYS_recvmsg, (guint64) pair[0]), JANK_WAIT_SOCKET, g_strdup ("recvmsg from socket (unix)"), NULL, -1,
      -1 },
  };

  check_cases (cases, G_N_ELEMENTS (cases));
  const int all[] = { listening, own, free_fd, pair[0], pair[1] };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    close (all[i]);
}

TEST (time_and_children)
{
  gint64 sleep[2] = { 0, 60500000 };
  pid_t child;

  /* The child inherits it. Without a name of its own, an emulated child has the emulator's. */
  prctl (PR_SET_NAME, "waited-for");
  child = fork ();
  if (child == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      for (;;)
        pause ();
    }
  int pidfd = (int) syscall (SYS_pidfd_open, child, 0);
  const Case cases[] = {
    { BLOCKED (SYS_nanosleep, (guintptr) sleep), JANK_WAIT_SLEEP, g_strdup ("nanosleep of 60.5 ms"), NULL, -1,
      sleep[1] },
    { BLOCKED (SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (guintptr) sleep), JANK_WAIT_SLEEP,
      g_strdup ("clock_nanosleep of 60.5 ms"), NULL, -1, sleep[1] },
    { BLOCKED (SYS_rt_sigtimedwait), JANK_WAIT_CALL, g_strdup ("rt_sigtimedwait"), NULL, -1, -1 },
    { BLOCKED (SYS_wait4, (guint64) child), JANK_WAIT_CHILD, g_strdup_printf ("wait4 for waited-for[%d]", child),
      g_strdup ("waited-for"), -1, -1, child },
    { BLOCKED (SYS_wait4, (guint64) -1), JANK_WAIT_CHILD, g_strdup ("wait4"), NULL, -1, -1 },
    { BLOCKED (SYS_waitid, P_PID, (guint64) child), JANK_WAIT_CHILD,
      g_strdup_printf ("waitid for waited-for[%d]", child), g_strdup ("waited-for"), -1, -1, child },
    { BLOCKED (SYS_waitid, P_PIDFD, (guint64) pidfd), JANK_WAIT_CHILD,
      g_strdup_printf ("waitid for waited-for[%d]", child), g_strdup ("waited-for"), -1, -1, child },
  };

  check_cases (cases, G_N_ELEMENTS (cases));
  kill (child, SIGKILL);
  g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
  close (pidfd);
}

/* Every call there is, and more, with arguments that point anywhere. */
TEST (garbage)
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
      wait = jank_wait_new (&call, getpid (), NULL, 0);
      g_assert_true (g_utf8_validate (wait->detail, -1, NULL));
      g_assert_true (g_utf8_validate (wait->target, -1, NULL));
      g_assert_null (strchr (wait->detail, '\n'));
    }
}

TEST_WITH (Stage, set_up, tear_down, stage, long_path)
{
  g_autoptr (GString) path = g_string_new (stage->folder);
  g_autoptr (JankWait) wait = NULL;
  JankSyscall call;

  for (guint i = 0; i < 60; i++)
    g_string_append (path, "/größer\n");
  g_string_append (path, "/the file");
  call = (JankSyscall) BLOCKED (SYS_openat, (guint64) AT_FDCWD, (guintptr) path->str);
  wait = jank_wait_new (&call, 0, NULL, 0);
  g_assert_true (g_str_has_prefix (wait->target, "…"));
  g_assert_true (g_str_has_suffix (wait->target, "/größer?/the file"));
  g_assert_true (g_utf8_validate (wait->target, -1, NULL));
  g_assert_cmpuint (strlen (wait->target), >, sizeof wait->target - 4);
}

TESTS ("/wait/wait")
