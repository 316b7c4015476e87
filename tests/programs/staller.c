/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* staller: a GLib program that stalls in a known way and says what it did, in its last line, as JSON.
 *
 *     staller KIND [LENGTH_MS [N]]   one stall or N, and what a report of the last must say: kinds.h
 *     staller COMMAND [ARGUMENT…]    all else
 *     staller --list                 the kinds
 *
 * It is not linked with jankwatch: tests run it under the watcher, and alone to compare. */

#include "kinds.h"

#include <gio/gio.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REST_MS 250

static const struct
{
  const char *name;
  StallerCommand command;
} commands[] = {
  { "waits", command_waits },
  { "other-waits", command_other_waits }, /* [ROUNDS] */
  { "exit-in-stall", command_exit_in_stall }, /* MS */
  { "abort-in-stall", command_abort_in_stall }, /* MS */
  { "hang", command_hang },
  { "startup", command_startup }, /* MS */
  { "no-loop", command_no_loop }, /* MS */
  { "nested", command_nested }, /* MS */
  { "idle", command_idle }, /* SECONDS */
  { "busy-short", command_busy_short }, /* SECONDS */
  { "threads", command_threads }, /* SECONDS */
};

typedef struct
{
  StallerFunc func;
  gpointer data;
  GMainLoop *loop;
  guint n_left;
  guint rest_ms;
} Run;

static gboolean
run_cb (gpointer data)
{
  Run *run = data;
  guint id;

  if (run->n_left-- == 0)
    {
      g_main_loop_quit (run->loop);
      return G_SOURCE_REMOVE;
    }
  run->func (run->data);
  /* One shot each: a repeating timeout would be due at once after a long call. */
  id = g_timeout_add (run->n_left > 0 ? run->rest_ms : REST_MS, run_cb, run);
  g_source_set_name_by_id (id, "[staller] run");
  return G_SOURCE_REMOVE;
}

void
staller_run_times (StallerFunc func, gpointer data, guint n_times, guint rest_ms)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  Run run = { func, data, loop, n_times, rest_ms };
  guint id = g_timeout_add (REST_MS, run_cb, &run);

  g_source_set_name_by_id (id, "[staller] run");
  g_main_loop_run (loop);
}

void
staller_run (StallerFunc func, gpointer data)
{
  staller_run_times (func, data, 1, 0);
}

void
staller_run_idle (gint64 duration_ns)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  g_timeout_add_once ((guint) (duration_ns / NS_PER_MS), (GSourceOnceFunc) g_main_loop_quit, loop);
  g_main_loop_run (loop);
}

void
staller_attach_timeout (GMainContext *context, guint interval_ms, GSourceFunc func, gpointer data)
{
  g_autoptr (GSource) source = g_timeout_source_new (interval_ms);

  g_source_set_callback (source, func, data, NULL);
  g_source_attach (source, context);
}

gint64
staller_arg (const StallerArgs *args, int index, gint64 missing)
{
  gint64 value;

  if (index >= args->n_args)
    return missing;
  g_assert_true (g_ascii_string_to_signed (args->args[index], 10, 0, G_MAXINT, &value, NULL));
  return value;
}

void
staller_print (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  vprintf (format, args);
  va_end (args);
  putchar ('\n');
  fflush (stdout);
}

void
staller_use_gio (void)
{
  g_setenv ("GIO_USE_VFS", "local", FALSE);
  g_vfs_get_default ();
}

int
main (int argc, char **argv)
{
  StallerArgs args = { MAX (argc - 2, 0), argv + MIN (argc, 2) };

  g_assert_cmpint (argc, >=, 2);
  if (strcmp (argv[1], "--list") == 0)
    return kinds_list ();
  if (kinds_find (argv[1]))
    return kinds_run (argv[1], staller_arg (&args, 0, 300) * NS_PER_MS, (guint) staller_arg (&args, 1, 1));
  staller_use_gio ();

  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      if (strcmp (argv[1], commands[i].name) == 0)
        return commands[i].command (&args);
    }
  fprintf (stderr, "staller has no ‘%s’\n", argv[1]);
  return 2;
}
