/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frame rate, frame times and the last stall, drawn into a corner of every window that draws anyway. It
 * takes no input, adds no widget and asks for no frame, but for one when it is shown or hidden. GTK's
 * thread only. */

#pragma once

#include "gtk/jank-gtk-plugin-private.h"

/* host: stays valid until jank_overlay_stop(). The frame hook runs. */
void     jank_overlay_start (const JankGtkHost *host);
void     jank_overlay_stop  (void);
/* The host's corner, scale, opacity or toggle are others now. */
void     jank_overlay_configure (void);
void     jank_overlay_set   (gboolean shown);
gboolean jank_overlay_get   (void);
