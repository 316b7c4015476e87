/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Draws frame rate, frame times and the last stall into a corner of each window when that window draws. It takes no
 * input and adds no widget, and asks for a frame only when it is shown or hidden. With GTK 4, all that draws is in a
 * library beside the plug-in, which is opened when the overlay is first shown. GTK's thread only. */

#pragma once

#include "gtk/clock/jank-gtk-clock-private.h"
#include "gtk/jank-gtk-plugin-private.h"

/* What drawing takes from the plug-in; stays where it is. Both come from one build, so there is no versioning. */
typedef struct
{
  const JankGtkHost *host;
  JankInputBoard    *input;
  JankOwnTime     *(*get_own)    (void);
  /* As in the frame hook. */
  JankGtkClock    *(*find_clock) (GdkFrameClock *gdk);
  void             (*queue_draw) (GtkWidget *widget, const GdkRectangle *area);
  gboolean           is_shown;
} JankOverlayFeed;

typedef void (*JankOverlayUpdateFunc) (const JankOverlayFeed *feed);

#define JANK_OVERLAY_LIBRARY "libjankwatch-gtk4-overlay.so"
#define JANK_OVERLAY_SYMBOL  "jank_overlay_window_update"

/* Draws all windows with the overlay, or without it. feed: the same each time. */
JANK_API void jank_overlay_window_update (const JankOverlayFeed *feed);
/* GTK 3 draws only those parts of a window that changed: here, when it is about to, a new picture adds its own. */
void     jank_overlay_window_paint (GtkWindow *window);

/* host: stays valid until jank_overlay_stop(). The frame hook must be running. */
void     jank_overlay_start (const JankGtkHost *host);
void     jank_overlay_stop  (void);
/* After the settings of how it looks changed. */
void     jank_overlay_configure (void);
void     jank_overlay_set   (gboolean shown);
gboolean jank_overlay_get   (void);

/* A key for the whole program, which none of its widgets and controllers sees. accelerator: for
 * gtk_accelerator_parse(); one that cannot be parsed is ignored. */
void jank_overlay_key_start (const char *accelerator, void (*pressed) (void));
void jank_overlay_key_stop  (void);
