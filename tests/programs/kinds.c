/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* kinds: a GLib program that stalls in one of many ways and says, as JSON lines, what a report of it must say.
 *
 *     kinds NAME [LENGTH_MS]
 *     kinds --list
 *
 * It prints its truth before the stall, for those that never end, and again with the times after it. It is not
 * linked with jankwatch: tests run it under the watcher. */

#include "kinds.h"

#include <gio/gio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "folder.h"

/* Before the stall, and after it. */
#define REST_MS 150
#define LENGTH_MS 300
/* Given to programs that skip a test by exit status. */
#define STATUS_CANNOT 77

Truth truth;
guint64 kinds_sink;

static char *own_folder; /* (nullable) */

static const struct
{
  const Kind *kinds;
  const guint *n_kinds;
} tables[] = {
  { kinds_compute, &n_kinds_compute },
  { kinds_file, &n_kinds_file },
  { kinds_slow_disk, &n_kinds_slow_disk },
  { kinds_socket, &n_kinds_socket },
  { kinds_wait, &n_kinds_wait },
  { kinds_lock, &n_kinds_lock },
  { kinds_glock, &n_kinds_glock },
  { kinds_deadlock, &n_kinds_deadlock },
  { kinds_dbus, &n_kinds_dbus },
  { kinds_fickle, &n_kinds_fickle },
};

typedef struct
{
  const Kind *kind;
  gint64 length_ns;
  gint64 began_ns, ended_ns, cpu_ns, run_delay_ns;
  long n_major_faults;
  GMainLoop *loop;
} Run;

void
kinds_check (gboolean holds, const char *what)
{
  if (holds)
    return;
  perror (what);
  _exit (1);
}

void
kinds_cannot (const char *what)
{
  fprintf (stderr, "kinds: this machine does not allow it: ");
  perror (what);
  _exit (STATUS_CANNOT);
}

char *
kinds_path (const char *name)
{
  const char *folder = g_getenv ("KINDS_FOLDER");

  if (folder == NULL && own_folder == NULL)
    own_folder = folder_new ("kinds");
  if (folder == NULL)
    folder = own_folder;
  return g_build_filename (folder, name, NULL);
}

char *
kinds_plugin_path (void)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = g_path_get_dirname (program);

  return g_build_filename (folder, "kinds-plugin.so", NULL);
}

static void
print_string (const char *name, const char *value)
{
  if (value != NULL && *value != '\0')
    printf (", \"%s\": \"%s\"", name, value);
}

static void
print_number (const char *name, gint64 value)
{
  if (value != 0)
    printf (", \"%s\": %" G_GINT64_FORMAT, name, value);
}

/* Paths and names here are plain ASCII. */
static void
print_truth (const Run *run)
{
  printf ("{\"kind\": \"%s\", \"function\": \"%s\"", run->kind->name, run->kind->function);
  print_string ("state", run->kind->state);
  print_string ("wait", run->kind->wait);
  print_string ("syscall", run->kind->syscall);
  print_string ("target", truth.target);
  print_string ("filesystem", truth.filesystem);
  print_number ("bytes", truth.n_bytes);
  print_number ("timeout_ns", truth.timeout_ns);
  print_number ("peer_pid", truth.peer_pid);
  print_string ("peer_name", truth.peer_name);
  print_string ("lock", truth.lock);
  print_number ("lock_address", (gint64) (guintptr) truth.lock_address);
  print_number ("lock_owner", truth.lock_owner);
  print_number ("holder", truth.holder);
  print_string ("holder_function", truth.holder_function);
  print_number ("n_chain", truth.n_chain);
  print_string ("wrong_target", truth.wrong_target);
  print_number ("wrong_owner", truth.wrong_owner);
  print_number ("n_major_faults", run->n_major_faults);
  print_number ("run_delay_ns", run->run_delay_ns);
  printf (", \"tid\": %d, \"began_monotonic_ns\": %" G_GINT64_FORMAT ", \"ended_monotonic_ns\": %" G_GINT64_FORMAT
          ", \"cpu_ns\": %" G_GINT64_FORMAT "}\n", gettid (), run->began_ns, run->ended_ns, run->cpu_ns);
  fflush (stdout);
}

static gint64
count_major_faults (void)
{
  struct rusage usage;

  getrusage (RUSAGE_THREAD, &usage);
  return usage.ru_majflt;
}

