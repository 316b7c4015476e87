/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What watching costs as one thing grows: bench-scaling WHAT N [FILE], see kinds. The loop of this program is watched
 * by a monitor of its own; what the monitor did is read from its report and from the watcher thread's CPU time. FILE:
 * of modules, a shared library that is loaded N times under N names. Prints one JSON object. */

#include <dlfcn.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <glib/gstdio.h>
#include <glib-unix.h>
#include <gio/gio.h>

#include "base/jank-clock-private.h"
#include "monitor/jank-monitor.h"
#include "watching.h"

#define STALL_NS     (300 * JANK_NS_PER_MS)
#define SHORT_NS     (110 * JANK_NS_PER_MS)
#define STALLS_S     20
/* GLib asks every source in each turn: a round has as many turns as take this long. Many short ones, since a turn of
 * ten thousand sources varies by more than watching takes. */
#define ROUND_NS     (10 * JANK_NS_PER_MS)
#define TRIAL_TURNS  50
#define N_ROUNDS     301
#define N_RATE_ROUNDS 61
#define RATE_NS      (2 * JANK_NS_PER_S)
#define SETTLE_TURNS 200000

typedef struct
{
  GMainLoop   *loop;
  JankMonitor *monitor;
  char        *folder;   /* of the store, and of copied modules */
  const char  *file;
  guint        n, n_left, n_reports;
  char        *json;     /* of the last report */
  gint64       half_kb;  /* memory after half of the stalls */
} Bench;

/* How much memory this process has, without pages of files, which come as code runs for the first time. */
static gint64
read_anonymous_kb (void)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL) || (line = strstr (text, "RssAnon:")) == NULL)
    g_error ("The kernel does not say how much memory this process has");
  return g_ascii_strtoll (line + strlen ("RssAnon:"), NULL, 10);
}

static void
spend (gint64 length_ns)
{
  gint64 end_ns = jank_clock_now_ns () + length_ns;

  while (jank_clock_now_ns () < end_ns)
    ;
}

static void __attribute__ ((noinline))
descend (guint depth)
{
  if (depth == 0)
    spend (STALL_NS);
  else
    descend (depth - 1);
  __asm__ volatile ("");
}

static void
report_cb (JankMonitor *monitor, JankReport *report, gpointer data)
{
  Bench *bench = data;

  g_free (bench->json);
  bench->json = jank_report_to_json (report);
  if (++bench->n_reports == bench->n)
    g_main_loop_quit (bench->loop);
}

static gboolean
stall_cb (gpointer data)
{
  descend (GPOINTER_TO_UINT (data));
  return G_SOURCE_REMOVE;
}

