/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A GTK program that does one thing for a while and says what that cost: scenes idle|animation|stall|stalls|calls
 * SECONDS. What it counts begins a second and a half after the window is there, so that start-up is not in it. Prints
 * one JSON object. */

#include <errno.h>
#include <sys/resource.h>
#include <gtk/gtk.h>

#include "base/jank-clock-private.h"
#include "calls.h"
#include "watching.h"

#define SETTLE_MS     1500
#define CALL_NS       (30 * JANK_NS_PER_MS)
/* With the loop's and main()'s own ones about forty frames, as in a GTK program that draws (bench-sampler's). */
#define STALL_DEPTH   28
#define SHORT_STALL_NS (190 * JANK_NS_PER_MS)
#define REST_MS       20

#define CLOCK_GAPS_SIZE   65536
#define CLOCK_GAPS_MIN_NS 500 /* two looks lie 25 ns apart; timer interrupts take 2 to 5 µs */

/* How often, and for how long, a computing thread was stopped, by whatever: it looks at the clock all the time, and
 * notes when two looks lie further apart than any undisturbed two do. */
typedef struct
{
  guint64 n_gaps; /* ever seen; the first CLOCK_GAPS_SIZE are kept */
  struct { gint64 ended_ns, length_ns; } gaps[CLOCK_GAPS_SIZE];
} ClockGaps;

typedef struct
{
  struct rusage usage;
  gint64        at_ns, cpu_ns, watcher_cpu_ns;
} Reading;

typedef struct
{
  GtkApplication *application;
  GtkWidget      *child;
  const char     *scene;
  gint64          length_ns;
  guint64         n_frames;
  Reading         began, ended; /* ended: at_ns is 0 until it was read */
  ClockGaps       gaps;
  guint           n_calls, n_interrupted;
} Scene;

static void __attribute__ ((noinline))
clock_gaps_watch (ClockGaps *self, gint64 length_ns)
{
  gint64 began_ns = jank_clock_now_ns ();
  gint64 last_ns = began_ns;

  while (last_ns - began_ns < length_ns)
    {
      gint64 now_ns = jank_clock_now_ns ();

      if (now_ns - last_ns >= CLOCK_GAPS_MIN_NS)
        {
          if (self->n_gaps < CLOCK_GAPS_SIZE)
            {
              self->gaps[self->n_gaps].ended_ns = now_ns;
              self->gaps[self->n_gaps].length_ns = now_ns - last_ns;
            }
          self->n_gaps++;
        }
      last_ns = now_ns;
    }
}

/* A JSON array of pairs, [end, length], oldest first. */
static void
clock_gaps_print (const ClockGaps *self)
{
  guint n_gaps = (guint) MIN (self->n_gaps, CLOCK_GAPS_SIZE);

  g_print ("[");
  for (guint i = 0; i < n_gaps; i++)
    g_print ("%s[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]", i > 0 ? ", " : "", self->gaps[i].ended_ns,
             self->gaps[i].length_ns);
  g_print ("]");
}

static void
take_reading (Scene *self, Reading *reading)
{
  getrusage (RUSAGE_SELF, &reading->usage);
  reading->at_ns = jank_clock_now_ns ();
  reading->cpu_ns = jank_clock_read_ns (CLOCK_PROCESS_CPUTIME_ID);
  reading->watcher_cpu_ns = watching_read_cpu_ns ();
}

static void
finish (Scene *self)
{
  Reading now;

  if (self->ended.at_ns == 0)
    take_reading (self, &self->ended);
  now = self->ended;
  g_print ("{\"scene\": \"%s\", \"pid\": %d, \"wall_ns\": %" G_GINT64_FORMAT ", \"cpu_ns\": %" G_GINT64_FORMAT
           ", \"watcher_cpu_ns\": %" G_GINT64_FORMAT
           ", \"waits\": %ld, \"calls\": %u, \"interrupted\": %u, \"gaps\": ",
           self->scene, (int) getpid (), now.at_ns - self->began.at_ns,
           now.cpu_ns - self->began.cpu_ns, now.watcher_cpu_ns - self->began.watcher_cpu_ns,
           now.usage.ru_nvcsw - self->began.usage.ru_nvcsw, self->n_calls, self->n_interrupted);
  clock_gaps_print (&self->gaps);
  g_print ("}\n");
  g_application_quit (G_APPLICATION (self->application));
}

static gboolean
finish_cb (gpointer data)
{
  finish (data);
  return G_SOURCE_REMOVE;
}

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  g_autofree char *text = g_strdup_printf ("%06u", (guint) (gdk_frame_clock_get_frame_counter (clock) % 1000000));

  gtk_label_set_text (GTK_LABEL (widget), text);
  return G_SOURCE_CONTINUE;
}

