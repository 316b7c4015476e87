/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The parts of the overlay's drawing. GTK's thread only, but for the face: any thread that owns the Pango context. */

#pragma once

#include "frames/jank-frame-summary-private.h"
#include "gtk/jank-gtk-names-private.h"
#include "gtk/jank-gtk-plugin-private.h"

/* How a picture comes into a window, and where there is room: once for GTK 4, once for GTK 3. */

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

/* Draws the overlay as one picture: a frame that shows it again draws a rectangle and no text. */

/* At scale 1. */
#define JANK_OVERLAY_WIDTH_PX 260

typedef struct
{
  JankFrameNumbers numbers;
  guint            n_bars;
  JankFrameBar     bars[JANK_FRAME_N_BARS];  /* oldest first */
  gboolean         has_stall;
  JankGtkStall     stall;
  gint64           stall_age_ns;             /* how long ago it ended */
  gint64           input_p98_ns;             /* 0: nothing was done that could be timed */
  double           cost_us_per_frame, cost_share;
} JankOverlayFace;

typedef struct
{
  guint        preset;    /* 1: one line, 4: all there is */
  double       scale;     /* the user's times the window's */
  double       opacity;   /* of the background */
  gboolean     is_rtl;
} JankOverlayLook;

/* At scale 1. */
double           jank_overlay_face_get_height (guint preset);

/* context: has GTK's font settings. Returns: (transfer full): an image of width and height times scale, rounded up */
cairo_surface_t *jank_overlay_face_draw       (const JankOverlayFace *self, const JankOverlayLook *look,
                                               PangoContext *context);

/* Where in a window the overlay goes, how large, and with how many of its lines. */

typedef struct
{
  int    above, below; /* height of the bars at the window's upper and lower edge */
  guint  preset;       /* the settings', or a smaller one */
  double fit;          /* logical pixels per face pixel; 0: the window is too small */
} JankOverlayPlace;

void jank_overlay_place_find (JankOverlayPlace *self, GtkWidget *window, const JankSettings *settings);

/* Where a picture of that size is, in the window as it is now: its size may be another. */
void jank_overlay_place_get  (const JankOverlayPlace *self, GtkWidget *window, const JankSettings *settings,
                              double width, double height, GdkRectangle *ret_rectangle);

/* Draws over widgets without being a widget: wraps the snapshot function of a widget's class, in GTK 3 its draw
 * function, for good. */

/* Runs after the widget has drawn itself, outside its transformation and clip. */
typedef void (*JankSnapshotFunc) (GtkWidget *widget, JankCanvas *canvas);

/* over: static; the same at every call. */
void jank_snapshot_wrap (GtkWidget *widget, JankSnapshotFunc over);
