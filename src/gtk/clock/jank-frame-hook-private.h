/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sees and counts every frame of every window. Per frame: no allocation, no lock, no look at the widgets. GTK's
 * thread only. */

#pragma once

#include "gtk/clock/jank-gtk-clock-private.h"
#include "gtk/jank-gtk-plugin-private.h"
#include "input/jank-input-answers-private.h"

/* A frame of clock ended; clock->event is complete. */
typedef void (*JankFrameFunc) (JankGtkClock *clock);

/* host: stays valid until jank_frame_hook_stop(). */
void             jank_frame_hook_start      (const JankGtkHost *host, JankFrameFunc func);
void             jank_frame_hook_stop       (void);

/* Returns: (nullable): NULL before its first frame */
JankGtkClock    *jank_frame_hook_find       (GdkFrameClock *gdk);

/* gtk_widget_queue_draw(), for a frame that counts as ours. area (nullable): GTK 3 draws that alone. */
void             jank_frame_hook_queue_draw (GtkWidget *widget, const GdkRectangle *area);

/* Whether the display holds back each frame that the program wants, or none is wanted. */
gboolean         jank_frame_hook_is_held    (void);

/* Whether requests to it are seen. */
gboolean         jank_frame_hook_sees_requests (GdkFrameClock *gdk);
/* As in JankInputFuncs. */
JankInputWait    jank_frame_hook_find_wait  (const void **gdk, gint64 since_ns);

/* func: runs right before a window is painted. */
void             jank_frame_hook_set_paint_func (void (*func) (GtkWindow *window));

JankFrameClocks *jank_frame_hook_get_frames (void);
