/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The public side of frames: a GTK program that links the library and listens. */

#include <dlfcn.h>
#include <malloc.h>
#include <string.h>
#include <gtk/gtk.h>

#include "base/jank-clock-private.h"
#include "folder.h"
#include "jankwatch.h"
#include "sanitizer.h"
#include "test.h"

#define MS         JANK_NS_PER_MS
#define N_FRAMES   120
#define LATE_FRAME 100
#define LATE_NS    (90 * MS)
#define AWAIT_NS   (30 * JANK_NS_PER_S)

typedef struct
{
  JankMonitor *monitor; /* (owned) */
  GtkWidget   *window;
  guint        tick;
  guint        n_ticks;
  GPtrArray   *began;   /* (owned) of gint64, (owned): when the program saw a frame begin */
  GPtrArray   *frames;  /* (owned) of (owned) JankFrame */
  gboolean     painting;
  gboolean     came_in_paint;
  guint        stop_at; /* the monitor is stopped by the handler of this frame; 0: not */
  char        *store;   /* (owned) */
} Fixture;

static void
frame_cb (JankMonitor *monitor, JankFrame *frame, gpointer data)
{
  Fixture *fixture = data;

  fixture->came_in_paint |= fixture->painting;
  g_ptr_array_add (fixture->frames, jank_frame_ref (frame));
  if (fixture->frames->len == fixture->stop_at)
    jank_monitor_stop (monitor);
}

static void
before_paint_cb (GdkFrameClock *clock, gpointer data)
{
  Fixture *fixture = data;
  gint64 now_ns = jank_clock_now_ns ();

  fixture->painting = TRUE;
  g_ptr_array_add (fixture->began, g_memdup2 (&now_ns, sizeof now_ns));
}

static void
after_paint_cb (GdkFrameClock *clock, gpointer data)
{
  ((Fixture *) data)->painting = FALSE;
}

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  Fixture *fixture = data;

  fixture->n_ticks++;
  if (fixture->n_ticks == LATE_FRAME)
    g_usleep (LATE_NS / 1000);
  gtk_widget_queue_draw (widget);
  return fixture->n_ticks < N_FRAMES;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->began = g_ptr_array_new_with_free_func (g_free);
  fixture->frames = g_ptr_array_new_with_free_func ((GDestroyNotify) jank_frame_unref);
  fixture->store = folder_new ("jank-frames");
  fixture->monitor = jank_monitor_new ();
  g_assert_true (jank_monitor_set_setting (fixture->monitor, "store", fixture->store, NULL));
  g_assert_true (jank_monitor_set_setting (fixture->monitor, "threshold", "10s", NULL));
  g_assert_true (jank_monitor_start (fixture->monitor, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    g_main_context_iteration (NULL, FALSE);

  fixture->window = gtk_window_new ();
  gtk_window_set_title (GTK_WINDOW (fixture->window), "Frames of a test");
  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 200, 100);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_clear_object (&fixture->monitor);
  g_ptr_array_unref (fixture->frames);
  g_ptr_array_unref (fixture->began);
  folder_remove (fixture->store);
  g_free (fixture->store);
}

static void
turn (guint n_ms)
{
  gint64 until_ns = jank_clock_now_ns () + n_ms * MS;

  while (jank_clock_now_ns () < until_ns)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (500);
    }
}

static void
animate (Fixture *fixture)
{
  gint64 until_ns = jank_clock_now_ns () + AWAIT_NS;
  GdkFrameClock *clock;

  gtk_widget_realize (fixture->window);
  clock = gtk_widget_get_frame_clock (fixture->window);
  g_signal_connect (clock, "before-paint", G_CALLBACK (before_paint_cb), fixture);
  g_signal_connect_after (clock, "after-paint", G_CALLBACK (after_paint_cb), fixture);
  gtk_widget_add_tick_callback (fixture->window, tick_cb, fixture, NULL);
  gtk_window_present (GTK_WINDOW (fixture->window));
  while (fixture->n_ticks < N_FRAMES)
    {
      g_assert_cmpint (jank_clock_now_ns (), <, until_ns);
      g_main_context_iteration (NULL, TRUE);
    }
  turn (200);
}

