/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sees requests to frame clocks: phases, and animations that begin and end. Only they tell a late clock from an idle
 * one. GTK's thread only. */

#pragma once

#include "gtk/jank-gtk-names-private.h"

typedef struct
{
  void (*requested) (GdkFrameClock *gdk, GdkFrameClockPhase phase);
  void (*updating)  (GdkFrameClock *gdk, int change);
} JankGtkClockRequestFuncs;

/* funcs: static; the same at every call. Returns: whether requests to clocks of gdk's class are seen from now on */
gboolean jank_gtk_clock_requests_watch (GdkFrameClock *gdk, const JankGtkClockRequestFuncs *funcs);
