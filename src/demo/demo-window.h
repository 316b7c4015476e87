/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "demo-stall.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define DEMO_TYPE_WINDOW (demo_window_get_type ())
G_DECLARE_FINAL_TYPE (DemoWindow, demo_window, DEMO, WINDOW, GtkApplicationWindow)

/* truth_path: (nullable): a file that gets one JSON line per stall, its times taken inside the handler. */
DemoWindow *demo_window_new (GtkApplication *application, double seconds, const char *truth_path);

/* Emits "clicked" on the button of this stall. */
void demo_window_press (DemoWindow *self, const DemoStall *stall);

G_END_DECLS
