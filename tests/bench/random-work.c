/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "random-work.h"

#include <math.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <gio/gunixsocketaddress.h>

#include "base/jank-clock-private.h"

static int answers[2]; /* pipe: the helper writes a byte when its time has come */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GAsyncQueue *orders; /* of Order */

typedef struct
{
  gint64   length_ns;
  gboolean holds_lock; /* else a byte is written at the end */
  gint     ready;      /* atomic: the lock is held */
} Order;

static void
sleep_ns (gint64 length_ns)
{
  struct timespec time = { length_ns / JANK_NS_PER_S, length_ns % JANK_NS_PER_S };

  while (nanosleep (&time, &time) != 0)
    ;
}

/* The thread that readers and lockers wait for. */
static gpointer
help (gpointer data)
{
  for (;;)
    {
      Order *order = g_async_queue_pop (orders);

      if (order->holds_lock)
        pthread_mutex_lock (&lock);
      g_atomic_int_set (&order->ready, 1);
      sleep_ns (order->length_ns);
      if (order->holds_lock)
        pthread_mutex_unlock (&lock);
      else if (write (answers[1], "", 1) != 1)
        g_error ("The pipe of random-stalls is broken");
    }
  return NULL;
}

/* order: on the caller's stack, done with before it returns. */
static void
give (Order *order)
{
  g_async_queue_push (orders, order);
  while (!g_atomic_int_get (&order->ready))
    g_thread_yield ();
}

void
work_start (void)
{
  if (pipe (answers) != 0)
    g_error ("No pipe for random-stalls");
  orders = g_async_queue_new ();
  g_thread_unref (g_thread_new ("helper", help, NULL));
}

/* Code of its own each, so that no linker makes them one. */
#define COMPUTE(name, expression)                                                                                     \
  static void __attribute__ ((noinline)) name (gint64 length_ns)                                                      \
  {                                                                                                                   \
    gint64 end_ns = jank_clock_now_ns () + length_ns;                                                                 \
    volatile double sum = 1;                                                                                          \
                                                                                                                      \
    while (jank_clock_now_ns () < end_ns)                                                                             \
      for (guint i = 1; i < 2000; i++)                                                                                \
        sum = expression;                                                                                             \
  }

COMPUTE (compute_sums, sum + 1.0 / i)
COMPUTE (compute_roots, sqrt (sum + i))
COMPUTE (compute_products, sum * 0.5 + i)
COMPUTE (compute_differences, i - sum)
COMPUTE (compute_quotients, i / (sum * sum + 1))

static void __attribute__ ((noinline))
sleep_on (gint64 length_ns)
{
  sleep_ns (length_ns);
  __asm__ volatile ("");
}

static void __attribute__ ((noinline))
poll_nothing (gint64 length_ns)
{
  struct pollfd end = { .fd = answers[0], .events = POLLIN };
  struct timespec time = { length_ns / JANK_NS_PER_S, length_ns % JANK_NS_PER_S };

  ppoll (&end, 1, &time, NULL);
  __asm__ volatile ("");
}

static void __attribute__ ((noinline))
read_answer (gint64 length_ns)
{
  Order order = { .length_ns = length_ns };
  char byte;

  give (&order);
  if (read (answers[0], &byte, 1) != 1)
    g_error ("The pipe of random-stalls is broken");
  __asm__ volatile ("");
}

static void __attribute__ ((noinline))
take_lock (gint64 length_ns)
{
  Order order = { .length_ns = length_ns, .holds_lock = TRUE };

  give (&order);
  pthread_mutex_lock (&lock);
  pthread_mutex_unlock (&lock);
}

static const Work works[] = {
  { "compute_sums", "computing", compute_sums },
  { "compute_roots", "computing", compute_roots },
  { "compute_products", "computing", compute_products },
  { "compute_differences", "computing", compute_differences },
  { "compute_quotients", "computing", compute_quotients },
  { "sleep_on", "sleep", sleep_on },
  { "poll_nothing", "pipe", poll_nothing },
  { "read_answer", "pipe", read_answer },
  { "take_lock", "lock", take_lock },
};

const Work *
work_get_all (guint *ret_n_works)
{
  *ret_n_works = G_N_ELEMENTS (works);
  return works;
}

static void nest_even (guint depth, void (*func) (gpointer), gpointer data);

static void __attribute__ ((noinline))
nest_odd (guint depth, void (*func) (gpointer), gpointer data)
{
  if (depth == 0)
    func (data);
  else
    nest_even (depth - 1, func, data);
  __asm__ volatile ("");
}

static void __attribute__ ((noinline))
nest_even (guint depth, void (*func) (gpointer), gpointer data)
{
  char room[192];

  __asm__ volatile ("" : : "r" (room) : "memory");
  if (depth == 0)
    func (data);
  else
    nest_odd (depth - 1, func, data);
  __asm__ volatile ("");
}

void
work_nest (guint depth, void (*func) (gpointer), gpointer data)
{
  nest_even (depth, func, data);
}

static gpointer
connect_client (gpointer data)
{
  return g_dbus_connection_new_sync (data, NULL, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT, NULL, NULL, NULL);
}

gboolean
work_connect_pair (GDBusConnection **ret_server, GDBusConnection **ret_client, GError **error)
{
  g_autoptr (GSocket) server_socket = NULL, client_socket = NULL;
  g_autoptr (GSocketConnection) server_stream = NULL, client_stream = NULL;
  g_autofree char *guid = g_dbus_generate_guid ();
  GThread *thread;
  int ends[2];

  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return FALSE;
  server_socket = g_socket_new_from_fd (ends[0], error);
  client_socket = g_socket_new_from_fd (ends[1], error);
  server_stream = g_socket_connection_factory_create_connection (server_socket);
  client_stream = g_socket_connection_factory_create_connection (client_socket);

  /* Each end waits for the other while they greet. */
  thread = g_thread_new ("client", connect_client, client_stream);
  *ret_server = g_dbus_connection_new_sync (G_IO_STREAM (server_stream), guid,
                                            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_SERVER, NULL, NULL, error);
  *ret_client = g_thread_join (thread);
  return *ret_server != NULL && *ret_client != NULL;
}
