/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loops that turn and turn without waiting, none of their turns long; and loops that are calm. */

#include "kinds.h"

#include <fcntl.h>
#include <glib-unix.h>
#include <unistd.h>

#define FRAME_US (G_USEC_PER_SEC / 144)

extern gboolean spin_check_again_cb (gpointer data);
extern gboolean spin_never_reads_cb (int fd, GIOCondition condition, gpointer data);
extern gboolean spin_due_cb (gpointer data);
extern gboolean turned_waits_cb (gpointer data);
extern gboolean calm_cb (gpointer data);

/* An idle function that never has enough. */
G_NO_INLINE gboolean
spin_check_again_cb (gpointer data)
{
  staller_sink++;
  return G_SOURCE_CONTINUE;
}

/* A descriptor that is always ready, since nobody reads it. */
G_NO_INLINE gboolean
spin_never_reads_cb (int fd, GIOCondition condition, gpointer data)
{
  staller_sink += 1;
  return (condition & G_IO_IN) != 0;
}

/* A timer of no time. */
G_NO_INLINE gboolean
spin_due_cb (gpointer data)
{
  return ++staller_sink != 0;
}

G_NO_INLINE gboolean
calm_cb (gpointer data)
{
  staller_sink += 2;
  return staller_sink != 1;
}

DOES (start_idle, g_source_set_name_by_id (g_idle_add (spin_check_again_cb, NULL), "[kinds] check again"))

static void
start_fd (void)
{
  int ends[2];

  kinds_check (pipe2 (ends, O_CLOEXEC) == 0 && write (ends[1], "j", 1) == 1, "pipe2");
  g_source_set_name_by_id (g_unix_fd_add (ends[0], G_IO_IN, spin_never_reads_cb, NULL), "[kinds] socket");
}

DOES (start_timeout, g_source_set_name_by_id (g_timeout_add (0, spin_due_cb, NULL), "[kinds] soon"))

/* A source that never asks for a callback's sake, with a calm timer beside it. */
static void
start_both (void)
{
  start_idle ();
  g_source_set_name_by_id (g_timeout_add (10, calm_cb, NULL), "[kinds] calm");
}

/* Threads that render in software, as seen from here: of every 16 ms, 6 are waited for outside poll. */
static gboolean
drawn_cb (gpointer data)
{
  g_usleep (6000);
  return calm_cb (data);
}

static void
start_drawing (void)
{
  start_idle ();
  g_source_set_name_by_id (g_timeout_add (16, drawn_cb, NULL), "[kinds] frame");
}

static gint64 burst_until_us;

static gboolean
burst_cb (gpointer data)
{
  return calm_cb (data) && g_get_monotonic_time () < burst_until_us;
}

static gboolean
begin_burst_cb (gpointer data)
{
  burst_until_us = g_get_monotonic_time () + 15000;
  g_idle_add (burst_cb, NULL);
  return G_SOURCE_CONTINUE;
}

/* As many turns as in a spin, with a rest after each 15 ms of them. */
DOES (start_bursts, g_source_set_name_by_id (g_timeout_add (25, begin_burst_cb, NULL), "[kinds] burst"))

/* Frames that are late, one after the other, by threads that render. */
static gboolean
late_cb (gpointer data)
{
  g_usleep (20000);
  return calm_cb (data);
}

DOES (start_late, g_source_set_name_by_id (g_timeout_add (16, late_cb, NULL), "[kinds] frame"))

static void
start_nothing (void)
{
}

DOES (start_1_ms, g_source_set_name_by_id (g_timeout_add (1, calm_cb, NULL), "[kinds] 1 ms"))

static gboolean
frame_dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  g_source_set_ready_time (source, g_source_get_ready_time (source) + FRAME_US);
  return calm_cb (NULL);
}

static void
start_144_hz (void)
{
  static GSourceFuncs funcs = { .dispatch = frame_dispatch };
  GSource *source = g_source_new (&funcs, sizeof *source);

  g_source_set_name (source, "[kinds] frame");
  g_source_set_ready_time (source, g_get_monotonic_time ());
  g_source_attach (source, NULL);
}

static gint64 turned_until_us, n_turned;

/* A callback that turns the loop itself, until the program has used a CPU for a second. */
G_NO_INLINE gboolean
turned_waits_cb (gpointer data)
{
  for (; g_get_monotonic_time () < turned_until_us || clock () < CLOCKS_PER_SEC; n_turned++)
    while (g_main_context_pending (NULL))
      g_main_context_iteration (NULL, FALSE);
  return ++staller_sink == 0;
}

/* Most of the time, in the loop that another callback turns: 40 times or more in between, on any machine. */
static gboolean
fill_list_cb (gpointer data)
{
  stall_compute (n_turned < 40 ? 0 : 4 * NS_PER_MS);
  n_turned = 0;
  return calm_cb (data);
}

static void
start_turned (void)
{
  turned_until_us = g_get_monotonic_time () + 2 * G_USEC_PER_SEC;
  g_timeout_add (100, turned_waits_cb, NULL);
}

static void
start_turned_busy (void)
{
  start_turned ();
  g_timeout_add (5, fill_list_cb, NULL);
}

const Spin kinds_spin[] = {
  { "spin-idle", "[kinds] check again", "spin_check_again_cb", start_idle },
  { "spin-fd", "[kinds] socket", "spin_never_reads_cb", start_fd },
  { "spin-timeout", "[kinds] soon", "spin_due_cb", start_timeout },
  { "spin-beside", "[kinds] check again", "spin_check_again_cb", start_both },
  { "spin-drawing", "[kinds] check again", "spin_check_again_cb", start_drawing },
  { "turned", NULL, "turned_waits_cb", start_turned },
  { "turned-busy", NULL, "turned_waits_cb", start_turned_busy },
  { "calm-idle", NULL, NULL, start_nothing },
  { "calm-1-ms", NULL, NULL, start_1_ms },
  { "calm-144-hz", NULL, NULL, start_144_hz },
  { "calm-bursts", NULL, NULL, start_bursts },
  { "calm-late", NULL, NULL, start_late },
};
const guint n_kinds_spin = G_N_ELEMENTS (kinds_spin);
