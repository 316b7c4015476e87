/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frames of a compositor of mutter's, such as GNOME Shell, as a plug-in that is always there: it calls no
 * toolkit. */

#pragma once

#include "gtk/jank-gtk-plugin-private.h"

/* The compositor's thread: whether it has a stage. */
gboolean             jank_clutter_frames_has_stage (void);
const JankGtkPlugin *jank_clutter_frames_get       (void);
