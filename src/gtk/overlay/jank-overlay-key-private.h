/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A key for the whole program, which none of its widgets and controllers sees. GTK's thread only. */

#pragma once

#include "gtk/jank-gtk-names-private.h"

/* accelerator: for gtk_accelerator_parse(); one that cannot be parsed is ignored. */
void jank_overlay_key_start (const char *accelerator, void (*pressed) (void));
void jank_overlay_key_stop  (void);
