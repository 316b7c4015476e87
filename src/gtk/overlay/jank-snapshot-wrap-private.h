/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Draws over widgets without being a widget: wraps the snapshot function of a widget's class, in GTK 3 its draw
 * function, for good. GTK's thread only. */

#pragma once

#include "gtk/jank-gtk-names-private.h"

/* Runs after the widget has drawn itself, outside its transformation and clip. */
typedef void (*JankSnapshotFunc) (GtkWidget *widget, JankCanvas *canvas);

/* over: static; the same at every call. */
void jank_snapshot_wrap (GtkWidget *widget, JankSnapshotFunc over);
