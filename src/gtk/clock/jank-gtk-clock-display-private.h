/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What GDK knows of the display that a clock keeps pace with. GTK's thread only. */

#pragma once

#include "gtk/clock/jank-gtk-clock-private.h"

/* The clock's window is known. Weak: neither it nor its surface is kept alive. */
void jank_gtk_clock_display_attach (JankGtkClock *self, GtkWindow *window);
void jank_gtk_clock_display_detach (JankGtkClock *self);

/* Whether the display still has the last frame to itself. GDK then keeps requests back, and passes them on right before it
 * notes that the frame was taken. A frame that changed nothing, which the display never gets, looks the same before GTK 4.24;
 * requests after it are not kept back. */
gboolean jank_gtk_clock_display_holds (JankGtkClock *self);

/* For the beginning of a frame: all of ret_reading but the times of now. */
void jank_gtk_clock_display_read   (JankGtkClock *self, JankGtkClockReading *ret_reading);
