/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* When does GTK's inspector keep the loop busy? Its opening lasts until the busy period ends; the frames of its windows
 * and the work of our page are marked where they happen; its display's events are known by that display's source. GTK's
 * thread only. */

#pragma once

#include "gtk/jank-gtk-names-private.h"
#include "observe/jank-own-time-private.h"

/* own (nullable): stays valid until jank_inspector_time_stop(). */
void         jank_inspector_time_start   (JankOwnTime *own);
void         jank_inspector_time_stop    (void);

/* Always there: while stopped, what nobody reads. */
JankOwnTime *jank_inspector_time_get     (void);

/* The inspector is being made; that is its window. */
void         jank_inspector_time_confirm (void);
void         jank_inspector_time_watch   (GtkWidget *window);
