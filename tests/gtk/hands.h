/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A person's hands at the display: xdotool's on X11, those of mutter's RemoteDesktop on Wayland. Each function returns
 * when the display has stamped what was done; none of them turns the loop. */

#pragma once

#include "scene.h"

/* Over the window, which has the keyboard then; on Wayland, where nobody can tell where a window is, it is the whole
 * screen. Turns the loop. */
void hands_reach  (Scene *scene);
void hands_move   (int x, int y);
void hands_button (gboolean is_down);
void hands_click  (void);
void hands_scroll (void);
/* One finger, where the pointer is. No X11 display here has a touch screen, nor a mutter that wants PipeWire for it. */
gboolean hands_have_touch (void);
void hands_touch  (gboolean is_down);
void hands_tap    (void);
void hands_key    (gboolean is_down);
void hands_type   (void);

/* Stamps are whole milliseconds, maybe of the coarse clock. */
#define HANDS_STAMP_NS (6 * JANK_NS_PER_MS)

/* What the plug-in has noted of them: how many interactions, and one of the newest. */
guint64         hands_count_seen (void);
JankInteraction hands_read_seen  (guint64 number);
