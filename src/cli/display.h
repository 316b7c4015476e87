/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A display for the demo program where there is none: Xvfb, for as long as the demo runs. */

#pragma once

#include <glib.h>

typedef struct _Display Display;

/* Whether the environment already names a display. */
gboolean    display_is_set   (void);

/* Waits until the server answers. Returns: (transfer full) (nullable) */
Display    *display_new      (GError **error);

/* Ends the server and waits for it. */
void        display_free     (Display *self);

/* Variables for a program on it, "NAME=value"; self (nullable). Returns: (transfer none) (nullable) */
const char *const *display_get_environment (const Display *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Display, display_free)
