/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a monitor that was started and stopped leaves behind: nothing. */

#include <dlfcn.h>
#include <malloc.h>
#include <string.h>

#include "fixture.h"
#include "sanitizer.h"

/* Fewer where each thread takes a sanitizer long; the heap is not looked at there. */
#define N_ROUNDS (HAS_INTERCEPTORS ? 20 : 100)

/* After so many, what is made once has been made. */
#define N_FIRST  (HAS_INTERCEPTORS ? 10 : 30)

/* A sanitizer keeps what was freed. */
#define MAX_GROWN_BYTES (HAS_INTERCEPTORS ? 0 : 32 * 1024)

static GMutex mutex;
static GPtrArray *sources; /* (owned) of (owned) GSource, under mutex */

/* Lets go of those that no context has any more: GLib keeps room for as many as there ever were. */
static guint
count_sources_unlocked (void)
{
  for (guint i = sources->len; i-- > 0;)
    if (g_source_is_destroyed (sources->pdata[i]))
      g_ptr_array_remove_index_fast (sources, i);
  return sources->len;
}

/* In the place of GLib's: every source of the library, which is linked statically here, and of this file. */
guint
g_source_attach (GSource *source, GMainContext *context)
{
  guint (*attach) (GSource *source, GMainContext *context) =
    (guint (*) (GSource *, GMainContext *)) dlsym (RTLD_NEXT, "g_source_attach");

  g_mutex_lock (&mutex);
  count_sources_unlocked ();
  g_ptr_array_add (sources, g_source_ref (source));
  g_mutex_unlock (&mutex);
  return attach (source, context);
}

typedef struct
{
  guint  n_threads, n_descriptors, n_mappings, n_timers, n_sources;
  gint64 heap_bytes;
} Left;

static guint
count_lines (const char *path, const char *with)
{
  g_autofree char *text = NULL;
  guint n = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (const char *line = text; (line = strstr (line, with)) != NULL; line++)
    n++;
  return n;
}

static guint
count_entries (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static Left
look_around (void)
{
  guint n_left;

  g_mutex_lock (&mutex);
  n_left = count_sources_unlocked ();
  g_mutex_unlock (&mutex);
  return (Left) {
    .n_threads = count_entries ("/proc/self/task"),
    .n_descriptors = count_entries ("/proc/self/fd"),
    .n_mappings = count_lines ("/proc/self/maps", "\n"),
    .n_timers = count_lines ("/proc/self/timers", "ID:"),
    .n_sources = n_left,
    .heap_bytes = (gint64) mallinfo2 ().uordblks,
  };
}

/* A thread that was joined stays in the list for a moment; the thread sanitizer has one of its own. */
static void
await_threads (guint n)
{
  gint64 until_ns = jank_clock_now_ns () + AWAIT_NS;

  while (count_entries ("/proc/self/task") > n && jank_clock_now_ns () < until_ns)
    g_usleep (1000);
}

/* With and without a turn, so that the loop's thread is known or not. */
static void
start_and_stop (Fixture *fixture, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_assert_true (jank_monitor_start (fixture->monitor, NULL));
      if (i % 2 == 0)
        g_main_context_iteration (fixture->context, FALSE);
      jank_monitor_stop (fixture->monitor);
    }
}

typedef struct
{
  const char *path, *key, *value; /* (nullable): the defaults */
} Case;

static void
test_left (Fixture *fixture, gconstpointer data)
{
  const Case *chosen = data;
  Left before, after;

  if (chosen->key != NULL)
    g_assert_true (jank_monitor_set_setting (fixture->monitor, chosen->key, chosen->value, NULL));
  start_and_stop (fixture, N_FIRST);
  await_threads (HAS_TSAN ? 2 : 1);
  before = look_around ();
  start_and_stop (fixture, N_ROUNDS);
  await_threads (before.n_threads);
  after = look_around ();
  g_test_message ("%u threads, %u descriptors, %u and %u mappings, %" G_GINT64_FORMAT " bytes more", after.n_threads,
                  after.n_descriptors, before.n_mappings, after.n_mappings, after.heap_bytes - before.heap_bytes);
  g_assert_cmpuint (after.n_threads, ==, before.n_threads);
  g_assert_cmpuint (after.n_descriptors, ==, before.n_descriptors);
  g_assert_cmpuint (after.n_timers, ==, before.n_timers);
  g_assert_cmpuint (after.n_sources, ==, before.n_sources);
  if (MAX_GROWN_BYTES > 0)
    {
      g_assert_cmpint (after.heap_bytes - before.heap_bytes, <, MAX_GROWN_BYTES);
      /* glibc's, of threads that ran at the same time: stacks that it keeps, heaps. */
      g_assert_cmpuint (after.n_mappings, <, before.n_mappings + N_ROUNDS / 10);
    }
}

int
main (int argc, char **argv)
{
  static const Case cases[] = {
    { "/monitor/left/defaults", NULL, NULL },
    { "/monitor/left/turns", "turns", "yes" },
    { "/monitor/left/sources", "sources", "yes" },
    { "/monitor/left/ping", "observer", "ping" },
  };

  home_isolate ();
  sources = g_ptr_array_new_with_free_func ((GDestroyNotify) g_source_unref);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_test_add (cases[i].path, Fixture, &cases[i], fixture_set_up, test_left, fixture_tear_down);
  return home_run ();
}
