/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which process the active window is of, as the window manager of an X11 display tells. Wayland tells nobody. */

#pragma once

#include <glib.h>
#include <sys/types.h>

/* waits: for another window than the one that is active now, which is the terminal's. Returns: 0 with an error,
 * which says what was tried */
pid_t active_window_find (gboolean waits, GError **error);
