/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What watching costs a program with an animation, without and with the overlay; whether the overlay makes an
 * idle program draw; what the frame hook takes per frame: bench-overlay N_ROUNDS. CPU time is the whole
 * process's, with the renderer's and our own threads; the three states take turns, in another order each round,
 * so that what else the machine does falls on all of them. Prints JSON. */

#include "config.h"

#include <gtk/gtk.h>

#include "base/jank-clock-private.h"
#include "jankwatch.h"

#define SETTLE_MS  300
#define MEASURE_MS 1000
#define IDLE_MS    10000
#define N_EMITTED  20000
#define MAX_ROUNDS 64

typedef enum { UNWATCHED, WATCHED, WITH_OVERLAY, N_STATES } State;

static GtkWidget *window, *spinner;
static JankMonitor *monitor; /* (owned) (nullable) */
static guint n_frames;

static gboolean
over_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

static void
run_ms (guint ms)
{
  gboolean is_over = FALSE;

  g_timeout_add (ms, over_cb, &is_over);
  while (!is_over)
    g_main_context_iteration (NULL, TRUE);
}

static void
after_paint_cb (GdkFrameClock *clock, gpointer data)
{
  n_frames++;
}

static void
enter (State state)
{
  g_autoptr (GError) error = NULL;

  if (monitor != NULL)
    jank_monitor_stop (monitor);
  g_clear_object (&monitor);
  if (state == UNWATCHED)
    return;
  monitor = jank_monitor_new ();
  if (!jank_monitor_set_setting (monitor, "overlay", state == WITH_OVERLAY ? "yes" : "no", &error) ||
      !jank_monitor_start (monitor, &error))
    g_error ("%s", error->message);
}

static void
build_window (void)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);

  window = gtk_window_new ();
  spinner = gtk_spinner_new ();
  gtk_widget_set_size_request (spinner, 64, 64);
  gtk_widget_set_margin_top (box, 220);
  gtk_box_append (GTK_BOX (box), spinner);
  gtk_box_append (GTK_BOX (box), gtk_label_new ("An animation, as programs have them"));
  gtk_window_set_child (GTK_WINDOW (window), box);
  gtk_window_set_default_size (GTK_WINDOW (window), 640, 480);
  gtk_window_present (GTK_WINDOW (window));
  g_signal_connect (gtk_widget_get_frame_clock (window), "after-paint", G_CALLBACK (after_paint_cb), NULL);
}

static double
measure_percent (void)
{
  gint64 cpu_ns, wall_ns;

  run_ms (SETTLE_MS);
  cpu_ns = jank_clock_read_ns (CLOCK_PROCESS_CPUTIME_ID);
  wall_ns = jank_clock_now_ns ();
  run_ms (MEASURE_MS);
  return 100.0 * (double) (jank_clock_read_ns (CLOCK_PROCESS_CPUTIME_ID) - cpu_ns) /
         (double) (jank_clock_now_ns () - wall_ns);
}

static int
compare_cb (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static void
print_spread (const char *name, double *values, guint n)
{
  qsort (values, n, sizeof (double), compare_cb);
  g_print ("\"%s\": {\"min\": %.3f, \"median\": %.3f, \"max\": %.3f}, ", name, values[0],
           (values[n / 2] + values[(n - 1) / 2]) / 2, values[n - 1]);
}

static void
measure_animation (guint n_rounds)
{
  double percent[N_STATES][MAX_ROUNDS], added[N_STATES][MAX_ROUNDS];
  guint n_before;

  gtk_spinner_start (GTK_SPINNER (spinner));
  run_ms (1000);
  n_before = n_frames;
  run_ms (1000);
  g_print ("\"fps\": %u, ", n_frames - n_before);
  for (guint i = 0; i < n_rounds; i++)
    {
      for (guint k = 0; k < N_STATES; k++)
        {
          State state = (State) ((i + (i % 2 == 0 ? k : N_STATES - k)) % N_STATES);

          enter (state);
          percent[state][i] = measure_percent ();
        }
      for (guint k = 0; k < N_STATES; k++)
        added[k][i] = percent[k][i] - percent[UNWATCHED][i];
    }
  print_spread ("animation", percent[UNWATCHED], n_rounds);
  print_spread ("watched", added[WATCHED], n_rounds);
  print_spread ("overlay", added[WITH_OVERLAY], n_rounds);
  gtk_spinner_stop (GTK_SPINNER (spinner));
}

static void
measure_idle (void)
{
  guint n_before;

  enter (WITH_OVERLAY);
  run_ms (2000);
  n_before = n_frames;
  run_ms (IDLE_MS);
  g_print ("\"idle_frames\": %u, ", n_frames - n_before);
  enter (UNWATCHED);
}

/* Of a clock to which nobody but the hook listens. */
static double
emit_frames_ns (GObject *clock)
{
  static const char *const names[] = { "before-paint", "update", "layout", "paint", "after-paint" };
  guint ids[G_N_ELEMENTS (names)];
  gint64 began_ns;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    ids[i] = g_signal_lookup (names[i], GDK_TYPE_FRAME_CLOCK);
  began_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
  for (guint k = 0; k < N_EMITTED; k++)
    for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
      g_signal_emit (clock, ids[i], 0);
  return (double) (jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - began_ns) / N_EMITTED;
}

static void
measure_hook (guint n_rounds)
{
  GObject *clock = g_object_new (g_type_from_name ("GdkFrameClockIdle"), NULL);
  double added[MAX_ROUNDS];

  for (guint i = 0; i < n_rounds; i++)
    {
      double without_ns;

      enter (UNWATCHED);
      without_ns = emit_frames_ns (clock);
      enter (WATCHED);
      run_ms (SETTLE_MS); /* the hook is put up by a source of the loop */
      added[i] = emit_frames_ns (clock) - without_ns;
    }
  enter (UNWATCHED);
  print_spread ("hook_ns", added, n_rounds);
  g_object_unref (clock);
}

int
main (int argc, char **argv)
{
  gint64 n_rounds = argc > 1 ? g_ascii_strtoll (argv[1], NULL, 10) : 24;

  gtk_init ();
  build_window ();
  run_ms (1500);
  g_print ("{");
  n_rounds = CLAMP (n_rounds, 1, MAX_ROUNDS);
  measure_animation ((guint) n_rounds);
  measure_hook ((guint) n_rounds);
  measure_idle ();
  g_print ("\"renderer\": \"%s\"}\n", G_OBJECT_TYPE_NAME (gtk_native_get_renderer (GTK_NATIVE (window))));
  gtk_window_destroy (GTK_WINDOW (window));
  return 0;
}
