/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* gtk-frames SECONDS: a GTK 4 program that is still for two seconds, then animates and counts its frames itself.
 * Prints a JSON object: its frames per second, and what drew them. Not linked with jankwatch. */

#include <gtk/gtk.h>
#include <stdio.h>

#define SETTLE_MS 2000

#ifdef GDK_RENDERING_VULKAN
#define HAS_VULKAN "true" /* GTK was built with it */
#else
#define HAS_VULKAN "false"
#endif

static gint64 length_ms, first_us, last_us;
static guint n_intervals;
static gboolean is_animated;

static gboolean
tick_cb (GtkWidget *label, GdkFrameClock *clock, gpointer data)
{
  g_autofree char *text = g_strdup_printf ("%06u", n_intervals);

  gtk_label_set_text (GTK_LABEL (label), text);
  return G_SOURCE_CONTINUE;
}

static void
before_paint_cb (GdkFrameClock *clock, gpointer data)
{
  if (!is_animated)
    return;
  last_us = g_get_monotonic_time ();
  if (first_us == 0)
    first_us = last_us;
  else
    n_intervals++;
}

static void
over_cb (gpointer window)
{
  printf ("{\"fps\": %.2f, \"renderer\": \"%s\", \"has_vulkan\": " HAS_VULKAN "}\n",
          n_intervals * 1e6 / (double) MAX (last_us - first_us, 1),
          G_OBJECT_TYPE_NAME (gtk_native_get_renderer (GTK_NATIVE (window))));
  gtk_window_destroy (window);
}

static void
animate_cb (gpointer window)
{
  is_animated = TRUE;
  gtk_widget_add_tick_callback (gtk_window_get_child (window), tick_cb, NULL, NULL);
  g_timeout_add_once ((guint) length_ms, over_cb, window);
}

static void
activate_cb (GtkApplication *application, gpointer data)
{
  GtkWidget *window = gtk_application_window_new (application);

  gtk_window_set_child (GTK_WINDOW (window), gtk_label_new ("still"));
  gtk_window_set_default_size (GTK_WINDOW (window), 480, 320);
  gtk_window_present (GTK_WINDOW (window));
  g_signal_connect (gtk_widget_get_frame_clock (window), "before-paint", G_CALLBACK (before_paint_cb), NULL);
  g_timeout_add_once (SETTLE_MS, animate_cb, window);
}

int
main (int argc, char **argv)
{
  g_autoptr (GtkApplication) application = gtk_application_new (NULL, G_APPLICATION_NON_UNIQUE);

  g_assert_cmpint (argc, ==, 2);
  length_ms = g_ascii_strtoll (argv[1], NULL, 10) * 1000;
  g_signal_connect (application, "activate", G_CALLBACK (activate_cb), NULL);
  return g_application_run (G_APPLICATION (application), 1, argv);
}