/* The frame that had to wait for the one in which the program slept. One that came later only because the machine
 * stopped for a moment was not busy. */
static JankFrame *
find_late (Fixture *fixture)
{
  JankFrame *late = fixture->frames->pdata[0];

  for (guint i = 1; i < fixture->frames->len; i++)
    if (jank_frame_get_busy_ns (fixture->frames->pdata[i]) > jank_frame_get_busy_ns (late) &&
        !jank_frame_is_startup (fixture->frames->pdata[i]))
      late = fixture->frames->pdata[i];
  return late;
}

TEST_WITH (Fixture, set_up, tear_down, fixture, each_frame)
{
  JankFrame *late;

  g_signal_connect (fixture->monitor, "frame", G_CALLBACK (frame_cb), fixture);
  animate (fixture);

  g_assert_false (fixture->came_in_paint);
  g_assert_cmpuint (fixture->frames->len, ==, fixture->began->len);
  for (guint i = 0; i < fixture->frames->len; i++)
    {
      JankFrame *frame = fixture->frames->pdata[i];
      gint64 began_ns = jank_frame_get_began_ns (frame), sum_ns = 0;

      g_assert_cmpstr (jank_frame_get_window (frame), ==, "Frames of a test");
      g_assert_cmpint (began_ns, <=, *(gint64 *) fixture->began->pdata[i]);
      g_assert_cmpint (*(gint64 *) fixture->began->pdata[i], <=, jank_frame_get_ended_ns (frame));
      for (guint phase = 0; phase < JANK_FRAME_BETWEEN; phase++)
        sum_ns += jank_frame_get_phase_ns (frame, (JankFramePhase) phase);
      g_assert_cmpint (sum_ns, >, 0);
      g_assert_cmpint (jank_frame_get_refresh_ns (frame), >, 0);
    }

  late = find_late (fixture);
  g_test_message ("late by %" G_GINT64_FORMAT " us", jank_frame_get_late_ns (late) / 1000);
  g_assert_cmpint (jank_frame_get_interval_ns (late), >=, LATE_NS);
  g_assert_cmpint (jank_frame_get_busy_ns (late), >=, LATE_NS);
  g_assert_cmpint (jank_frame_get_who (late), ==, JANK_FRAME_LATE_PROGRAM);
  g_assert_cmpint (jank_frame_get_busiest (late), ==, JANK_FRAME_UPDATE);
  g_assert_cmpuint (jank_frame_get_n_dropped (late), >=, 4);
  g_assert_cmpint (jank_frame_get_late_ns (late), ==,
                   jank_frame_get_interval_ns (late) - jank_frame_get_refresh_ns (late));
}

TEST_WITH (Fixture, set_up, tear_down, fixture, stopped_by_handler)
{
  fixture->stop_at = 5;
  g_signal_connect (fixture->monitor, "frame", G_CALLBACK (frame_cb), fixture);
  animate (fixture);
  g_assert_cmpuint (fixture->frames->len, ==, 5);
  g_assert_false (jank_monitor_is_running (fixture->monitor));
}

/* Who comes later hears from then on; who goes, no more. */
TEST_WITH (Fixture, set_up, tear_down, fixture, connected_later)
{
  gulong handler;
  guint n_frames;

  animate (fixture);
  g_assert_cmpuint (fixture->frames->len, ==, 0);
  handler = g_signal_connect (fixture->monitor, "frame", G_CALLBACK (frame_cb), fixture);
  gtk_widget_queue_draw (fixture->window);
  turn (200);
  n_frames = fixture->frames->len;
  g_assert_cmpuint (n_frames, >=, 1);

  /* The first after a pause has nothing to be measured against. */
  g_assert_cmpint (jank_frame_get_interval_ns (fixture->frames->pdata[0]), ==, 0);
  g_assert_cmpint (jank_frame_get_who (fixture->frames->pdata[0]), ==, JANK_FRAME_ON_TIME);
  g_signal_handler_disconnect (fixture->monitor, handler);
  gtk_widget_queue_draw (fixture->window);
  turn (200);
  g_assert_cmpuint (fixture->frames->len, ==, n_frames);
}

