/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread alternates computing with calls that a signal would cut short, while it is sampled as fast as can be:
 * every call gives what it gives unwatched, and waits for as long. So does exec(). */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "sample/jank-sampler-private.h"
#include "worker.h"

#define MOST_LESS   17 /* microseconds by which it computes for less, in turns: calls begin at any time after a sample */
#define WAIT_NS     (200 * JANK_NS_PER_US)
#define BIG_BYTES   (8 << 20)
#define PIPE_BYTES  65536
#define N_BRIEF     13 /* of the calls: those that only wait */
#define EXEC_LINKS  10 /* of a chain */

static const struct timespec wait_time = { 0, WAIT_NS };
static sem_t semaphore;
static pthread_mutex_t held_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int epoll_fd, timer_fd, silent_fd, listen_fd, full_fd, semaphore_set, lock_fds[2], file_fds[2], zero_fd, pipe_fds[2];
static int drained_fds[2], fed_fds[2];
static mqd_t queue;
static struct sockaddr_un full_address = { .sun_family = AF_UNIX };
static char *big, *other_big;

static struct timespec
get_deadline (clockid_t clock)
{
  gint64 until_ns = jank_clock_read_ns (clock) + WAIT_NS;

  return (struct timespec) { until_ns / JANK_NS_PER_S, until_ns % JANK_NS_PER_S };
}

static long
negate (int error)
{
  errno = error;
  return error == 0 ? 0 : -1;
}

static long
call_clock_nanosleep (void)
{
  struct timespec until = get_deadline (CLOCK_MONOTONIC);

  return negate (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL));
}

static long
call_select (void)
{
  return select (0, NULL, NULL, NULL, &(struct timeval) { 0, WAIT_NS / 1000 });
}

static long
call_epoll (void)
{
  struct epoll_event event;

  return epoll_wait (epoll_fd, &event, 1, 1);
}

static long
call_epoll_pwait (void)
{
  struct epoll_event event;
  sigset_t none;

  sigemptyset (&none);
  return epoll_pwait (epoll_fd, &event, 1, 1, &none);
}

static long
call_sem (void)
{
  struct timespec until = get_deadline (CLOCK_REALTIME);

  return sem_timedwait (&semaphore, &until);
}

static long
call_mutex (void)
{
  struct timespec until = get_deadline (CLOCK_REALTIME);

  return negate (pthread_mutex_timedlock (&held_mutex, &until));
}

static long
call_condition (void)
{
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  struct timespec until = get_deadline (CLOCK_REALTIME);
  int error;

  pthread_mutex_lock (&mutex);
  error = pthread_cond_timedwait (&condition, &mutex, &until);
  pthread_mutex_unlock (&mutex);
  return negate (error);
}

static long
call_futex (void)
{
  static guint32 word;

  return syscall (SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &wait_time, NULL, 0);
}

static long
call_read_timer (void)
{
  struct itimerspec soon = { .it_value = wait_time };
  guint64 n;

  timerfd_settime (timer_fd, 0, &soon, NULL);
  return read (timer_fd, &n, sizeof n);
}

static long
call_recv (void)
{
  char byte;

  return recv (silent_fd, &byte, 1, 0);
}

static long
call_recvmsg (void)
{
  char byte;
  struct iovec vector = { &byte, 1 };
  struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };

  return recvmsg (silent_fd, &message, 0);
}

static long
call_accept (void)
{
  return accept (listen_fd, NULL, NULL);
}

static long
call_connect (void)
{
  struct timeval time = { 0, WAIT_NS / 1000 };
  int fd = socket (AF_UNIX, SOCK_STREAM, 0), saved_errno;
  long result;

  setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
  errno = 0;
  result = connect (fd, (struct sockaddr *) &full_address, sizeof full_address);
  saved_errno = errno;
  close (fd);
  errno = saved_errno;
  return result;
}

static long
call_waitid (void)
{
  siginfo_t info;
  pid_t pid = vfork ();

  if (pid == 0)
    _exit (7);
  return waitid (P_PID, (id_t) pid, &info, WEXITED) == 0 ? info.si_status : -1;
}

static long
call_wait4 (void)
{
  int status = 0;
  pid_t pid = fork ();

  if (pid == 0)
    _exit (9);
  return waitpid (pid, &status, 0) == pid ? WEXITSTATUS (status) : -1;
}

/* Another thread has it half of the time. */
static long
call_flock (void)
{
  long result = flock (lock_fds[0], LOCK_EX);

  flock (lock_fds[0], LOCK_UN);
  return result;
}

