/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the program is doing, in words: window, focus, last action; and how it draws. Written by GTK's thread ahead of
 * time, so that others can read it while GTK's thread hangs. */

#pragma once

#include "gtk/jank-gtk-plugin-private.h"

void jank_gtk_facts_start       (void);
void jank_gtk_facts_stop        (void);

/* GTK's thread, at every frame: looks four times a second. has_presentation: of the frame's display. */
void jank_gtk_facts_update      (gint64 now_ns, gboolean has_presentation);

/* Any thread. */
void jank_gtk_facts_get_tags    (JankGtkTags *ret_tags);
void jank_gtk_facts_get_toolkit (JankGtkToolkit *ret_toolkit);
