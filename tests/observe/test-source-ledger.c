/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>
#include <unistd.h>
#include <glib-unix.h>

#include "base/jank-clock-private.h"
#include "observe/jank-source-ledger-private.h"
#include "test.h"

#define MS JANK_NS_PER_MS

/* Before the ledger's first start, as a program that captured them. */
static GSourceFuncs captured;
static JankLedgerRow rows[JANK_LEDGER_SIZE + 1];
static const char loop, other_loop;

/* Zeros when there is none. */
static JankLedgerRow
find (const JankSourceLedger *ledger, GSourceFunc callback, const char *name)
{
  guint n = jank_source_ledger_read (ledger, rows);

  for (guint i = 0; i < n; i++)
    if (rows[i].callback == (guintptr) callback && strcmp (rows[i].name, name) == 0)
      return rows[i];
  return (JankLedgerRow) { .count = 0 };
}

typedef struct
{
  guint  n_left;
  guint  n_calls;
  gint64 spent_ns; /* inside the callback, the truth */
} Work;

static gboolean
work_cb (gpointer data)
{
  Work *work = data;
  gint64 began_ns = jank_clock_now_ns ();

  while (jank_clock_now_ns () - began_ns < (work->n_calls % 4 == 0 ? 2 * MS : MS / 2))
    ;
  work->n_calls++;
  work->spent_ns += jank_clock_now_ns () - began_ns;
  return --work->n_left > 0;
}

static gboolean
count_cb (gpointer data)
{
  Work *work = data;

  work->n_calls++;
  return --work->n_left > 0;
}

/* Takes source. Returns: (transfer none): the context's, until it is removed */
static GSource *
attach (GSource *source, GMainContext *context, GSourceFunc func, gpointer data, const char *name)
{
  g_source_set_callback (source, func, data, NULL);
  g_source_set_name (source, name);
  g_source_attach (source, context);
  g_source_unref (source);
  return source;
}

static void
run_all (GMainContext *context, Work *work)
{
  while (work->n_left > 0)
    g_main_context_iteration (context, TRUE);
}

/* Count exactly, times as the callback itself takes them, but for the call. */
TEST (exact)
{
  JankSourceLedger *ledger = jank_source_ledger_start (&loop);
  g_autoptr (GMainContext) context = g_main_context_new ();
  Work idle = { .n_left = 40 }, timeout = { .n_left = 20 };
  JankLedgerRow row;

  attach (g_idle_source_new (), context, work_cb, &idle, "exact idle");
  g_assert_nonnull (ledger);
  g_assert_true (jank_source_ledger_start (&loop) == ledger);
  run_all (context, &idle);
  attach (g_timeout_source_new (1), context, work_cb, &timeout, "exact timeout");
  run_all (context, &timeout);

  row = find (ledger, work_cb, "exact idle");
  g_assert_cmpuint (row.count, ==, 40);
  g_assert_cmpint (row.priority, ==, G_PRIORITY_DEFAULT_IDLE);
  g_assert_cmpint (row.total_ns, >=, idle.spent_ns);
  g_assert_cmpint (row.longest_ns, >=, 2 * MS);
  g_assert_cmpint (row.longest_ns, <=, row.total_ns);
  row = find (ledger, work_cb, "exact timeout");
  g_assert_cmpuint (row.count, ==, 20);
  g_assert_cmpint (row.priority, ==, G_PRIORITY_DEFAULT);
  g_assert_cmpint (row.total_ns, >=, timeout.spent_ns);
  jank_source_ledger_stop (&loop);
  jank_source_ledger_stop (&loop);
}

static gboolean
fd_cb (gint fd, GIOCondition condition, gpointer data)
{
  char byte;

  g_assert_cmpint (read (fd, &byte, 1), ==, 1);
  return count_cb (data);
}

static gboolean
channel_cb (GIOChannel *channel, GIOCondition condition, gpointer data)
{
  return fd_cb (g_io_channel_unix_get_fd (channel), condition, data);
}

static void
child_cb (GPid pid, gint status, gpointer data)
{
  count_cb (data);
}

