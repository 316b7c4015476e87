/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

#define BIG_BYTES  (8 << 20)

static gint64 wait_ns;
static sem_t semaphore;
static pthread_mutex_t held_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int epoll_fd, timer_fd, silent_fd, listen_fd, full_fd, semaphore_set, lock_fds[2], file_fd,
    zero_fd;
static int drained_fds[2], fed_fds[2];
static mqd_t queue;
static struct sockaddr_un full_address = { .sun_family = AF_UNIX };
static char *big, *other_big;

static struct timespec
get_deadline (clockid_t clock)
{
  return timespec_from_ns (read_clock_ns (clock) + wait_ns);
}

static struct timeval
get_timeval (void)
{
  return (struct timeval) { wait_ns / NS_PER_S, wait_ns % NS_PER_S / 1000 };
}

static int
get_ms (void)
{
  return (int) MAX (wait_ns / NS_PER_MS, 1);
}

#define CALL(name, ...) static long call_##name (void) { __VA_ARGS__; }

static long
negate (int error)
{
  errno = error;
  return error == 0 ? 0 : -1;
}

CALL (clock_nanosleep, struct timespec until = get_deadline (CLOCK_MONOTONIC);
      return negate (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL)))
CALL (select, struct timeval time = get_timeval (); return select (0, NULL, NULL, NULL, &time))
CALL (epoll, struct epoll_event event; return epoll_wait (epoll_fd, &event, 1, get_ms ()))
CALL (sem, struct timespec until = get_deadline (CLOCK_REALTIME); return sem_timedwait (&semaphore, &until))
CALL (mutex, struct timespec until = get_deadline (CLOCK_REALTIME);
      return negate (pthread_mutex_timedlock (&held_mutex, &until)))
CALL (condition, pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
      struct timespec until = get_deadline (CLOCK_REALTIME); int error; pthread_mutex_lock (&mutex);
      error = pthread_cond_timedwait (&condition, &mutex, &until); pthread_mutex_unlock (&mutex); return negate (error))
CALL (futex, static guint32 word; struct timespec time = timespec_from_ns (wait_ns);
      return syscall (SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0))
CALL (read_timer, struct itimerspec soon = { .it_value = timespec_from_ns (wait_ns) }; guint64 n;
      timerfd_settime (timer_fd, 0, &soon, NULL); return read (timer_fd, &n, sizeof n))
CALL (recv, char byte; return recv (silent_fd, &byte, 1, 0))
CALL (accept, return accept (listen_fd, NULL, NULL))
CALL (connect, struct timeval time = get_timeval (); int fd = socket (AF_UNIX, SOCK_STREAM, 0), saved_errno;
      long result; setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time); errno = 0;
      result = connect (fd, (struct sockaddr *) &full_address, sizeof full_address); saved_errno = errno; close (fd);
      errno = saved_errno; return result)

static long
call_waitid (void)
{
  siginfo_t info;
  pid_t pid = fork ();

  if (pid == 0)
    {
      usleep ((useconds_t) (wait_ns / 1000));
      _exit (7);
    }
  return waitid (P_PID, (id_t) pid, &info, WEXITED) == 0 ? info.si_status : -1;
}

static long
call_wait4 (void)
{
  int status = 0;
  pid_t pid = vfork ();

  if (pid == 0)
    _exit (9);
  return waitpid (pid, &status, 0) == pid ? WEXITSTATUS (status) : -1;
}

/* Another thread has it half of the time. */
CALL (flock, long result = flock (lock_fds[0], LOCK_EX); flock (lock_fds[0], LOCK_UN); return result)
CALL (sigtimedwait, struct timespec time = timespec_from_ns (wait_ns); sigset_t set; sigemptyset (&set);
      sigaddset (&set, SIGUSR1); return sigtimedwait (&set, NULL, &time))
CALL (semtimedop, struct timespec time = timespec_from_ns (wait_ns); struct sembuf take = { 0, -1, 0 };
      return semtimedop (semaphore_set, &take, 1, &time))
CALL (mq, struct timespec until = get_deadline (CLOCK_REALTIME); char message[8192];
      return mq_timedreceive (queue, message, sizeof message, NULL, &until))
CALL (write, return pwrite (file_fd, big, BIG_BYTES, 0))
CALL (read, return read (zero_fd, other_big, BIG_BYTES))
CALL (send, return send (drained_fds[0], big, BIG_BYTES, 0))
CALL (recv_all, return recv (fed_fds[0], other_big, BIG_BYTES, MSG_WAITALL))
CALL (getrandom, return getrandom (other_big, BIG_BYTES, 0))
CALL (nanosleep, struct timespec time = timespec_from_ns (wait_ns); return nanosleep (&time, NULL))
CALL (poll, return poll (NULL, 0, get_ms ()))

