/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sees what is asked of frame clocks: phases, and animations that begin and end. Only that tells a clock
 * that is late from one that nobody wanted anything of. GTK's thread only. */

#pragma once

#include <gtk/gtk.h>

typedef struct
{
  void (*requested) (GdkFrameClock *gdk, GdkFrameClockPhase phase);
  void (*updating)  (GdkFrameClock *gdk, int change);
} JankGtkClockRequestFuncs;

/* Whether requests to clocks of gdk's class are seen from now on. funcs: static; the same at every call. */
gboolean jank_gtk_clock_requests_watch (GdkFrameClock *gdk, const JankGtkClockRequestFuncs *funcs);
