/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Short names for what the page's drawings ask of GTK 4. GTK's thread only. */

#pragma once

#include "gtk/jank-gtk-names-private.h"

void jank_widget_get_color (GtkWidget *widget, GdkRGBA *ret_color);

/* For assistive technology. Both (nullable): unchanged */
void jank_widget_describe  (GtkWidget *widget, const char *label, const char *description);

void jank_canvas_add_rect  (JankCanvas *canvas, const GdkRGBA *color, double x, double y, double width, double height);
/* x, y: of its upper left corner */
void jank_canvas_add_text  (JankCanvas *canvas, const GdkRGBA *color, PangoLayout *layout, double x, double y);
