/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Draws frame rate, frame times and the last stall into a corner of each window when that window draws. It takes no
 * input and adds no widget, and asks for a frame only when it is shown or hidden. GTK's thread only. */

#pragma once

#include "gtk/jank-gtk-plugin-private.h"

/* host: stays valid until jank_overlay_stop(). The frame hook must be running. */
void     jank_overlay_start (const JankGtkHost *host);
void     jank_overlay_stop  (void);
/* After the settings of how it looks changed. */
void     jank_overlay_configure (void);
void     jank_overlay_set   (gboolean shown);
gboolean jank_overlay_get   (void);