/* One of each way in which a signal ends a call: not restarted, restarted from what is left, cut short. */
const Call calls[] = {
  { "poll", call_poll, 0, 0, TRUE },
  { "select", call_select, 0, 0, TRUE },
  { "epoll_wait", call_epoll, 0, 0, TRUE },
  { "nanosleep", call_nanosleep, 0, 0, TRUE },
  { "clock_nanosleep", call_clock_nanosleep, 0, 0, TRUE },
  { "sem_timedwait", call_sem, -1, ETIMEDOUT, TRUE },
  { "pthread_mutex_timedlock", call_mutex, -1, ETIMEDOUT, TRUE },
  { "pthread_cond_timedwait", call_condition, -1, ETIMEDOUT, TRUE },
  { "futex", call_futex, -1, ETIMEDOUT, TRUE },
  { "read of a timer", call_read_timer, 8, 0, TRUE },
  { "recv", call_recv, -1, EAGAIN, TRUE },
  { "accept", call_accept, -1, EAGAIN, TRUE },
  { "connect", call_connect, -1, EAGAIN, TRUE },
  { "waitid", call_waitid, 7, 0, TRUE },
  { "wait4", call_wait4, 9, 0, FALSE },
  { "flock", call_flock, 0, 0, FALSE },
  { "sigtimedwait", call_sigtimedwait, -1, EAGAIN, TRUE },
  { "semtimedop", call_semtimedop, -1, EAGAIN, TRUE },
  { "mq_timedreceive", call_mq, -1, ETIMEDOUT, TRUE },
  { "write", call_write, BIG_BYTES, 0, FALSE },
  { "read", call_read, BIG_BYTES, 0, FALSE },
  { "send", call_send, BIG_BYTES, 0, FALSE },
  { "recv of all", call_recv_all, BIG_BYTES, 0, FALSE },
  { "getrandom", call_getrandom, BIG_BYTES, 0, FALSE },
};
const guint n_calls = G_N_ELEMENTS (calls);

/* Those who make the calls wait, and end with the process. */
static gpointer
drain_thread (gpointer data)
{
  static char bytes[1 << 20];

  while (read (drained_fds[1], bytes, sizeof bytes) > 0)
    ;
  return NULL;
}

static gpointer
feed_thread (gpointer data)
{
  while (write (fed_fds[1], big, BIG_BYTES) > 0)
    ;
  return NULL;
}

static gpointer
lock_thread (gpointer data)
{
  for (;;)
    {
      flock (lock_fds[1], LOCK_EX);
      usleep (500);
      flock (lock_fds[1], LOCK_UN);
      usleep (500);
    }
  return NULL;
}

/* No room for another connection, no message. */
static void
make_sockets (void)
{
  struct timeval time = get_timeval ();
  int pair[2], fd;

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_DGRAM, 0, pair), ==, 0);
  silent_fd = pair[0];
  setsockopt (silent_fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  listen_fd = socket (AF_UNIX, SOCK_STREAM, 0);
  g_assert_cmpint (bind (listen_fd, (struct sockaddr *) &full_address, sizeof (sa_family_t)), ==, 0);
  g_assert_cmpint (listen (listen_fd, 1), ==, 0);
  setsockopt (listen_fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);

  full_fd = socket (AF_UNIX, SOCK_STREAM, 0);
  /* A process in another PID namespace may have our PID, and shares abstract names. */
  g_snprintf (full_address.sun_path + 1, sizeof full_address.sun_path - 1, "calls-%u", g_random_int ());
  g_assert_cmpint (bind (full_fd, (struct sockaddr *) &full_address, sizeof full_address), ==, 0);
  g_assert_cmpint (listen (full_fd, 0), ==, 0);
  do
    fd = socket (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  while (connect (fd, (struct sockaddr *) &full_address, sizeof full_address) == 0);
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM, 0, drained_fds), ==, 0);
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM, 0, fed_fds), ==, 0);
}

static void
make_files (void)
{
  g_autofree char *name = g_strdup_printf ("/calls-%d", getpid ());
  g_autofree char *path = NULL;

  epoll_fd = epoll_create1 (EPOLL_CLOEXEC);
  timer_fd = timerfd_create (CLOCK_MONOTONIC, TFD_CLOEXEC);
  zero_fd = open ("/dev/zero", O_RDONLY);
  file_fd = memfd_create ("file", 0);
  lock_fds[0] = g_file_open_tmp ("calls-XXXXXX", &path, NULL);
  lock_fds[1] = open (path, O_RDWR);
  unlink (path);
  semaphore_set = semget (IPC_PRIVATE, 1, 0600);
  queue = mq_open (name, O_RDONLY | O_CREAT, 0600, NULL);
  mq_unlink (name);
  sem_init (&semaphore, 0, 0);
  pthread_mutex_lock (&held_mutex);
  big = g_malloc0 (BIG_BYTES);
  other_big = g_malloc0 (BIG_BYTES);
}

void
calls_open (gint64 length_ns)
{
  wait_ns = length_ns;
  make_files ();
  make_sockets ();
  g_thread_unref (g_thread_new ("drain", drain_thread, NULL));
  g_thread_unref (g_thread_new ("feed", feed_thread, NULL));
  g_thread_unref (g_thread_new ("lock", lock_thread, NULL));
}

void
calls_close (void)
{
  semctl (semaphore_set, 0, IPC_RMID);
}

gboolean
call_make (const Call *call, CallResult *ret_result)
{
  CallResult result = { .began_ns = now_ns () };

  errno = 0;
  result.value = call->call ();
  result.error = errno;
  result.took_ns = now_ns () - result.began_ns;
  *ret_result = result;
  return result.value == call->expected && result.error == call->expected_errno &&
         (!call->waits || result.took_ns >= wait_ns * 9 / 10);
}
