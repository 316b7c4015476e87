/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What of drawing and input differs in more than names between GTK 4 and GTK 3. GTK's thread only. */

#pragma once

#include "gtk/jank-gtk-names-private.h"

typedef enum { JANK_INPUT_MOTION, JANK_INPUT_KEY, JANK_INPUT_CLICK, JANK_INPUT_SCROLL, JANK_INPUT_DRAG } JankInput;

/* Returns: (transfer none): a controller, which the widget keeps */
gpointer        jank_widget_add_input (GtkWidget *widget, JankInput input);
/* The modifiers of the event that the controller handles. */
GdkModifierType jank_input_get_state  (GtkEventController *controller);

void            jank_widget_get_color (GtkWidget *widget, GdkRGBA *ret_color);
void            jank_widget_copy_text (GtkWidget *widget, const char *text);

/* Also children that the program did not add itself. */
void            jank_widget_foreach   (GtkWidget *widget, GFunc func, gpointer data);

/* For assistive technology. Both (nullable): unchanged */
void            jank_widget_describe  (GtkWidget *widget, const char *label, const char *description);

void            jank_canvas_add_rect  (JankCanvas *canvas, const GdkRGBA *color, double x, double y, double width,
                                       double height);
/* x, y: of its upper left corner */
void            jank_canvas_add_text  (JankCanvas *canvas, const GdkRGBA *color, PangoLayout *layout, double x,
                                       double y);