/* Every table, each with its own kind of callback. */
TEST (tables)
{
  JankSourceLedger *ledger = jank_source_ledger_start (&loop);
  Work unix_fd = { .n_left = 3 }, watch = { .n_left = 3 }, signal = { .n_left = 2 }, child = { .n_left = 1 };
  g_autoptr (GIOChannel) channel = NULL;
  int fds[2], more_fds[2];
  pid_t pid;

  g_assert_true (g_unix_open_pipe (fds, FD_CLOEXEC, NULL) && g_unix_open_pipe (more_fds, FD_CLOEXEC, NULL));
  g_source_set_name_by_id (g_unix_fd_add (fds[0], G_IO_IN, fd_cb, &unix_fd), "table fd");
  g_assert_cmpint (write (fds[1], "abc", 3), ==, 3);
  run_all (NULL, &unix_fd);
  g_assert_cmpuint (find (ledger, G_SOURCE_FUNC (fd_cb), "table fd").count, ==, 3);

  channel = g_io_channel_unix_new (more_fds[0]);
  g_source_set_name_by_id (g_io_add_watch (channel, G_IO_IN, channel_cb, &watch), "table watch");
  g_assert_cmpint (write (more_fds[1], "abc", 3), ==, 3);
  run_all (NULL, &watch);
  g_assert_cmpuint (find (ledger, G_SOURCE_FUNC (channel_cb), "table watch").count, ==, 3);

  g_source_set_name_by_id (g_unix_signal_add (SIGUSR1, count_cb, &signal), "table signal");
  while (signal.n_left > 0)
    {
      guint n_calls = signal.n_calls;

      kill (getpid (), SIGUSR1);
      while (signal.n_calls == n_calls)
        g_main_context_iteration (NULL, TRUE);
    }
  g_assert_cmpuint (find (ledger, count_cb, "table signal").count, ==, 2);

  pid = fork ();
  if (pid == 0)
    _exit (0);
  g_source_set_name_by_id (g_child_watch_add (pid, child_cb, &child), "table child");
  run_all (NULL, &child);
  g_assert_cmpuint (find (ledger, G_SOURCE_FUNC (child_cb), "table child").count, ==, 1);
  for (guint i = 0; i < 2; i++)
    {
      close (fds[i]);
      close (more_fds[i]);
    }
  jank_source_ledger_stop (&loop);
}

/* A source without a name, and names that are gone when the next one comes. */
TEST (names)
{
  JankSourceLedger *ledger = jank_source_ledger_start (&loop);
  g_autoptr (GMainContext) context = g_main_context_new ();

  for (guint i = 0; i < 20; i++)
    {
      g_autofree char *name = g_strdup_printf ("name %u", i % 2);
      Work work = { .n_left = 1 };

      attach (g_idle_source_new (), context, count_cb, &work, name);
      run_all (context, &work);
      memset (name, 'x', strlen (name));
    }
  g_assert_cmpuint (find (ledger, count_cb, "name 0").count, ==, 10);
  g_assert_cmpuint (find (ledger, count_cb, "name 1").count, ==, 10);

  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *name = g_strnfill (200, 'n');
      Work work = { .n_left = 1 };

      attach (g_idle_source_new (), context, count_cb, &work, i == 0 ? name : NULL);
      run_all (context, &work);
      name[63] = '\0';
      g_assert_cmpuint (find (ledger, count_cb, i == 0 ? name : "").count, >=, 1);
    }
  jank_source_ledger_stop (&loop);
}

static gpointer
loop_thread (gpointer data)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  Work work = { .n_left = 2000 };

  attach (g_idle_source_new (), context, count_cb, &work, "of another");
  run_all (context, &work);
  g_assert_null (jank_source_ledger_start (&other_loop));
  return NULL;
}

/* Loops of other threads turn, and nobody's figures but ours move. */
TEST (threads)
{
  JankSourceLedger *ledger = jank_source_ledger_start (&loop);
  g_autoptr (GMainContext) context = g_main_context_new ();
  Work work = { .n_left = 20000 };
  GThread *threads[4];

  attach (g_idle_source_new (), context, count_cb, &work, "ours");
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("loop", loop_thread, NULL);
  run_all (context, &work);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (find (ledger, count_cb, "ours").count, ==, 20000);
  g_assert_cmpuint (find (ledger, count_cb, "of another").count, ==, 0);
  jank_source_ledger_stop (&loop);
}

