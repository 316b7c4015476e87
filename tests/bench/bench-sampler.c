/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What sampling costs a live GTK 4 program: a window that lays out and draws text, lists and buttons as
 * fast as it can, sampled every millisecond by the product's own sampler. Prints JSON. */

#include "config.h"

#include <gtk/gtk.h>

#include "base/jank-clock-private.h"
#include "sample/jank-sampler-private.h"

#define N_WORDS    400
#define INTERVAL_US 1000

typedef struct
{
  GtkWidget     *label;
  guint          n_updates;
  JankThreadInfo thread;
  gint           seconds;
  GArray        *handler_ns, *unwind_ns, *cost_ns; /* gint64 */
  guint          n_samples, n_complete, n_lost, n_blocked;
  guint64        n_calls;
} Bench;

static gboolean
update_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  Bench *bench = data;
  g_autoptr (GString) text = g_string_new (NULL);

  bench->n_updates++;
  for (guint i = 0; i < N_WORDS; i++)
    g_string_append_printf (text, "%s%u ", i % 7 == 0 ? "word" : "other", (bench->n_updates * 7 + i * 13) % 1000);
  gtk_label_set_text (GTK_LABEL (bench->label), text->str);
  return G_SOURCE_CONTINUE;
}

static void
note (Bench *bench, JankSampler *sampler, JankSample *sample, gint64 cost_ns)
{
  const JankSamplerCounts *counts = jank_sampler_get_counts (sampler);

  if (sample->stack == NULL)
    {
      bench->n_lost++;
      return;
    }
  bench->n_samples++;
  bench->n_complete += sample->stack->complete;
  bench->n_calls += sample->stack->n_calls;
  if (sample->method == JANK_SAMPLE_SIGNAL)
    {
      g_array_append_val (bench->handler_ns, counts->last_handler_ns);
      g_array_append_val (bench->unwind_ns, counts->last_unwind_ns);
      g_array_append_val (bench->cost_ns, cost_ns);
    }
  else
    bench->n_blocked++;
  jank_sample_clear (sample);
}

static gpointer
sample_thread (gpointer data)
{
  Bench *bench = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (JankSampler) sampler = jank_sampler_new (0);
  gint64 end_ns = jank_clock_now_ns () + bench->seconds * JANK_NS_PER_S;

  if (!jank_sampler_set_thread (sampler, &bench->thread, "/proc/self/task", &error))
    g_error ("%s", error->message);
  while (jank_clock_now_ns () < end_ns)
    {
      gint64 began_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
      JankSample sample;

      jank_sampler_take (sampler, &sample);
      note (bench, sampler, &sample, jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - began_ns);
      g_usleep (INTERVAL_US);
    }
  return NULL;
}

static int
compare_cb (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static void
print_quantiles (const char *name, GArray *values)
{
  g_array_sort (values, compare_cb);
  if (values->len > 0)
    g_print (", \"%s\": {\"n\": %u, \"median\": %" G_GINT64_FORMAT ", \"p90\": %" G_GINT64_FORMAT ", \"p99\": %" G_GINT64_FORMAT "}",
             name, values->len, g_array_index (values, gint64, values->len / 2),
             g_array_index (values, gint64, values->len * 90 / 100), g_array_index (values, gint64, values->len * 99 / 100));
}

static GtkWidget *
make_content (Bench *bench)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  bench->label = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (bench->label), TRUE);
  for (guint i = 0; i < 8; i++)
    gtk_box_append (GTK_BOX (row), gtk_button_new_with_label ("Button"));
  gtk_box_append (GTK_BOX (box), row);
  gtk_box_append (GTK_BOX (box), bench->label);
  gtk_widget_add_tick_callback (bench->label, update_cb, bench, NULL);
  return box;
}

int
main (int argc, char **argv)
{
  Bench bench = { .seconds = argc > 1 ? atoi (argv[1]) : 10 };
  GThread *thread;
  GtkWidget *window;
  gint64 warm_us;

  gtk_init ();
  bench.handler_ns = g_array_new (FALSE, FALSE, sizeof (gint64));
  bench.unwind_ns = g_array_new (FALSE, FALSE, sizeof (gint64));
  bench.cost_ns = g_array_new (FALSE, FALSE, sizeof (gint64));
  window = gtk_window_new ();
  gtk_window_set_default_size (GTK_WINDOW (window), 900, 700);
  gtk_window_set_child (GTK_WINDOW (window), make_content (&bench));
  gtk_window_present (GTK_WINDOW (window));

  for (warm_us = g_get_monotonic_time (); g_get_monotonic_time () - warm_us < G_USEC_PER_SEC;)
    g_main_context_iteration (NULL, TRUE);
  jank_thread_describe_self (&bench.thread);
  thread = g_thread_new ("sampler", sample_thread, &bench);
  for (gint64 began_us = g_get_monotonic_time (); g_get_monotonic_time () - began_us < (bench.seconds + 1) * G_USEC_PER_SEC;)
    g_main_context_iteration (NULL, TRUE);
  g_thread_join (thread);

  g_print ("{\"samples\": %u, \"complete\": %u, \"lost\": %u, \"blocked\": %u, \"frames_per_stack\": %.1f",
           bench.n_samples, bench.n_complete, bench.n_lost, bench.n_blocked,
           (double) bench.n_calls / MAX (bench.n_samples, 1));
  print_quantiles ("handler_ns", bench.handler_ns);
  print_quantiles ("unwind_ns", bench.unwind_ns);
  print_quantiles ("sample_ns", bench.cost_ns);
  g_print ("}\n");
  return 0;
}
