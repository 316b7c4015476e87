/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program that stalls on purpose. */

#pragma once

#include <stdint.h>
#include <time.h>

#include <glib.h>
#include <gtk/gtk.h>

#include "demo-stall-compute.h"

G_BEGIN_DECLS

/* The kinds of stall that the demo program can show. Every stall function runs on the main thread,
 * inside a button's "clicked" handler, and keeps it for about `duration_ns` nanoseconds.
 *
 * The stall functions are exported and never inlined, and each does its work in its own body: a report
 * has one right answer, and names stay known when the program is stripped. */

typedef struct
{
  const char *name;        /* of --auto and --truth */
  const char *title;       /* untranslated */
  const char *description; /* untranslated */
  void (*stall) (int64_t duration_ns);
  gboolean stays_alive;    /* the window does */
} DemoStall;

extern const DemoStall demo_stalls[];
extern const gsize n_demo_stalls;

const DemoStall *demo_stall_find (const char *name);

void stall_sleep (int64_t duration_ns);
void stall_file (int64_t duration_ns);
void stall_lock (int64_t duration_ns);
void stall_dbus (int64_t duration_ns);
void stall_deadlock (int64_t duration_ns);
void stall_nested (int64_t duration_ns);

/* A stall of half a second for each half second of the duration. */
void stall_list (int64_t duration_ns);

/* Of three seconds of CPU time at least. */
void stall_spin (int64_t duration_ns);
gboolean spin_check_again_cb (gpointer data);

/* 60 % of the time in split_heavy(), 25 % in split_medium(), 15 % in split_light(), in turns. */
void stall_split (int64_t duration_ns);

/* Starts the slow D-Bus service on a thread of its own and connects to it, before the first stall. */
void demo_dbus_start (void);

static inline int64_t
demo_now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

#define DEMO_TYPE_ANIMATION (demo_animation_get_type ())
G_DECLARE_FINAL_TYPE (DemoAnimation, demo_animation, DEMO, ANIMATION, GtkWidget)

/* A row of dots that swell in a wave, in every frame while it is on screen: a frozen program is seen at once. */

#define DEMO_TYPE_WINDOW (demo_window_get_type ())
G_DECLARE_FINAL_TYPE (DemoWindow, demo_window, DEMO, WINDOW, GtkApplicationWindow)

/* truth_path: (nullable): a file that gets one JSON line per stall, its times taken inside the handler. */
DemoWindow *demo_window_new (GtkApplication *application, double seconds, const char *truth_path);

/* Emits "clicked" on the button of this stall. */
void demo_window_press (DemoWindow *self, const DemoStall *stall);

G_END_DECLS
