/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sees every input event before its handlers do. Takes its time, and notes for whom it is; keeps no event, widget or
 * surface, and allocates nothing while it handles one. GTK's thread only. */

#pragma once

#include "gtk/jank-gtk-plugin-private.h"
#include "gtk/jank-gtk-names-private.h"

/* host: stays valid until jank_input_hook_stop(). */
void            jank_input_hook_start     (const JankGtkHost *host);
void            jank_input_hook_stop      (void);

/* Valid from the first start on; others may read it on any thread. */
JankInputBoard *jank_input_hook_get_board (void);
