/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Time that the loop spent on GTK's inspector and our page in it, not on the program: its opening, its windows'
 * frames, its display's events, our timers. Such time is left out of what is measured and reported.
 *
 *   observed thread                      watcher thread
 *   begin: began[i] := now; n := i + 1 ─▶ load n, then the pairs   (A)
 *   end:   ended[i] := now ────────────▶  0: not over yet          (B)
 *
 * (A) the store of n releases, the load acquires: a reader sees began. (B) release and acquire, too. A pair that is
 * overwritten while it is read is older than any time that is asked for. */

#pragma once

#include <glib.h>

#include "gtk/jank-gtk-plugin-private.h"

/* GTK's thread. host: stays valid until jank_own_time_stop(). */
void    jank_own_time_start     (const JankGtkHost *host);
void    jank_own_time_stop      (void);
void    jank_own_time_begin     (void);
void    jank_own_time_end       (void);
gint64  jank_own_time_get_total (void);
/* The inspector is opening: all time since the loop last waited counts. */
void    jank_own_time_confirm   (void);

/* Any thread: how much of [from_ns, to_ns] it was; a span under way ends now. */
gint64  jank_own_time_get       (gint64 from_ns, gint64 to_ns);