static long
call_sigtimedwait (void)
{
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGUSR1);
  return sigtimedwait (&set, NULL, &wait_time);
}

static long
call_semtimedop (void)
{
  struct sembuf take = { 0, -1, 0 };

  return semtimedop (semaphore_set, &take, 1, &wait_time);
}

static long
call_mq (void)
{
  struct timespec until = get_deadline (CLOCK_REALTIME);
  char message[8192];

  return mq_timedreceive (queue, message, sizeof message, NULL, &until);
}

static long
call_write (void)
{
  return pwrite (file_fds[0], big, BIG_BYTES, 0);
}

static long
call_read (void)
{
  return read (zero_fd, other_big, BIG_BYTES);
}

static long
call_send (void)
{
  return send (drained_fds[0], big, BIG_BYTES, 0);
}

static long
call_recv_all (void)
{
  return recv (fed_fds[0], other_big, BIG_BYTES, MSG_WAITALL);
}

static long
call_getrandom (void)
{
  return getrandom (other_big, BIG_BYTES, 0);
}

static long
call_copy_file_range (void)
{
  loff_t from = 0, to = 0;

  return copy_file_range (file_fds[0], &from, file_fds[1], &to, BIG_BYTES, 0);
}

static long
call_sendfile (void)
{
  off_t from = 0;

  lseek (file_fds[1], 0, SEEK_SET);
  return sendfile (file_fds[1], file_fds[0], &from, BIG_BYTES);
}

static long
call_splice (void)
{
  loff_t from = 0, to = 0;
  long n = splice (file_fds[0], &from, pipe_fds[1], NULL, PIPE_BYTES, 0);

  return n == PIPE_BYTES ? splice (pipe_fds[0], NULL, file_fds[1], &to, PIPE_BYTES, 0) : n;
}

static long
call_vm_read (void)
{
  struct iovec to = { other_big, BIG_BYTES }, from = { big, BIG_BYTES };

  return process_vm_readv (getpid (), &to, 1, &from, 1, 0);
}

static long
call_fallocate (void)
{
  return ftruncate (file_fds[1], 0) == 0 ? fallocate (file_fds[1], 0, 0, BIG_BYTES) : -1;
}

static long
call_nanosleep (void)
{
  return nanosleep (&wait_time, NULL);
}

static long
call_usleep (void)
{
  return usleep (WAIT_NS / 1000);
}

static long
call_poll (void)
{
  return poll (NULL, 0, 1);
}

static long
call_ppoll (void)
{
  return ppoll (NULL, 0, &wait_time, NULL);
}

static long
call_pselect (void)
{
  return pselect (0, NULL, NULL, NULL, &wait_time, NULL);
}

