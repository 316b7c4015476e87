/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tells the host when the program shows something new, and when a person holds something: while either is so, a loop
 * inside a callback may be a dialog's or a drag's. GTK's thread only. */

#pragma once

#include "gtk/jank-gtk-names-private.h"
#include "gtk/jank-gtk-plugin-private.h"

/* host: stays valid until jank_shown_hook_stop(). */
void jank_shown_hook_start (const JankGtkHost *host);
void jank_shown_hook_stop  (void);

/* The program got an event. */
void jank_shown_hook_take  (GdkEventType type);
