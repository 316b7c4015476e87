/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Is the overlay on the screen of the X server, in the one window there is, and nothing else changed? */

#pragma once

#include "pixels.h"
#include "scene.h"

/* The screen with the overlay, or without it. */
Pixels *overlay_grab         (gboolean overlay);

/* Until it has looked otherwise so many times. */
void    await_changes        (guint n);

/* The overlay comes, changes nothing but its rectangle, goes, and leaves what was there. */
void    check_shown_and_gone (Scene *scene);

/* It is there now: without it the window looks otherwise. On again afterwards. */
void    check_shown          (Scene *scene);