/* What each call gives unwatched; least_ns: and takes. A busy machine makes any of it longer. */
static const struct
{
  const char *name;
  long      (*call) (void);
  long        expected;
  int         expected_errno;
  gint64      least_ns;
} calls[] = {
  { "poll", call_poll, 0, 0, JANK_NS_PER_MS },
  { "ppoll", call_ppoll, 0, 0, WAIT_NS },
  { "select", call_select, 0, 0, WAIT_NS },
  { "pselect", call_pselect, 0, 0, WAIT_NS },
  { "epoll_wait", call_epoll, 0, 0, JANK_NS_PER_MS },
  { "epoll_pwait", call_epoll_pwait, 0, 0, JANK_NS_PER_MS },
  { "nanosleep", call_nanosleep, 0, 0, WAIT_NS },
  { "clock_nanosleep", call_clock_nanosleep, 0, 0, WAIT_NS },
  { "usleep", call_usleep, 0, 0, WAIT_NS },
  { "sem_timedwait", call_sem, -1, ETIMEDOUT, 0 },
  { "pthread_mutex_timedlock", call_mutex, -1, ETIMEDOUT, 0 },
  { "pthread_cond_timedwait", call_condition, -1, ETIMEDOUT, 0 },
  { "futex", call_futex, -1, ETIMEDOUT, WAIT_NS },
  { "read of a timer", call_read_timer, 8, 0, WAIT_NS },
  { "recv", call_recv, -1, EAGAIN, WAIT_NS },
  { "recvmsg", call_recvmsg, -1, EAGAIN, WAIT_NS },
  { "accept", call_accept, -1, EAGAIN, WAIT_NS },
  { "connect", call_connect, -1, EAGAIN, WAIT_NS },
  { "waitid", call_waitid, 7, 0, 0 },
  { "wait4", call_wait4, 9, 0, 0 },
  { "flock", call_flock, 0, 0, 0 },
  { "sigtimedwait", call_sigtimedwait, -1, EAGAIN, WAIT_NS },
  { "semtimedop", call_semtimedop, -1, EAGAIN, WAIT_NS },
  { "mq_timedreceive", call_mq, -1, ETIMEDOUT, 0 },
  { "write", call_write, BIG_BYTES, 0, 0 },
  { "read", call_read, BIG_BYTES, 0, 0 },
  { "send", call_send, BIG_BYTES, 0, 0 },
  { "recv of all", call_recv_all, BIG_BYTES, 0, 0 },
  { "getrandom", call_getrandom, BIG_BYTES, 0, 0 },
  { "copy_file_range", call_copy_file_range, BIG_BYTES, 0, 0 },
  { "sendfile", call_sendfile, BIG_BYTES, 0, 0 },
  { "splice", call_splice, PIPE_BYTES, 0, 0 },
  { "process_vm_readv", call_vm_read, BIG_BYTES, 0, 0 },
  { "fallocate", call_fallocate, 0, 0, 0 },
};

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
  struct timeval time = { 0, WAIT_NS / 1000 };
  int pair[2], fd;

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_DGRAM, 0, pair), ==, 0);
  silent_fd = pair[0];
  setsockopt (silent_fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  listen_fd = socket (AF_UNIX, SOCK_STREAM, 0);
  g_assert_cmpint (bind (listen_fd, (struct sockaddr *) &full_address, sizeof (sa_family_t)), ==, 0);
  g_assert_cmpint (listen (listen_fd, 1), ==, 0);
  setsockopt (listen_fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);

  full_fd = socket (AF_UNIX, SOCK_STREAM, 0);
  g_snprintf (full_address.sun_path + 1, sizeof full_address.sun_path - 1, "jank-unharmed-%d", getpid ());
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
  g_autofree char *name = g_strdup_printf ("/jank-unharmed-%d", getpid ());
  g_autofree char *path = NULL;

  epoll_fd = epoll_create1 (EPOLL_CLOEXEC);
  timer_fd = timerfd_create (CLOCK_MONOTONIC, TFD_CLOEXEC);
  zero_fd = open ("/dev/zero", O_RDONLY);
  file_fds[0] = memfd_create ("from", 0);
  file_fds[1] = memfd_create ("to", 0);
  lock_fds[0] = g_file_open_tmp ("jank-unharmed-XXXXXX", &path, NULL);
  lock_fds[1] = open (path, O_RDWR);
  unlink (path);
  g_assert_cmpint (pipe (pipe_fds), ==, 0);
  semaphore_set = semget (IPC_PRIVATE, 1, 0600);
  queue = mq_open (name, O_RDONLY | O_CREAT, 0600, NULL);
  mq_unlink (name);
  sem_init (&semaphore, 0, 0);
  pthread_mutex_lock (&held_mutex);
  big = g_malloc0 (BIG_BYTES);
  other_big = g_malloc0 (BIG_BYTES);
  g_assert_cmpint (pwrite (file_fds[0], big, BIG_BYTES, 0), ==, BIG_BYTES);
}

static void
compute (gint64 length_ns)
{
  gint64 until_ns = jank_clock_now_ns () + length_ns;

  while (jank_clock_now_ns () < until_ns)
    ;
}

typedef struct
{
  gint64  interval_ns, compute_ns;
  guint   n;       /* of calls[] */
  guint64 n_calls, n_differ;
} Calls;

static void
worker_call (Worker *self, gpointer data)
{
  Calls *test = data;

  for (guint i = 0; !worker_is_stopped (self); i = (i + 1) % test->n)
    {
      gint64 began_ns, took_ns;
      long result;
      int result_errno;

      compute (test->compute_ns - (gint64) (test->n_calls % MOST_LESS) * JANK_NS_PER_US);
      began_ns = jank_clock_now_ns ();
      errno = 0;
      result = calls[i].call ();
      result_errno = errno;
      took_ns = jank_clock_now_ns () - began_ns;
      test->n_calls++;
      if (result == calls[i].expected && result_errno == calls[i].expected_errno && took_ns >= calls[i].least_ns)
        continue;
      test->n_differ++;
      g_test_message ("%s gave %ld, %s, after %" G_GINT64_FORMAT " µs", calls[i].name, result, g_strerror (result_errno),
                      took_ns / 1000);
    }
}

