/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What of libadwaita the window uses: of jank-view-toolkit-adwaita.c and -plain.c one is built. The latter has
 * plain GTK's stand-ins for libadwaita's types, by the names that the templates know. Main thread. */

#pragma once

#include <gtk/gtk.h>

/* Once, where there is a display; templates can be read from then on. */
void            jank_view_toolkit_init (void);
/* Returns: (transfer full) */
GtkApplication *jank_view_toolkit_new_application (const char *id);
