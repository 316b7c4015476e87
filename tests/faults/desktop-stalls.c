/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preloaded into a GTK program: its main loop stalls now and then. Each stall is a line of the file that
 * DESKTOP_STALLS names: when it began and ended, CLOCK_MONOTONIC, ns. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <glib.h>

#define MAX_PAUSE_MS 2000
#define MIN_STALL_MS 150
#define MAX_STALL_MS 500

void desktop_compute (gint64 until_ns);

static FILE *truth;

static gint64
now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

G_GNUC_NO_INLINE void
desktop_compute (gint64 until_ns)
{
  while (now_ns () < until_ns)
    ;
}

static gboolean
stall_cb (gpointer data)
{
  gint64 began_ns = now_ns (), length_ns =
      g_random_int_range (MIN_STALL_MS, MAX_STALL_MS) * G_GINT64_CONSTANT (1000000);

  if (g_random_boolean ())
    desktop_compute (began_ns + length_ns);
  else
    g_usleep ((gulong) (length_ns / 1000));
  fprintf (truth, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n", began_ns, now_ns ());
  fflush (truth);
  g_timeout_add ((guint) g_random_int_range (0, MAX_PAUSE_MS), stall_cb, NULL);
  return G_SOURCE_REMOVE;
}

__attribute__ ((constructor)) static void
begin (void)
{
  const char *path = getenv ("DESKTOP_STALLS");

  truth = path != NULL ? fopen (path, "we") : NULL;
  unsetenv ("LD_PRELOAD");
  if (truth != NULL)
    g_timeout_add (MAX_PAUSE_MS, stall_cb, NULL);
}
