/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What watching costs as one thing grows: bench-scaling WHAT N [FILE], see kinds. The loop of this program is watched
 * by a monitor of its own; what the monitor did is read from its report and from the watcher thread's CPU time. FILE:
 * of modules, a shared library that is loaded N times under N names. Prints one JSON object. */

#include "config.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <glib/gstdio.h>
#include <glib-unix.h>
#include <gio/gio.h>

#include "base/jank-clock-private.h"
#include "frames/jank-frame-clocks-private.h"
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
#define HZ_60          INT64_C (16666667)
#define FRAMES_A_CLOCK 1000

typedef struct
{
  GMainLoop   *loop;
  JankMonitor *monitor;
  char        *folder;   /* of the store, and of copied modules */
  const char  *file;
  guint        n, n_left, n_reports;
  char        *json;     /* of the last report */
  gint64       half_kb;  /* memory after half of the stalls */
  JankFrameClocks *clocks;
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

/* What run adds to the memory, n times, after what the first few leave in any case. */
static void
measure_growth (Bench *bench, guint n_settle, guint n, void (*run) (Bench *bench, guint n))
{
  gint64 began_kb, half_kb;

  run (bench, n_settle);
  began_kb = read_anonymous_kb ();
  run (bench, n / 2);
  half_kb = read_anonymous_kb ();
  run (bench, n - n / 2);
  print_growth (began_kb, half_kb);
}

static void
bench_turns (Bench *bench, guint n)
{
  start (bench);
  g_idle_add_full (G_PRIORITY_DEFAULT, turn_cb, bench, NULL);
  g_print ("{");
  measure_growth (bench, SETTLE_TURNS, n, run_turns);
}

/* What a long session's frames cost: feeds n of them, late ones among them, to the statistics of all clocks, and opens
 * a window every thousand. */
static void
feed (Bench *bench, guint n)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  JankFrameMeter *meter = NULL;
  gint64 now_ns = JANK_NS_PER_S;

  for (guint i = 0; i < n; i++)
    {
      gint64 late_ns = g_rand_int_range (random, 0, 20) == 0 ? g_rand_int_range (random, 0, 900) * JANK_NS_PER_MS : 0;
      JankFrameEvent event = { .refresh_ns = HZ_60, .gap_busy_ns = late_ns, .flags = JANK_FRAME_ANIMATING };

      now_ns += HZ_60 + late_ns;
      event.begin_ns = now_ns;
      event.end_ns = now_ns + 2 * JANK_NS_PER_MS;
      event.phase_ns[0] = event.end_ns - event.begin_ns;
      if (i % FRAMES_A_CLOCK == 0)
        {
          if (meter != NULL)
            jank_frame_clocks_close (bench->clocks, meter);
          meter = jank_frame_clocks_open (bench->clocks, "window");
        }
      jank_frame_meter_add (meter, &event);
    }
}

static void
bench_frames (Bench *bench, guint n)
{
  g_autofree JankFrameClocks *clocks = bench->clocks = g_new0 (JankFrameClocks, 1);

  g_print ("{");
  measure_growth (bench, 20 * FRAMES_A_CLOCK, n, feed);
}

static void
start_and_stop (Bench *bench, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      if (!jank_monitor_start (bench->monitor, NULL))
        g_error ("The monitor does not start");
      g_main_context_iteration (NULL, FALSE);
      jank_monitor_stop (bench->monitor);
    }
}

/* With a turn of the loop in between. What else is left: tests/monitor/test-left.c. */
static void
bench_starts (Bench *bench, guint n)
{
  gint64 began_ns = jank_clock_now_ns ();

  bench->monitor = jank_monitor_new ();
  start_and_stop (bench, n);
  g_print ("{\"each_ns\": %" G_GINT64_FORMAT ", ", (jank_clock_now_ns () - began_ns) / n);
  measure_growth (bench, 0, n, start_and_stop);
}

static void
bench_tags (Bench *bench, guint n)
{
  gint64 began_ns;

  start (bench);
  began_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
  for (guint i = 0; i < n; i++)
    jank_tag_unref (jank_monitor_push_tag (bench->monitor, "document", "large.odt"));
  g_print ("{\"each_ns\": %" G_GINT64_FORMAT "}\n", (jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - began_ns) / n);
}

static const struct
{
  const char *what;
  void      (*run) (Bench *bench, guint n);
} kinds[] = {
  { "sources", bench_sources }, { "rate", bench_rate },     { "depth", bench_depth },
  { "threads", bench_threads }, { "modules", bench_modules }, { "stalls", bench_stalls },
  { "turns", bench_turns },     { "frames", bench_frames }, { "starts", bench_starts },
  { "tags", bench_tags },
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
