/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where in a window the overlay goes, how large, and with how many of its lines. GTK's thread only. */

#pragma once

#include "settings/jank-settings-private.h"
#include "gtk/jank-gtk-names-private.h"

typedef struct
{
  int    above, below; /* height of the bars at the window's upper and lower edge */
  guint  preset;       /* the settings', or a smaller one */
  double fit;          /* logical pixels per face pixel; 0: the window is too small */
} JankOverlayPlace;

void jank_overlay_place_find (JankOverlayPlace *self, GtkWidget *window, const JankSettings *settings);

/* Where a picture of that size is, in the window as it is now: its size may be another. */
void jank_overlay_place_get  (const JankOverlayPlace *self, GtkWidget *window, const JankSettings *settings,
                              double width, double height, GdkRectangle *ret_rectangle);
