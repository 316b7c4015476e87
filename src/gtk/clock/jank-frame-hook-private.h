/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sees every frame of every window of the program, and counts it. Per frame: no allocation, no lock of ours,
 * no look at the widgets. GTK's thread only. */

#pragma once

#include "gtk/clock/jank-gtk-clock-private.h"
#include "gtk/jank-gtk-plugin-private.h"

/* A frame of clock ended; clock->event is complete. */
typedef void (*JankFrameFunc) (JankGtkClock *clock);

/* host: stays valid until jank_frame_hook_stop(). */
void             jank_frame_hook_start      (const JankGtkHost *host, JankFrameFunc func);
void             jank_frame_hook_stop       (void);

/* (nullable): no frame of it was seen yet */
JankGtkClock    *jank_frame_hook_find       (GdkFrameClock *gdk);

/* As gtk_widget_queue_draw(), but the frame it leads to is known as ours. */
void             jank_frame_hook_queue_draw (GtkWidget *widget);

JankFrameClocks *jank_frame_hook_get_frames (void);
