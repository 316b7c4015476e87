/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the loop did for GTK's inspector, our page among it, and not for the program: its windows' frames, its
 * display's events, its opening, our own timers. Taken out of what is measured and reported.
 *
 *   observed thread                      watcher thread
 *   begin: began[i] := now; n := i + 1 ─▶ load n, then the pairs   (A)
 *   end:   ended[i] := now ────────────▶  0: not over yet          (B)
 *
 * (A) the store of n releases, the load acquires: a reader sees the pair's beginning. (B) release and acquire. A pair
 * that is written again while it is read is older than anything that is asked for. */

#pragma once

#include <glib.h>

#include "gtk/jank-gtk-plugin-private.h"

/* GTK's thread. */
/* host: stays valid until jank_own_time_stop() */
void    jank_own_time_start     (const JankGtkHost *host);
void    jank_own_time_stop      (void);
void    jank_own_time_begin     (void);
void    jank_own_time_end       (void);
gint64  jank_own_time_get_total (void);
/* It is the inspector that opens: all that the loop did since it last waited counts. */
void    jank_own_time_confirm   (void);

/* Any thread: the part of [from_ns, to_ns]; now counts as the end of what is under way. */
gint64  jank_own_time_get       (gint64 from_ns, gint64 to_ns);
