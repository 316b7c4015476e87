/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls 28 times a round in a main loop, each time by another function or on another way to it: handle_NN, then
 * work_NN. The releases, RELEASE from 1 to 3, have the same problems at other places. A compiler that inlines a
 * function makes another path. */

#include <stdlib.h>
#include <string.h>

#include <gio/gio.h>

#define N_TEXT   (sizeof buffer - 1)
#ifdef EXPORTED
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define PLACE    __attribute__ ((noinline))
#else
#define PLACE    __attribute__ ((noinline)) static
#endif

static char buffer[1 << 16];
static volatile guint marks[200];
static guint turn, n_turns;

#if RELEASE > 1
/* Moves what follows. */
guint unused_sum (guint n);
guint
unused_sum (guint n)
{
  for (guint i = 0; i < n; i++)
    n += (guint) buffer[i] * i;
  return n;
}
#endif

/* Each has its number in it: gcc makes one of functions that are equal. */
#define WORK(n, act) PLACE void work_##n (void) \
  { for (guint round = 0; round < 25; round++) { marks[1##n]++; act; } }

/* Each about 1 ms. No clock is asked: a busy machine interrupts a program where it makes a system call. */
#define OWN     for (guint i = 0; i < 1 << 21; i++) buffer[i & 0xffff] = \
    (char) (buffer[i & 0xffff] * 7 + buffer[(i * 31) & 0xffff])
#define LIBC    for (guint i = 0; i < 3000; i++) buffer[0] = (char) strlen (memset (buffer, '0' + (int) i, N_TEXT))
#define GLIB    for (guint i = 0; i < 8; i++) g_free (g_compute_checksum_for_string (G_CHECKSUM_SHA256, \
                                                                                     memset (buffer, '0', N_TEXT), -1))
#define STRINGS for (guint i = 0; i < 30; i++) g_free (g_strescape (memset (buffer, '\n', N_TEXT), NULL))

static void plant_next (void);

/* From a source's callback; of a release, with more or less around it. */
#if RELEASE > 2
#define HANDLE(n, work) PLACE void handle_##n (void) { unused_sum (turn); work (); marks[1##n]++; turn++; }
#else
#define HANDLE(n, work) PLACE void handle_##n (void) { work (); marks[1##n]++; turn++; }
#endif
#define SOURCE(n) PLACE gboolean source_##n (gpointer data) { handle_##n (); plant_next (); return G_SOURCE_REMOVE; }
#define PLANT(n, act) WORK (n, act) HANDLE (n, work_##n) SOURCE (n)
/* Another way to work_OTHER. */
#define PLANT_WAY(n, other) HANDLE (n, work_##other) SOURCE (n)

PLANT (00, OWN) PLANT (01, LIBC) PLANT (02, GLIB) PLANT (03, STRINGS) PLANT (04, OWN) PLANT (05, LIBC) PLANT (06, GLIB)
PLANT (07, STRINGS) PLANT (08, OWN) PLANT (09, LIBC) PLANT (10, GLIB) PLANT (11, STRINGS) PLANT (12, OWN) PLANT (13,
                                                                                                                 LIBC)
#if RELEASE > 1
PLANT (20, STRINGS) PLANT (19, OWN) PLANT (18, GLIB) PLANT (17, LIBC) PLANT (16, OWN) PLANT (15, STRINGS) PLANT (14,
                                                                                                                 GLIB)
#else
PLANT (14, GLIB) PLANT (15, STRINGS) PLANT (16, OWN) PLANT (17, LIBC) PLANT (18, GLIB) PLANT (19, OWN) PLANT (20,
                                                                                                              STRINGS)
#endif
PLANT_WAY (21, 00) PLANT_WAY (22, 01) PLANT_WAY (23, 02) PLANT_WAY (24, 03) PLANT_WAY (25, 04) PLANT_WAY (26, 05)
PLANT_WAY (27, 06)

static const GSourceFunc sources[] = {
  source_00, source_01, source_02, source_03, source_04, source_05, source_06, source_07, source_08, source_09,
  source_10, source_11, source_12, source_13, source_14, source_15, source_16, source_17, source_18, source_19,
  source_20, source_21, source_22, source_23, source_24, source_25, source_26, source_27,
};
static GMainLoop *loop;

static gboolean
quit_cb (gpointer data)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

static void
plant_next (void)
{
  GSourceFunc next = turn < n_turns ? sources[turn % G_N_ELEMENTS (sources)] : quit_cb;

  if (turn % 2 == 0)
    g_timeout_add (5, next, NULL);
  else
    g_timeout_add_full (G_PRIORITY_LOW, 3, next, NULL, NULL);
}

/* Argument: the number of rounds. */
int
main (int argc, char **argv)
{
  n_turns = G_N_ELEMENTS (sources) * (guint) atoi (argv[argc - 1]);
  g_object_unref (g_file_new_for_path ("/")); /* loads GIO's modules */
  loop = g_main_loop_new (NULL, FALSE);
  g_timeout_add (50, sources[0], NULL);
  g_main_loop_run (loop);
  return 0;
}
