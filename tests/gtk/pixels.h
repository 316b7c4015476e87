/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is on the X server's screen, asked over a connection of its own. */

#pragma once

#include <glib.h>

typedef struct
{
  int      width, height;
  guint32 *pixels; /* 0x00RRGGBB, row by row */
} Pixels;

Pixels *pixels_grab  (void);
void    pixels_free  (Pixels *self);

/* How many pixels differ, and the smallest rectangle around them. */
guint   pixels_count (const Pixels *a, const Pixels *b, int *ret_left, int *ret_top, int *ret_right, int *ret_bottom);

/* The upper left part, as a PNG file. */
void    pixels_save  (const Pixels *self, int width, int height, const char *path);

/* All windows to the screen's upper left corner. */
void    pixels_move_windows (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Pixels, pixels_free)
