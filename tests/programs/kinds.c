/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs one kind of stall, and prints its truth: before the stall, for those that never end, and again with the times
 * after it. */

#include "kinds.h"

#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "folder.h"

/* Given to programs that skip a test by exit status. */
#define STATUS_CANNOT 77

Truth truth;

static char *own_folder; /* (nullable) */

static const struct
{
  const Kind *kinds;
  const guint *n_kinds;
} tables[] = {
  { kinds_work, &n_kinds_work },
  { kinds_compute, &n_kinds_compute },
  { kinds_file, &n_kinds_file },
  { kinds_slow_disk, &n_kinds_slow_disk },
  { kinds_socket, &n_kinds_socket },
  { kinds_wait, &n_kinds_wait },
  { kinds_lock, &n_kinds_lock },
  { kinds_glib, &n_kinds_glib },
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
  guint n_done;
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
  fprintf (stderr, "staller: this machine does not allow it: ");
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
  print_number ("n_major_faults", run->n_major_faults);
  print_number ("run_delay_ns", run->run_delay_ns);
  print_number ("times", run->n_done);
  printf (", \"part_ns\": [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]", truth.part_ns[0],
          truth.part_ns[1], truth.part_ns[2]);
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

static void
kind_cb (gpointer data)
{
  Run *run = data;

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
  run->n_done++;
}

static void
connect_cb (gpointer data)
{
  Run *run = data;

  run->kind->connect (run->length_ns);
}

static int
run_kind (const Kind *kind, gint64 length_ns, guint n_times)
{
  Run run = { .kind = kind, .length_ns = length_ns };

  /* First of all: children would share what wakes the default main context. */
  if (kind->prepare != NULL)
    kind->prepare (length_ns);
  if (kind->held != NULL)
    holder_start_with_lock (kind->held, length_ns);
  staller_use_gio ();
  if (kind->connect != NULL)
    staller_run (connect_cb, &run);
  staller_run_times (kind_cb, &run, n_times, 10);
  if (truth.rest_ms > 0)
    staller_run_idle (truth.rest_ms * NS_PER_MS);
  print_truth (&run);
  slow_disk_stop ();
  if (own_folder != NULL)
    folder_remove (own_folder);
  return 0;
}

static int
run_spin (const Spin *spin, gint64 length_ns)
{
  gint64 began_ns;

  staller_use_gio ();
  began_ns = now_ns ();
  spin->start ();
  /* With half of it on a CPU, however busy the machine is. */
  do
    staller_run_idle (length_ns);
  while (spin->source != NULL && read_clock_ns (CLOCK_THREAD_CPUTIME_ID) < length_ns / 2);
  printf ("{\"kind\": \"%s\"", spin->name);
  print_string ("source", spin->source);
  print_string ("callback", spin->callback);
  staller_print (", \"began_monotonic_ns\": %" G_GINT64_FORMAT ", \"ended_monotonic_ns\": %" G_GINT64_FORMAT
                 ", \"turns\": %" G_GUINT64_FORMAT "}", began_ns, now_ns (), staller_sink);
  return 0;
}

static const Kind *
find_kind (const char *name)
{
  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++)
    for (guint i = 0; i < *tables[t].n_kinds; i++)
      if (strcmp (name, tables[t].kinds[i].name) == 0)
        return &tables[t].kinds[i];
  return NULL;
}

static const Spin *
find_spin (const char *name)
{
  for (guint i = 0; i < n_kinds_spin; i++)
    if (strcmp (name, kinds_spin[i].name) == 0)
      return &kinds_spin[i];
  return NULL;
}

gboolean
kinds_find (const char *name)
{
  return find_kind (name) != NULL || find_spin (name) != NULL;
}

int
kinds_run (const char *name, gint64 length_ns, guint n_times)
{
  const Kind *kind = find_kind (name);

  return kind != NULL ? run_kind (kind, length_ns, n_times) : run_spin (find_spin (name), length_ns);
}

int
kinds_list (void)
{
  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++)
    for (guint i = 0; i < *tables[t].n_kinds; i++)
      printf ("%s\n", tables[t].kinds[i].name);
  for (guint i = 0; i < n_kinds_spin; i++)
    printf ("%s\n", kinds_spin[i].name);
  return 0;
}
