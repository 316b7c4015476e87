/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What GDK knows of a clock's display. GTK's thread only. */

#pragma once

#include "gtk/clock/jank-gtk-clock-private.h"

/* Keeps neither the window nor its surface alive. */
void jank_gtk_clock_display_attach (JankGtkClock *self, GtkWindow *window);
void jank_gtk_clock_display_detach (JankGtkClock *self);

/* Whether the display still holds the last frame. GDK then keeps requests back, and passes them on right before it
 * notes that the frame was taken. Before GTK 4.24, a frame that changed nothing looks the same and holds nothing
 * back. */
gboolean jank_gtk_clock_display_holds (JankGtkClock *self);

/* When a frame begins: fills ret_reading, except now_ns and cpu_ns. */
void jank_gtk_clock_display_read   (JankGtkClock *self, JankGtkClockReading *ret_reading);