static void
slow_cb (JankMonitor *monitor, JankFrame *frame, gpointer data)
{
  Fixture *fixture = data;

  g_ptr_array_add (fixture->frames, jank_frame_ref (frame));
  if (fixture->frames->len % 20 == 0)
    g_usleep (LATE_NS / 1000);
}

static void
own_stall_cb (JankMonitor *monitor, JankReport *report, gpointer data)
{
  g_autofree char *json = jank_report_to_json (report);

  *(guint *) data += strstr (json, "\"jankwatch: frames\"") != NULL;
}

/* The stalls that it causes are in the store, and are not told to handlers; of its six, a busy machine may make one
 * or two longer. */
TEST_WITH (Fixture, set_up, tear_down, fixture, slow_handler)
{
  guint n_told = 0;

  g_assert_true (jank_monitor_set_setting (fixture->monitor, "threshold", "60ms", NULL));
  g_signal_connect (fixture->monitor, "frame", G_CALLBACK (slow_cb), fixture);
  g_signal_connect (fixture->monitor, "stall", G_CALLBACK (own_stall_cb), &n_told);
  animate (fixture);
  jank_monitor_stop (fixture->monitor);
  g_assert_cmpuint (folder_clear (fixture->store), >=, 1);
  g_assert_cmpuint (n_told, <=, 2);
}

static gint n_hooks;

/* In the place of GLib's, for the plug-in. */
gulong
g_signal_add_emission_hook (guint id, GQuark detail, GSignalEmissionHook func, gpointer data, GDestroyNotify destroy)
{
  gulong (*add) (guint id, GQuark detail, GSignalEmissionHook func, gpointer data, GDestroyNotify destroy);

  add = (gulong (*) (guint, GQuark, GSignalEmissionHook, gpointer, GDestroyNotify))
    dlsym (RTLD_NEXT, "g_signal_add_emission_hook");
  n_hooks++;
  return add (id, detail, func, data, destroy);
}

void
g_signal_remove_emission_hook (guint id, gulong hook)
{
  n_hooks--;
  ((void (*) (guint, gulong)) dlsym (RTLD_NEXT, "g_signal_remove_emission_hook")) (id, hook);
}

static void
start_and_stop (Fixture *fixture, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_assert_true (jank_monitor_start (fixture->monitor, NULL));
      g_main_context_iteration (NULL, FALSE);
      g_main_context_iteration (NULL, FALSE);
      g_assert_cmpint (n_hooks, >, 0);
      jank_monitor_stop (fixture->monitor);
      g_assert_cmpint (n_hooks, ==, 0);
    }
}

/* Each time the plug-in begins and ends to watch frames. */
TEST_WITH (Fixture, set_up, tear_down, fixture, left)
{
  gsize before_bytes, after_bytes;

  gtk_window_present (GTK_WINDOW (fixture->window));
  turn (200);
  jank_monitor_stop (fixture->monitor);
  start_and_stop (fixture, 20);
  before_bytes = mallinfo2 ().uordblks;
  start_and_stop (fixture, 300);
  after_bytes = mallinfo2 ().uordblks;
  g_test_message ("%" G_GSSIZE_FORMAT " bytes more", (gssize) (after_bytes - before_bytes));
  if (!HAS_INTERCEPTORS)
    g_assert_cmpint ((gssize) (after_bytes - before_bytes), <, 64 * 1024);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  tests_add_all ("/monitor/frame-signal");
  g_unsetenv ("JANKWATCH_CONFIG");
  gtk_init ();
  return g_test_run ();
}
