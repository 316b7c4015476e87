/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a picture comes into a window, and where there is room: once for GTK 4, once for GTK 3. GTK's thread only. */

#pragma once

#include "gtk/jank-gtk-names-private.h"

#if GTK_MAJOR_VERSION >= 4
typedef GskRenderNode JankPicture;
#define JANK_OVERLAY_CANVAS_IS_PARTIAL FALSE
#else
typedef struct _JankPicture JankPicture;
#define JANK_OVERLAY_CANVAS_IS_PARTIAL TRUE
#endif

/* image: in pixels of the display. Returns: (transfer full) */
JankPicture *jank_overlay_canvas_keep      (cairo_surface_t *image, GtkWidget *window);
void         jank_overlay_canvas_free      (JankPicture *picture);
/* In logical pixels. */
void         jank_overlay_canvas_get_size  (JankPicture *picture, double *ret_width, double *ret_height);
void         jank_overlay_canvas_draw      (JankCanvas *canvas, JankPicture *picture, double x, double y);

#if GTK_MAJOR_VERSION >= 4
/* Menus and copies of a window are no windows, and each frame is whole. */
#define jank_overlay_canvas_is_window(window)         TRUE
#define jank_overlay_canvas_is_screen(canvas, window) TRUE
#define jank_overlay_canvas_is_whole(canvas, window)  TRUE
#else
/* Whether it is a window to people, and not a menu or a tooltip. */
gboolean     jank_overlay_canvas_is_window (GtkWindow *window);
/* Whether what is drawn is for the screen, and not a copy that the program makes of its window. */
gboolean     jank_overlay_canvas_is_screen (JankCanvas *canvas, GtkWidget *window);
/* Whether all of the window is drawn. */
gboolean     jank_overlay_canvas_is_whole  (JankCanvas *canvas, GtkWidget *window);
#endif

/* Where the window's content is: without shadow and title bar, where that is known. */
void         jank_overlay_canvas_get_area    (GtkWidget *window, GdkRectangle *ret_area);
/* Of a widget in that window. FALSE: it is not shown there, or in a window of its own. */
gboolean     jank_overlay_canvas_get_bounds  (GtkWidget *widget, GtkWidget *window, GdkRectangle *ret_bounds);
