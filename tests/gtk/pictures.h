/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures of what a person sees, kept in the build folder. */

#pragma once

#include <glib.h>

/* Returns: (transfer full): of a PNG file; the language of the environment is part of its name */
char *pictures_path      (const char *name);
/* pixels: 0x??RRGGBB. Returns: the mean, in percent of white */
int   pictures_lightness (const guint32 *pixels, gsize n_pixels);