static gboolean
short_stall_cb (gpointer data)
{
  Bench *bench = data;

  spend (SHORT_NS);
  if (--bench->n_left == bench->n / 2)
    bench->half_kb = read_anonymous_kb ();
  return bench->n_left > 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static gboolean
turn_cb (gpointer data)
{
  Bench *bench = data;

  if (--bench->n_left == 0)
    g_main_loop_quit (bench->loop);
  return G_SOURCE_CONTINUE;
}

static gboolean
never_cb (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static void
start (Bench *bench)
{
  g_autoptr (GError) error = NULL;

  bench->monitor = jank_monitor_new ();
  if (!jank_monitor_set_setting (bench->monitor, "store", bench->folder, &error) ||
      !jank_monitor_start (bench->monitor, &error))
    g_error ("%s", error->message);
  g_signal_connect (bench->monitor, "stall", G_CALLBACK (report_cb), bench);
}

static void
run_turns (Bench *bench, guint n)
{
  bench->n_left = n;
  g_main_loop_run (bench->loop);
}

/* In CPU time, so that other programs hardly count; what a start leaves behind in the caches does not. */
static double
turn_ns (Bench *bench, guint n)
{
  gint64 began_ns;

  run_turns (bench, n / 8 + 1);
  began_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
  run_turns (bench, n);
  return (double) (jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - began_ns) / n;
}

static double
watched_turn_ns (Bench *bench, guint n)
{
  double turn;

  start (bench);
  turn = turn_ns (bench, n);
  jank_monitor_stop (bench->monitor);
  g_clear_object (&bench->monitor);
  return turn;
}

static int
compare_cb (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* What watching adds to a turn, and a turn without it: medians. A watched round is compared with the two beside it. */
static double
compare_rounds (Bench *bench, guint n_rounds, guint n_turns, double *ret_off_ns)
{
  g_autofree double *off = g_new (double, n_rounds + 1), *added = g_new (double, n_rounds);

  off[0] = turn_ns (bench, n_turns);
  for (guint i = 0; i < n_rounds; i++)
    {
      double on = watched_turn_ns (bench, n_turns);

      off[i + 1] = turn_ns (bench, n_turns);
      added[i] = on - (off[i] + off[i + 1]) / 2;
    }
  qsort (off, n_rounds + 1, sizeof (double), compare_cb);
  qsort (added, n_rounds, sizeof (double), compare_cb);
  *ret_off_ns = off[n_rounds / 2];
  return added[n_rounds / 2];
}

/* Sources that are asked in every turn and never ready. */
static void
bench_sources (Bench *bench, guint n)
{
  double off_ns, added_ns;
  guint n_turns;

  for (guint i = 0; i < n; i++)
    g_timeout_add (3600 * 1000, never_cb, NULL);
  g_idle_add_full (G_PRIORITY_DEFAULT, turn_cb, bench, NULL);
  n_turns = MAX ((guint) ((double) ROUND_NS / turn_ns (bench, TRIAL_TURNS)), 1);
  added_ns = compare_rounds (bench, N_ROUNDS, n_turns, &off_ns);
  g_print ("{\"turn_ns\": %.0f, \"added_ns\": %.1f}\n", off_ns, added_ns);
}

typedef struct
{
  int     fd;
  gint64  period_ns;
} Waker;

/* Another thread wakes the loop: GLib's own timers know whole milliseconds only. */
static gpointer
wake_thread (gpointer data)
{
  const Waker *waker = data;
  gint64 next_ns = jank_clock_now_ns ();

  for (;;)
    {
      gint64 now_ns = jank_clock_now_ns ();

      next_ns = MAX (next_ns + waker->period_ns, now_ns);
      clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME,
                       &(struct timespec) { next_ns / JANK_NS_PER_S, next_ns % JANK_NS_PER_S }, NULL);
      eventfd_write (waker->fd, 1);
    }
  return NULL;
}

static gboolean
woken_cb (int fd, GIOCondition condition, gpointer data)
{
  eventfd_t n;

  eventfd_read (fd, &n);
  return turn_cb (data);
}

/* n: turns a second, each after a sleep. */
static void
bench_rate (Bench *bench, guint n)
{
  static Waker waker; /* the thread runs until the program ends */
  double off_ns, added_ns, rate;
  guint n_turns = MAX (n / 10, 8);
  gint64 began_ns, cpu_ns, wall_ns;

  waker = (Waker) { eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK), JANK_NS_PER_S / n };
  g_unix_fd_add (waker.fd, G_IO_IN, woken_cb, bench);
  g_thread_unref (g_thread_new ("wakes", wake_thread, &waker));
  added_ns = compare_rounds (bench, N_RATE_ROUNDS, n_turns, &off_ns);

  start (bench);
  run_turns (bench, n);
  cpu_ns = watching_read_cpu_ns ();
  began_ns = jank_clock_now_ns ();
  run_turns (bench, (guint) (n * (RATE_NS / JANK_NS_PER_S)));
  wall_ns = jank_clock_now_ns () - began_ns;
  cpu_ns = watching_read_cpu_ns () - cpu_ns;
  rate = (double) n * RATE_NS / (double) wall_ns;
  g_print ("{\"added_percent\": %.3f, \"watcher_cpu_percent\": %.3f}\n", added_ns * rate / 1e7,
           100.0 * (double) cpu_ns / (double) wall_ns);
}

static void
bench_depth (Bench *bench, guint depth)
{
  bench->n = 1;
  start (bench);
  g_timeout_add (300, stall_cb, GUINT_TO_POINTER (depth));
  g_main_loop_run (bench->loop);
  g_print ("%s\n", bench->json);
}

static gpointer
sleep_thread (gpointer data)
{
  for (;;)
    g_usleep (G_USEC_PER_SEC * 60);
  return NULL;
}

static void
bench_threads (Bench *bench, guint n)
{
  for (guint i = 0; i < n; i++)
    g_thread_unref (g_thread_new ("sleeps", sleep_thread, NULL));
  bench_depth (bench, 10);
}

static void
bench_modules (Bench *bench, guint n)
{
  g_autofree char *bytes = NULL;
  gsize n_bytes;

  if (bench->file == NULL || !g_file_get_contents (bench->file, &bytes, &n_bytes, NULL))
    g_error ("bench-scaling modules N FILE needs a shared library");
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/module-%u.so", bench->folder, i);

      if (!g_file_set_contents (path, bytes, (gssize) n_bytes, NULL) || dlopen (path, RTLD_NOW | RTLD_LOCAL) == NULL)
        g_error ("Could not load “%s”", path);
      g_unlink (path);
    }
  bench_depth (bench, 10);
}

