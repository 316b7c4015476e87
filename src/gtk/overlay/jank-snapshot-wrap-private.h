/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Draws over widgets without being one: the snapshot function of a widget's class is wrapped. GTK's thread
 * only. What is wrapped stays wrapped; `over` is asked every time. */

#pragma once

#include <gtk/gtk.h>

/* After the widget has drawn itself; outside of any transformation or clip of its own. */
typedef void (*JankSnapshotFunc) (GtkWidget *widget, GtkSnapshot *snapshot);

/* over: static; the same at every call. */
void jank_snapshot_wrap (GtkWidget *widget, JankSnapshotFunc over);