/* A program that looked at the tables before us, copied one, or calls through them. */
TEST (captured)
{
  JankSourceLedger *ledger = jank_source_ledger_start (&loop);
  g_autoptr (GMainContext) context = g_main_context_new ();
  Work work = { .n_left = 5 }, direct = { .n_left = 2 };
  GSource *own = attach (g_source_new (&captured, 2 * sizeof (GSource)), NULL, count_cb, &direct, "captured");
  GSource *source = attach (g_timeout_source_new (0), context, count_cb, &work, "compared");

  /* Who compares the table finds what he did before. */
  g_assert_true (source->source_funcs == &g_timeout_funcs);
  g_assert_true (g_timeout_funcs.dispatch != captured.dispatch);
  g_assert_true (g_timeout_funcs.prepare == captured.prepare);

  /* The captured function works as before, and is nobody's business. */
  g_assert_true (captured.dispatch (own, count_cb, &direct));
  g_assert_false (captured.dispatch (own, count_cb, &direct));
  g_assert_cmpuint (direct.n_calls, ==, 2);
  g_assert_cmpuint (find (ledger, count_cb, "captured").count, ==, 0);

  /* So does the table's own, called from outside. */
  g_assert_true (g_timeout_funcs.dispatch (source, count_cb, &work));
  run_all (context, &work);
  g_assert_cmpuint (work.n_calls, ==, 5);
  g_assert_cmpuint (find (ledger, count_cb, "compared").count, ==, 5);
  g_source_destroy (own);
  jank_source_ledger_stop (&loop);
}

static gpointer
take_over_thread (gpointer data)
{
  Work work = { .n_left = 7 };

  /* Another loop's thread changes nothing. */
  jank_source_ledger_move (&other_loop);
  attach (g_idle_source_new (), data, count_cb, &work, "stopped");
  run_all (data, &work);
  jank_source_ledger_move (&loop);
  work.n_left = 7;
  attach (g_idle_source_new (), data, count_cb, &work, "stopped");
  run_all (data, &work);
  return NULL;
}

TEST (stop)
{
  JankSourceLedger *ledger = jank_source_ledger_start (&loop);
  g_autoptr (GMainContext) context = g_main_context_new ();
  Work work = { .n_left = 10 };

  attach (g_idle_source_new (), context, count_cb, &work, "stopped");
  jank_source_ledger_stop (&other_loop);
  jank_source_ledger_stop (&loop);
  run_all (context, &work);
  g_assert_cmpuint (find (ledger, count_cb, "stopped").count, ==, 0);

  /* Another loop has the ledger, and another thread that loop. */
  g_assert_true (jank_source_ledger_start (&other_loop) == ledger);
  g_assert_null (jank_source_ledger_start (&loop));
  jank_source_ledger_stop (&other_loop);

  /* As many stops as starts. */
  jank_source_ledger_start (&loop);
  jank_source_ledger_start (&loop);
  jank_source_ledger_stop (&loop);
  g_thread_join (g_thread_new ("takes over", take_over_thread, context));
  g_assert_cmpuint (find (ledger, count_cb, "stopped").count, ==, 7);
  work.n_left = 3;
  attach (g_idle_source_new (), context, count_cb, &work, "stopped");
  run_all (context, &work);
  g_assert_cmpuint (find (ledger, count_cb, "stopped").count, ==, 7);
  jank_source_ledger_stop (&loop);
}

/* The last: it fills the table. */
TEST (full)
{
  JankSourceLedger *ledger = jank_source_ledger_start (&loop);
  g_autoptr (GMainContext) context = g_main_context_new ();
  guint64 n_dispatches = 0;
  guint n;

  jank_source_ledger_read (ledger, rows);
  for (guint i = 0; i < 2 * JANK_LEDGER_SIZE; i++)
    {
      g_autofree char *name = g_strdup_printf ("full %u", i);
      Work work = { .n_left = 2 };

      attach (g_idle_source_new (), context, count_cb, &work, name);
      run_all (context, &work);
    }
  n = jank_source_ledger_read (ledger, rows);
  g_assert_cmpuint (n, ==, JANK_LEDGER_SIZE + 1);
  for (guint i = 0; i < n; i++)
    {
      if (i > 0)
        g_assert_cmpint (rows[i].total_ns, <=, rows[i - 1].total_ns);
      if (g_str_has_prefix (rows[i].name, "full ") || (rows[i].callback == 0 && rows[i].name[0] == '\0'))
        n_dispatches += rows[i].count;
    }
  g_assert_cmpuint (n_dispatches, ==, 4 * JANK_LEDGER_SIZE);
  jank_source_ledger_stop (&loop);
}

static void
add (void)
{
  captured = g_timeout_funcs;
}

TESTS_AND ("/observe/source-ledger", add, FALSE)