static void
print_growth (gint64 began_kb, gint64 half_kb)
{
  g_print ("\"grown_kb\": %" G_GINT64_FORMAT ", \"grown_later_kb\": %" G_GINT64_FORMAT "}\n", half_kb - began_kb,
           read_anonymous_kb () - half_kb);
}

/* n: per minute; short ones, evenly. */
static void
bench_stalls (Bench *bench, guint n)
{
  gint64 began_kb, began_ns = jank_clock_now_ns (), cpu_ns, wall_ns;

  bench->n = bench->n_left = MAX (n * STALLS_S / 60, 2);
  start (bench);
  began_kb = read_anonymous_kb ();
  g_timeout_add (60 * 1000 / n, short_stall_cb, bench);
  g_main_loop_run (bench->loop);
  cpu_ns = watching_read_cpu_ns ();
  wall_ns = jank_clock_now_ns () - began_ns;
  g_print ("{\"watcher_cpu_percent\": %.2f, ", 100.0 * (double) cpu_ns / (double) wall_ns);
  print_growth (began_kb, bench->half_kb);
}

/* After what the first few leave in any case. */
static void
bench_turns (Bench *bench, guint n)
{
  gint64 began_kb, half_kb;

  start (bench);
  g_idle_add_full (G_PRIORITY_DEFAULT, turn_cb, bench, NULL);
  run_turns (bench, SETTLE_TURNS);
  began_kb = read_anonymous_kb ();
  run_turns (bench, n / 2);
  half_kb = read_anonymous_kb ();
  run_turns (bench, n - n / 2);
  g_print ("{");
  print_growth (began_kb, half_kb);
}

static const struct
{
  const char *what;
  void      (*run) (Bench *bench, guint n);
} kinds[] = {
  { "sources", bench_sources }, { "rate", bench_rate },     { "depth", bench_depth },
  { "threads", bench_threads }, { "modules", bench_modules }, { "stalls", bench_stalls },
  { "turns", bench_turns },
};

int
main (int argc, char **argv)
{
  Bench bench = { .loop = g_main_loop_new (NULL, FALSE), .file = argc > 3 ? argv[3] : NULL };

  bench.folder = g_dir_make_tmp ("jankwatch-bench-XXXXXX", NULL);
  for (guint i = 0; argc > 2 && i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (argv[1], kinds[i].what))
      kinds[i].run (&bench, (guint) g_ascii_strtoull (argv[2], NULL, 10));
  g_print ("%s\n", bench.folder);
  g_clear_object (&bench.monitor);
  return 0;
}
