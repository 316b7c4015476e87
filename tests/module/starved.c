/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* starved LIBRARY KIND: a window of libgtk-3.so.0 or libgtk-4.so.1 that is drawn all the time. After 1.5 s it works
 * for 1.5 s, 4 ms at a time: from an "idle" source or a "pipe" that is always readable, both before GTK draws; or from
 * an idle source of "low" priority, after it. A window that is "hidden" is not drawn. With
 * "rows" it works 40 ms now and then, 4 ms at a time; with "answers" for ten calls of GIO's that come back,
 * with "custom" for a source of its own, with "ten" for ten functions. It stalls once where the loop has turned before
 * GTK is up: with "absent" before it is loaded, with "loaded" before it is initialised, with "displayless" before it
 * has a display, which is then opened by its name. */

#include <gio/gio.h>
#include <glib-unix.h>

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#define BEFORE_MS 1500
#define TURN_MS   700 /* long enough for the watcher to sleep */
#define STALL_US  300000
#define WORK_MS   1500
#define CHUNK_US  4000
#define END_MS    4000

#define N_ROWS     10
#define BURSTS_MS  200

static void *gtk;
static gint64 until_us;
static const char *kind;
static gboolean stays; /* with STAY in its environment */
static guint sum;

static gboolean is_kind (const char *name) { return strcmp (kind, name) == 0; }

/* Returns: whether there is more */
__attribute__ ((noinline)) static gboolean
work_here (void)
{
  gint64 end_us = g_get_monotonic_time () + CHUNK_US;

  while (g_get_monotonic_time () < end_us)
    for (guint i = 0; i < 1000; i++)
      sum += i * sum;
  return g_get_monotonic_time () < until_us;
}

static gboolean chunk_cb (gpointer data) { return work_here (); }
static gboolean pipe_cb (int fd, GIOCondition condition, gpointer data) { return work_here (); }

static gpointer
find (const char *name)
{
  gpointer function = dlsym (gtk, name);

  g_assert_nonnull (function);
  return function;
}

static guint n_rows;

static gboolean
on_row_cb (gpointer data)
{
  work_here ();
  return ++n_rows % N_ROWS != 0;
}

#define ROWS ROW (0) ROW (1) ROW (2) ROW (3) ROW (4) ROW (5) ROW (6) ROW (7) ROW (8) ROW (9)
#define ROW(i) \
  static gboolean \
  row_##i##_cb (gpointer data) \
  { \
    sum += i; \
    work_here (); \
    return G_SOURCE_REMOVE; \
  }
ROWS
#undef ROW

static void on_answer_cb (GObject *object, GAsyncResult *result, gpointer data) { work_here (); }

static void
answer (void)
{
  GTask *task = g_task_new (NULL, NULL, on_answer_cb, NULL);

  g_task_return_boolean (task, TRUE);
  g_object_unref (task);
}

static gboolean is_ready_cb (GSource *source) { return TRUE; }

static gboolean
dispatch_cb (GSource *source, GSourceFunc callback, gpointer data)
{
  return on_row_cb (data);
}

static void
attach_custom (void)
{
  static GSourceFuncs funcs = { .check = is_ready_cb, .dispatch = dispatch_cb };
  GSource *source = g_source_new (&funcs, sizeof (GSource));

  g_source_set_ready_time (source, 0);
  g_source_attach (source, NULL);
  g_source_unref (source);
}

static gboolean
burst_cb (gpointer data)
{
  if (is_kind ("custom"))
    attach_custom ();
  for (guint i = 0; i < N_ROWS && is_kind ("answers"); i++)
    answer ();
  if (is_kind ("rows"))
    g_idle_add_full (G_PRIORITY_DEFAULT, on_row_cb, NULL, NULL);
#define ROW(i) \
  if (is_kind ("ten")) \
    g_idle_add_full (G_PRIORITY_DEFAULT, row_##i##_cb, NULL, NULL);
  ROWS
#undef ROW
  return G_SOURCE_CONTINUE;
}

__attribute__ ((noinline)) static void
stall_here (void)
{
  g_usleep (STALL_US);
  __asm__ volatile ("" ::: "memory");
}

static gboolean
begin_cb (gpointer window)
{
  int fds[2];

  until_us = g_get_monotonic_time () + WORK_MS * 1000;
  if (is_kind ("hidden"))
    ((void (*) (gpointer)) find ("gtk_widget_hide")) (window);
  if (is_kind ("absent") || is_kind ("loaded") || is_kind ("displayless"))
    stall_here ();
  else if (is_kind ("rows") || is_kind ("answers") || is_kind ("custom") || is_kind ("ten"))
    g_timeout_add (BURSTS_MS, burst_cb, NULL);
  else if (is_kind ("pipe"))
    {
      g_assert_cmpint (pipe (fds), ==, 0);
      g_assert_cmpint (write (fds[1], "", 1), ==, 1);
      g_unix_fd_add (fds[0], G_IO_IN, pipe_cb, NULL);
    }
  else
    g_idle_add_full (is_kind ("low") ? G_PRIORITY_LOW : G_PRIORITY_DEFAULT, chunk_cb, NULL, NULL);
  return G_SOURCE_REMOVE;
}

static gboolean
tick_cb (gpointer window, gpointer clock, gpointer data)
{
  ((void (*) (gpointer)) find ("gtk_widget_queue_draw")) (window);
  return G_SOURCE_CONTINUE;
}

static void
turn (GMainLoop *loop, guint ms)
{
  g_timeout_add_once (ms, (GSourceOnceFunc) g_main_loop_quit, loop);
  g_main_loop_run (loop);
}

int
main (int argc, char **argv)
{
  g_autofree char *display = g_strdup (g_getenv ("DISPLAY"));
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);
  gpointer window;

  kind = argv[argc - 1];
  stays = g_getenv ("STAY") != NULL;
  if (is_kind ("absent"))
    turn (loop, TURN_MS);
  gtk = dlopen (argv[1], RTLD_NOW);
  g_assert_nonnull (gtk);
  if (is_kind ("loaded"))
    turn (loop, TURN_MS);
  if (is_kind ("displayless"))
    g_unsetenv ("DISPLAY");
  ((gboolean (*) (int *, char ***)) find ("gtk_init_check")) (NULL, NULL);
  if (is_kind ("displayless"))
    {
      turn (loop, TURN_MS);
      g_assert_nonnull (((gpointer (*) (const char *)) find ("gdk_display_open")) (display));
    }
  window = ((gpointer (*) (int)) find ("gtk_window_new")) (0);
  ((guint (*) (gpointer, gpointer, gpointer, gpointer)) find ("gtk_widget_add_tick_callback")) (window, tick_cb, NULL,
                                                                                                NULL);
  ((void (*) (gpointer)) find ("gtk_widget_show")) (window);
  g_timeout_add (BEFORE_MS, begin_cb, window);
  if (stays)
    g_main_loop_run (loop);
  turn (loop, END_MS);
  g_main_loop_unref (loop);
  return 0;
}
