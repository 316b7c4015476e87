/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which frame rates were drawn on the program's windows, as text, by whoever draws them: GTK's overlay writes "59.98 fps",
 * jankwatch's "60" and then "FPS". Both set their text by Pango's public function, which this program has before Pango. */

#pragma once

/* After each frame of the window: GTK's overlay sets its text anew in each that it is in, so in one without it has gone. */
void shown_end_frame (void);

/* A JSON array of [CLOCK_MONOTONIC in ns, text before the unit or, once it has gone, ""], oldest first. */
void shown_print (void);
