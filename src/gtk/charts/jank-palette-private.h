/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The colours of charts, for light and dark themes, and what is drawn in them. GTK's thread only. */

#pragma once

#include "frames/jank-frame-history-private.h"
#include "gtk/jank-gtk-names-private.h"

typedef enum
{
  JANK_COLOR_PART,                                            /* the first of JankFramePart … */
  JANK_COLOR_BAND = JANK_COLOR_PART + JANK_N_PARTS,           /* … and of JankFrameBand */
  JANK_COLOR_OWN = JANK_COLOR_BAND + JANK_FRAME_BAND_COMPOSITOR + 1, /* the program's own code: warm */
  JANK_COLOR_COMPUTING,
  JANK_COLOR_BLOCKED,
  JANK_COLOR_PREEMPTED,
  JANK_N_COLORS,
} JankColor;

GdkRGBA      jank_palette_get        (JankColor color, gboolean dark);
/* A library: a cool colour, by its name. */
GdkRGBA      jank_palette_module     (const char *file, gboolean dark);
/* name: "update", "very-late", "own" …; of a library otherwise */
GdkRGBA      jank_palette_find       (const char *name, gboolean dark);
GdkRGBA      jank_palette_with_alpha (const GdkRGBA *color, double alpha);

/* Whether text of that colour is for a dark background. */
gboolean     jank_palette_is_dark    (const GdkRGBA *text);

/* text (nullable), smaller than the widget's by scale. Returns: (transfer full) */
PangoLayout *jank_palette_make_layout (GtkWidget *widget, const char *text, double scale);

void         jank_canvas_add_rect   (JankCanvas *canvas, const GdkRGBA *color, double x, double y, double width,
                                     double height);
/* x, y: of its upper left corner */
void         jank_canvas_add_text   (JankCanvas *canvas, const GdkRGBA *color, PangoLayout *layout, double x, double y);

void         jank_widget_get_color  (GtkWidget *widget, GdkRGBA *ret_color);
/* For assistive technology. Both (nullable): unchanged */
void         jank_widget_describe   (GtkWidget *widget, const char *label, const char *description);