static void __attribute__ ((noinline))
stall_deep (Scene *self, gint64 length_ns, guint depth)
{
  if (depth > 0)
    stall_deep (self, length_ns, depth - 1);
  else
    clock_gaps_watch (&self->gaps, length_ns);
  __asm__ volatile (""); /* no tail call */
}

/* One long stall, computing; what takes the thread away from it shows as a gap between two looks at the clock. */
static gboolean
stall_cb (gpointer data)
{
  Scene *self = data;

  stall_deep (self, self->length_ns, STALL_DEPTH);
  finish (self);
  return G_SOURCE_REMOVE;
}

/* Many short ones, with as many samples each as a report keeps; as long together. */
static gboolean
stalls_cb (gpointer data)
{
  Scene *self = data;

  stall_deep (self, MIN (self->length_ns, SHORT_STALL_NS), STALL_DEPTH);
  self->length_ns -= SHORT_STALL_NS;
  if (self->length_ns > 0)
    return G_SOURCE_CONTINUE;
  finish (self);
  return G_SOURCE_REMOVE;
}

/* Calls that a signal handler would end early, whatever SA_RESTART says. */
static gboolean
calls_cb (gpointer data)
{
  Scene *self = data;
  gint64 end_ns = jank_clock_now_ns () + self->length_ns;
  CallResult result;

  calls_open (CALL_NS);
  for (; jank_clock_now_ns () < end_ns; self->n_calls++)
    {
      call_make (&calls[self->n_calls % N_CALLS_THAT_ONLY_WAIT], &result);
      self->n_interrupted += result.error == EINTR;
    }
  calls_close ();
  finish (self);
  return G_SOURCE_REMOVE;
}

/* A timer of the loop would wake it, and whoever watches it: another thread looks at a program that does nothing. */
static gpointer
read_idle_thread (gpointer data)
{
  Scene *self = data;

  g_usleep (SETTLE_MS * 1000);
  take_reading (self, &self->began);
  g_usleep ((gulong) (self->length_ns / JANK_NS_PER_US));
  take_reading (self, &self->ended);
  g_idle_add (finish_cb, self);
  return NULL;
}

static gboolean
begin_cb (gpointer data)
{
  Scene *self = data;

  if (g_str_equal (self->scene, "idle"))
    {
      g_thread_unref (g_thread_new ("reader", read_idle_thread, self));
      return G_SOURCE_REMOVE;
    }
  take_reading (self, &self->began);
  if (g_str_equal (self->scene, "stall"))
    g_timeout_add (1, stall_cb, self);
  else if (g_str_equal (self->scene, "stalls"))
    g_timeout_add (REST_MS, stalls_cb, self);
  else if (g_str_equal (self->scene, "calls"))
    g_timeout_add (1, calls_cb, self);
  else
    g_timeout_add ((guint) (self->length_ns / JANK_NS_PER_MS), finish_cb, self);
  return G_SOURCE_REMOVE;
}

static void
after_paint_cb (GdkFrameClock *clock, gpointer data)
{
  Scene *self = data;

  if (self->n_frames++ == 0)
    g_timeout_add (SETTLE_MS, begin_cb, self);
}

static void
realize_cb (GtkWidget *widget, gpointer data)
{
  g_signal_connect (gtk_widget_get_frame_clock (widget), "after-paint", G_CALLBACK (after_paint_cb), data);
}

static void
activate_cb (GtkApplication *application, gpointer data)
{
  Scene *self = data;
  GtkWidget *window = gtk_application_window_new (application);
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->child = gtk_label_new ("000000");
  if (g_str_equal (self->scene, "animation"))
    gtk_widget_add_tick_callback (self->child, tick_cb, NULL, NULL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->child);
  gtk_window_set_child (GTK_WINDOW (window), scroller);
  gtk_window_set_default_size (GTK_WINDOW (window), 640, 480);
  g_signal_connect (window, "realize", G_CALLBACK (realize_cb), self);
  gtk_window_present (GTK_WINDOW (window));
}

int
main (int argc, char **argv)
{
  static Scene self;

  g_assert_cmpint (argc, ==, 3);
  self.scene = argv[1];
  self.length_ns = (gint64) (g_ascii_strtod (argv[2], NULL) * JANK_NS_PER_S);
  self.application = gtk_application_new (NULL, G_APPLICATION_NON_UNIQUE);
  g_signal_connect (self.application, "activate", G_CALLBACK (activate_cb), &self);
  g_application_run (G_APPLICATION (self.application), 0, NULL);
  g_object_unref (self.application);
  return 0;
}
