/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preloaded into a GTK program that animates: the program is watched for a while, then not, and
 * so on: one process, in which only that changes. Prints an array of these windows after ALTERNATING_SECONDS, and ends
 * the program. */

#include <stdlib.h>

#include "base/jank-clock-private.h"
#include "watching.h"

#define SETTLE_MS  2500 /* start-up */
#define FLIPPED_MS 500  /* until what begins or ends with watching is over */
#define WINDOW_MS  1000

static gboolean watched = TRUE;     /* in this window */
static gint64 ends_ns, began_ns, watcher_began_ns;
static GArray *frames_ns;           /* of gint64: CPU time of the thread for each frame, from end to end */
static gint64 frame_cpu_ns;         /* 0: the window has just begun */

static gboolean
after_paint_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  gint64 cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID), took_ns = cpu_ns - frame_cpu_ns;

  if (frame_cpu_ns != 0)
    g_array_append_val (frames_ns, took_ns);
  frame_cpu_ns = cpu_ns;
  return TRUE;
}

static void
print_window (void)
{
  g_print ("{\"watched\": %s, \"wall_ns\": %" G_GINT64_FORMAT ", \"watcher_cpu_ns\": %" G_GINT64_FORMAT
           ", \"frames_ns\": [",
           watched ? "true" : "false", jank_clock_now_ns () - began_ns, watching_read_cpu_ns () - watcher_began_ns);
  for (guint i = 0; i < frames_ns->len; i++)
    g_print ("%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", g_array_index (frames_ns, gint64, i));
  g_print ("]}");
}

static gboolean flip_cb (gpointer data);

static gboolean
window_began_cb (gpointer data)
{
  watcher_began_ns = watching_read_cpu_ns ();
  began_ns = jank_clock_now_ns ();
  g_array_set_size (frames_ns, 0);
  frame_cpu_ns = 0;
  g_timeout_add (WINDOW_MS, flip_cb, NULL);
  return G_SOURCE_REMOVE;
}

static gboolean
flip_cb (gpointer data)
{
  if (began_ns != 0)
    print_window ();
  if (jank_clock_now_ns () >= ends_ns)
    {
      g_print ("]\n");
      exit (0);
    }
  g_print (began_ns == 0 ? "[" : ",\n ");
  watched = !watched;
  if (!watching_set (watched))
    g_error ("This program is not watched by anybody");
  g_timeout_add (FLIPPED_MS, window_began_cb, NULL);
  return G_SOURCE_REMOVE;
}

static gboolean
begin_cb (gpointer data)
{
  guint after_paint = g_signal_lookup ("after-paint", g_type_from_name ("GdkFrameClock"));

  ends_ns = jank_clock_now_ns () + (gint64) (g_ascii_strtod (g_getenv ("ALTERNATING_SECONDS"), NULL) * JANK_NS_PER_S);
  frames_ns = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_signal_add_emission_hook (after_paint, 0, after_paint_cb, NULL, NULL);
  return flip_cb (NULL);
}

static void __attribute__ ((constructor))
prepare (void)
{
  g_timeout_add (SETTLE_MS, begin_cb, NULL);
}
