/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A display for a program where there is none: Xvfb, from the beginning of a demo to its end. */

#pragma once

#include <glib.h>

typedef struct _Display Display;

/* Whether the environment already names a display. */
gboolean    display_is_set   (void);

/* Waits until the server answers. Returns: (transfer full) (nullable) */
Display    *display_new      (GError **error);

/* Ends the server and waits for it. */
void        display_free     (Display *self);

/* ":99" */
const char *display_get_name (Display *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Display, display_free)
