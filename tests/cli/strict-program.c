/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls in its loop what may block, each nine times and by a function of its own: strict-program [NAME]. Without a
 * name all of them, one behind the other. What the calls gave and errno is printed. */

#include <gio/gio.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_TIMES 9
#define BUS     "org.freedesktop.DBus"

static GMainLoop *loop;
static GDBusConnection *bus;
static GDBusProxy *proxy;
static struct sockaddr_in address;
static int fd, server;

static int
note (const char *name, int result)
{
  printf ("%s %d %d\n", name, result, errno);
  return result;
}

/* A descriptor that was not ready leaves EAGAIN behind now and then, watched or not: GIO says nothing of errno. */
static int
note_of_gio (const char *name, int result)
{
  errno = 0;
  return note (name, result);
}

/* Not static: exported, so that its name is there in any build. It does not end in its call. */
#define CALLS(name) \
  int name (void); \
  int name (void)
#define CALL(name, call) \
  CALLS (name) \
  { \
    return note (#name, call); \
  }

static sigjmp_buf before_call;

static void
on_alarm (int number)
{
  siglongjmp (before_call, 1);
}

/* Of a call that never returns. */
CALLS (jump_out)
{
  const struct itimerval soon = { .it_value.tv_usec = 30000 };
  pid_t child = fork ();

  if (child == 0)
    pause ();
  signal (SIGALRM, on_alarm);
  if (sigsetjmp (before_call, 1) == 0)
    {
      setitimer (ITIMER_REAL, &soon, NULL);
      waitpid (child, NULL, 0);
    }
  errno = 0; /* was left wherever in the call the signal came */
  kill (child, SIGKILL);
  return note ("jump_out", waitpid (child, NULL, 0) == child);
}

CALL (sync_file, fsync (fd))
CALL (sync_data, fdatasync (-1))
CALL (lock_file, flock (fd, LOCK_SH))
CALL (lock_range, lockf (fd, F_LOCK, 1))

CALLS (lock_record)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };

  return note ("lock_record", fcntl (fd, F_SETLKW, &lock));
}

CALLS (connect_here)
{
  int client = socket (AF_INET, SOCK_STREAM, 0);
  int result = note ("connect_here", connect (client, (struct sockaddr *) &address, sizeof address));

  close (client);
  close (accept (server, NULL, NULL));
  return result;
}

CALLS (look_up)
{
  struct addrinfo *info = NULL;
  int result = note ("look_up", getaddrinfo ("localhost", "80", &(struct addrinfo) { .ai_family = AF_INET }, &info));

  freeaddrinfo (info);
  return result;
}

CALLS (wait_for_child)
{
  pid_t child = fork ();
  int status = 0;

  if (child == 0)
    _exit (3);
  note ("wait_for_child", waitpid (child, &status, 0) == child);
  return note ("wait_for_child", WEXITSTATUS (status));
}

CALL (run_shell, system ("exit 4"))

CALLS (read_shell)
{
  FILE *shell = popen ("echo 5", "r");
  int number = fgetc (shell);

  pclose (shell);
  return note ("read_shell", number);
}

CALLS (spawn_and_wait)
{
  char *words[] = { "true", NULL };
  int status = -1;

  g_spawn_sync (NULL, words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status, NULL);
  return note_of_gio ("spawn_and_wait", status);
}

CALLS (wait_for_subprocess)
{
  g_autoptr (GSubprocess) process = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, NULL, "sleep", "0.05", NULL);

  return note_of_gio ("wait_for_subprocess", g_subprocess_wait (process, NULL, NULL));
}

CALLS (call_bus)
{
  g_autoptr (GVariant) answer = g_dbus_connection_call_sync (bus, BUS, "/", BUS, "GetId", NULL, NULL,
                                                             G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);

  return note_of_gio ("call_bus", answer != NULL);
}

CALLS (call_proxy)
{
  g_autoptr (GVariant) answer =
      g_dbus_proxy_call_sync (proxy, "ListNames", NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);

  return note_of_gio ("call_proxy", answer != NULL);
}

