/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fills its heap, frees all of it, and prints what it has left, in kB. The loop stalls meanwhile: heap [MOMENT…]
 *
 *     grow   computing, three times, each at another height
 *     wait   asleep, the same
 *     full   at the top
 *     free   while the heap shrinks
 *     after  when it is free again
 */

#include <gio/gio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Too large for what a thread keeps, too small for a mapping of its own */
#define PIECE_BYTES 184
#define N_PIECES    500000
#define N_PARTS     20
#define STALL_US    150000
#define REST_PARTS  100 /* until the last report is written */

static const char *const *moments;

static void
compute (void)
{
  gint64 until_us = g_get_monotonic_time () + STALL_US;

  while (g_get_monotonic_time () < until_us)
    continue;
}

static void
stall_if (const char *moment, gboolean is_due)
{
  if (!is_due || !g_strv_contains (moments, moment))
    return;
  if (g_str_equal (moment, "wait"))
    g_usleep (STALL_US);
  else
    compute ();
}

/* Without a buffer, which would be one more piece. */
static glong
read_kb (const char *name)
{
  char text[4096] = "";
  FILE *file = fopen ("/proc/self/status", "re");
  const char *line;

  setvbuf (file, NULL, _IONBF, 0);
  if (fread (text, 1, sizeof text - 1, file) == 0)
    return 0;
  fclose (file);
  line = strstr (text, name);
  return line != NULL ? atol (line + strlen (name)) : 0;
}

static gboolean
work_cb (gpointer loop)
{
  static gpointer *pieces;
  static guint part;

  if (part == 0)
    pieces = calloc (N_PIECES, sizeof *pieces);
  if (part < N_PARTS)
    {
      for (guint i = part * (N_PIECES / N_PARTS); i < (part + 1) * (N_PIECES / N_PARTS); i++)
        pieces[i] = memset (malloc (PIECE_BYTES), 1, PIECE_BYTES);
      stall_if ("grow", part % 6 == 3);
      stall_if ("wait", part % 6 == 5);
    }
  else if (part == N_PARTS)
    {
      stall_if ("full", TRUE);
      for (guint i = 0; i < N_PIECES; i++)
        {
          free (pieces[i]);
          stall_if ("free", i == N_PIECES / 2);
        }
      free (pieces);
    }
  else
    stall_if ("after", part < 2 * N_PARTS && part % 6 == 4);

  if (++part < 2 * N_PARTS + REST_PARTS)
    return G_SOURCE_CONTINUE;
  printf ("{\"anonymous_kb\": %ld, \"resident_kb\": %ld}\n", read_kb ("RssAnon:"), read_kb ("VmRSS:"));
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);

  moments = (const char *const *) argv + 1;
  /* Loads GIO's modules. */
  g_vfs_get_default ();
  g_timeout_add (5, work_cb, loop);
  g_main_loop_run (loop);
  return 0;
}
