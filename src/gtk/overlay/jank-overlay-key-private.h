/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A key for the whole program that no widget and no controller of it sees. GTK's thread only. */

#pragma once

#include <gtk/gtk.h>

/* accelerator: as gtk_accelerator_parse() has it; one that it does not understand is no key. */
void jank_overlay_key_start (const char *accelerator, void (*pressed) (void));
void jank_overlay_key_stop  (void);