/* How long this thread has waited for a CPU. */
static gint64
read_run_delay_ns (void)
{
  g_autofree char *text = NULL;
  gint64 cpu_ns, delay_ns;

  if (!g_file_get_contents ("/proc/thread-self/schedstat", &text, NULL, NULL) ||
      sscanf (text, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, &cpu_ns, &delay_ns) != 2)
    return 0;
  return delay_ns;
}

static gboolean
quit_cb (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

static gboolean
stall_cb (gpointer data)
{
  Run *run = data;
  guint id;

  print_truth (run);
  run->n_major_faults = -count_major_faults ();
  run->run_delay_ns = -read_run_delay_ns ();
  run->cpu_ns = -read_clock_ns (CLOCK_THREAD_CPUTIME_ID);
  run->began_ns = now_ns ();
  holder_go ();
  run->kind->stall (run->length_ns);
  run->ended_ns = now_ns ();
  run->cpu_ns += read_clock_ns (CLOCK_THREAD_CPUTIME_ID);
  run->run_delay_ns += read_run_delay_ns ();
  run->n_major_faults += count_major_faults ();
  id = g_timeout_add (truth.rest_ms > 0 ? truth.rest_ms : REST_MS, quit_cb, run->loop);
  g_source_set_name_by_id (id, "[kinds] quit");
  return G_SOURCE_REMOVE;
}

static gboolean
connect_cb (gpointer data)
{
  Run *run = data;
  guint id;

  if (run->kind->connect != NULL)
    run->kind->connect (run->length_ns);
  id = g_timeout_add (REST_MS, stall_cb, run);
  g_source_set_name_by_id (id, "[kinds] stall");
  return G_SOURCE_REMOVE;
}

/* Makes GIO load its modules, ours among them, as the first use of a GFile would in any program. */
static void
use_gio (void)
{
  g_setenv ("GIO_USE_VFS", "local", FALSE);
  g_vfs_get_default ();
}

static int
run_kind (const Kind *kind, gint64 length_ns)
{
  g_autoptr (GMainLoop) loop = NULL;
  Run run = { .kind = kind, .length_ns = length_ns };

  /* First of all: children would share what wakes the default main context. */
  if (kind->prepare != NULL)
    kind->prepare (length_ns);
  if (kind->held != NULL)
    holder_start_with_lock (kind->held, length_ns);
  run.loop = loop = g_main_loop_new (NULL, FALSE);
  use_gio ();
  g_idle_add (connect_cb, &run);
  g_main_loop_run (loop);
  print_truth (&run);
  slow_disk_stop ();
  if (own_folder != NULL)
    folder_remove (own_folder);
  return 0;
}

static int
run_spin (const Spin *spin, gint64 length_ns)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  gint64 began_ns;

  use_gio ();
  began_ns = now_ns ();
  spin->start ();
  g_timeout_add ((guint) (length_ns / NS_PER_MS), quit_cb, loop);
  g_main_loop_run (loop);
  printf ("{\"kind\": \"%s\"", spin->name);
  print_string ("source", spin->source);
  print_string ("callback", spin->callback);
  printf (", \"began_monotonic_ns\": %" G_GINT64_FORMAT ", \"ended_monotonic_ns\": %" G_GINT64_FORMAT
          ", \"turns\": %" G_GUINT64_FORMAT "}\n", began_ns, now_ns (), kinds_sink);
  fflush (stdout);
  return 0;
}

static int
list_all (void)
{
  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++)
    for (guint i = 0; i < *tables[t].n_kinds; i++)
      printf ("%s\n", tables[t].kinds[i].name);
  for (guint i = 0; i < n_kinds_spin; i++)
    printf ("%s\n", kinds_spin[i].name);
  return 0;
}

int
main (int argc, char **argv)
{
  gint64 length_ns = (argc > 2 ? atoi (argv[2]) : LENGTH_MS) * NS_PER_MS;

  if (argc > 1 && strcmp (argv[1], "--list") == 0)
    return list_all ();
  for (gsize t = 0; argc > 1 && t < G_N_ELEMENTS (tables); t++)
    for (guint i = 0; i < *tables[t].n_kinds; i++)
      if (strcmp (argv[1], tables[t].kinds[i].name) == 0)
        return run_kind (&tables[t].kinds[i], length_ns);
  for (guint i = 0; argc > 1 && i < n_kinds_spin; i++)
    if (strcmp (argv[1], kinds_spin[i].name) == 0)
      return run_spin (&kinds_spin[i], length_ns);
  fprintf (stderr, "kinds NAME [LENGTH_MS], kinds --list\n");
  return 2;
}