/* As fast as can be, or every interval. */
static void
sample_worker (Worker *worker, gint64 interval_ns, gint64 seconds)
{
  g_autoptr (JankSampler) sampler = jank_sampler_new (0);
  gint64 until_ns = jank_clock_now_ns () + seconds * JANK_NS_PER_S;
  guint64 n_taken = 0;

  g_assert_true (jank_sampler_set_thread (sampler, worker_get_info (worker), WORKER_TASKS, NULL));
  while (jank_clock_now_ns () < until_ns)
    {
      JankSample sample;

      if (jank_sampler_take (sampler, &sample))
        n_taken++;
      jank_sample_clear (&sample);
      g_usleep ((gulong) (interval_ns / 1000));
    }
  g_test_message ("%" G_GUINT64_FORMAT " samples, %" G_GUINT64_FORMAT " by signal", n_taken,
                  jank_sampler_get_signal_counts (sampler)->n_sent);
  g_assert_cmpuint (jank_sampler_get_signal_counts (sampler)->n_sent, >=, (guint64) seconds);
}

/* As the soak suite says. */
static gint64
get_number (const char *variable, gint64 usual)
{
  return g_getenv (variable) != NULL ? g_ascii_strtoll (g_getenv (variable), NULL, 10) : usual;
}

static void
test_calls (gconstpointer data)
{
  Calls test = *(const Calls *) data;
  Worker *worker;

  if (HAS_TSAN)
    {
      g_test_skip ("a thread sanitizer delivers signals late");
      return;
    }
  worker = worker_new (worker_call, &test);
  sample_worker (worker, test.interval_ns, get_number ("SECONDS", 4));
  worker_free (worker);
  g_test_message ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " calls differ", test.n_differ, test.n_calls);
  g_assert_cmpuint (test.n_calls, >=, G_N_ELEMENTS (calls));
  g_assert_cmpuint (test.n_differ, ==, 0);
}

static gpointer
sample_thread (gpointer data)
{
  /* One that ends the program which has no handler for it. */
  JankSampler *sampler = jank_sampler_new (SIGRTMAX);
  JankSample sample;

  jank_sampler_set_thread (sampler, data, WORKER_TASKS, NULL);
  for (;;)
    {
      jank_sampler_take (sampler, &sample);
      jank_sample_clear (&sample);
    }
  return NULL;
}

/* A program that replaces itself while it computes, sampled. */
static int
run_link (const char *program, gint64 n_left)
{
  g_autofree char *left = g_strdup_printf ("%d", (int) n_left - 1);
  JankThreadInfo info;

  jank_thread_describe_self (&info);
  g_thread_unref (g_thread_new ("sampler", sample_thread, &info));
  compute (2 * JANK_NS_PER_MS + (getpid () * 7919 + n_left * 104729) % (6 * JANK_NS_PER_MS));
  if (n_left > 0)
    execl (program, program, "--link", left, NULL);
  return n_left == 0 ? 42 : 1;
}

static void
test_exec (gconstpointer data)
{
  const char *program = data;
  const char *argv[] = { program, "--link", G_STRINGIFY (EXEC_LINKS), NULL };
  gint64 n_chains = get_number ("CHAINS", 20);

  for (gint64 i = 0; i < n_chains; i++)
    {
      int status = -1;

      g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &status, NULL));
      g_assert_cmpint (status, ==, 42 << 8);
    }
  g_test_message ("%d execs", (int) n_chains * EXEC_LINKS);
}

int
main (int argc, char **argv)
{
  static const Calls fastest = { 0, 200 * JANK_NS_PER_US, G_N_ELEMENTS (calls) };
  static const Calls usual = { 10 * JANK_NS_PER_MS, 200 * JANK_NS_PER_US, G_N_ELEMENTS (calls) };
  static const Calls brief = { 0, 100 * JANK_NS_PER_US, N_BRIEF };
  int result;

  if (argc == 3 && g_str_equal (argv[1], "--link"))
    return run_link (argv[0], g_ascii_strtoll (argv[2], NULL, 10));
  g_test_init (&argc, &argv, NULL);
  make_files ();
  make_sockets ();
  g_thread_unref (g_thread_new ("drain", drain_thread, NULL));
  g_thread_unref (g_thread_new ("feed", feed_thread, NULL));
  g_thread_unref (g_thread_new ("lock", lock_thread, NULL));
  g_test_add_data_func ("/sample/unharmed/calls/fastest", &fastest, test_calls);
  g_test_add_data_func ("/sample/unharmed/calls/default", &usual, test_calls);
  g_test_add_data_func ("/sample/unharmed/calls/brief", &brief, test_calls);
  g_test_add_data_func ("/sample/unharmed/exec", argv[0], test_exec);
  result = g_test_run ();
  semctl (semaphore_set, 0, IPC_RMID);
  return result;
}
