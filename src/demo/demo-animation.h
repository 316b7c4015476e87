/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define DEMO_TYPE_ANIMATION (demo_animation_get_type ())
G_DECLARE_FINAL_TYPE (DemoAnimation, demo_animation, DEMO, ANIMATION, GtkWidget)

/* A row of dots that swell in a wave, in every frame while it is on screen: a frozen program is seen at once. */
GtkWidget *demo_animation_new (void);

G_END_DECLS
