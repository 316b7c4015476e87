/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writes JSON that is made nowhere else: by templates. Any thread. */

#pragma once

#include <glib.h>

/* Adds members or elements to an object or list that is open. format: JSON with ' for "; %s is a text, which gets its
 * quotes, %d a boolean, %li, %lx and %g are numbers. */
void jank_json_put      (GString *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* text (nullable): cleaned as by jank_text_clean(); writes nothing, as an empty one. */
void jank_json_put_text (GString *self, const char *name, const char *text);