CALLS (make_proxy)
{
  g_autoptr (GDBusProxy) made =
      g_dbus_proxy_new_sync (bus, G_DBUS_PROXY_FLAGS_NONE, NULL, BUS, "/", BUS ".Peer", NULL, NULL);

  return note_of_gio ("make_proxy", made != NULL);
}

CALLS (send_message)
{
  g_autoptr (GDBusMessage) message = g_dbus_message_new_method_call (BUS, "/", BUS, "ListActivatableNames");
  g_autoptr (GDBusMessage) reply = g_dbus_connection_send_message_with_reply_sync (
    bus, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, -1, NULL, NULL, NULL);

  return note_of_gio ("send_message", reply != NULL);
}

static gpointer
sync_cb (gpointer data)
{
  return GINT_TO_POINTER (fsync (fd));
}

/* None of these blocks the main loop, so none is listed. */
CALLS (block_not)
{
  char *words[] = { "true", NULL };
  struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1 };
  struct addrinfo *info = NULL;
  int status;

  note ("block_not", flock (fd, LOCK_SH | LOCK_NB));
  note ("block_not", lockf (fd, F_TLOCK, 1));
  note ("block_not", fcntl (fd, F_SETLK, &lock));
  note ("block_not", waitpid (-1, &status, WNOHANG));
  note ("block_not", getaddrinfo ("127.0.0.1", "80", &(struct addrinfo) { .ai_family = AF_INET }, &info));
  freeaddrinfo (info);
  note ("block_not", g_spawn_async (NULL, words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL));
  g_dbus_connection_call (bus, BUS, "/", BUS, "GetId", NULL, NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
  return note ("block_not", GPOINTER_TO_INT (g_thread_join (g_thread_new ("sync", sync_cb, NULL))));
}

static const struct { const char *name; int (*call) (void); } calls[] = {
  { "jump_out", jump_out },
  { "sync_file", sync_file },       { "sync_data", sync_data },       { "lock_file", lock_file },
  { "lock_range", lock_range },     { "lock_record", lock_record },
  { "connect_here", connect_here },
  { "look_up", look_up },           { "wait_for_child", wait_for_child },
  { "run_shell", run_shell },       { "read_shell", read_shell },     { "spawn_and_wait", spawn_and_wait },
  { "wait_for_subprocess", wait_for_subprocess }, { "call_bus", call_bus }, { "call_proxy", call_proxy },
  { "make_proxy", make_proxy },     { "send_message", send_message },
  { "block_not", block_not },
};

static gboolean
call_cb (gpointer data)
{
  static guint n_calls;
  const char *name = data;
  guint i = n_calls++ / N_TIMES;

  if (i >= G_N_ELEMENTS (calls))
    g_main_loop_quit (loop);
  else if (name == NULL || strcmp (calls[i].name, name) == 0)
    {
      errno = 0;
      calls[i].call ();
    }
  return i < G_N_ELEMENTS (calls);
}

static void
prepare (void)
{
  socklen_t n = sizeof address;
  char path[] = "/tmp/strict-XXXXXX";

  fd = mkstemp (path);
  unlink (path);
  server = socket (AF_INET, SOCK_STREAM, 0);
  address = (struct sockaddr_in) { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  g_assert_cmpint (bind (server, (struct sockaddr *) &address, n), ==, 0);
  getsockname (server, (struct sockaddr *) &address, &n);
  g_assert_cmpint (listen (server, 8), ==, 0);
  bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  if (bus != NULL)
    proxy = g_dbus_proxy_new_sync (bus, G_DBUS_PROXY_FLAGS_NONE, NULL, BUS, "/", BUS, NULL, NULL);
}

int
main (int argc, char **argv)
{
  loop = g_main_loop_new (NULL, FALSE);
  prepare ();
  fsync (fd); /* before the loop turns */
  g_timeout_add (20, call_cb, argc > 1 ? argv[1] : NULL);
  g_main_loop_run (loop);
  fsync (fd); /* and after */
  g_main_loop_unref (loop);
  return 7;
}
