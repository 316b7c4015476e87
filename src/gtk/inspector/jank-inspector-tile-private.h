/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A figure with its name above and a remark below. Properties “name-text” (construct-only), “value”, “remark” and
 * “tone” (string: "", "success", "warning" or "error"). */

#pragma once

#include "gtk/jank-gtk-names-private.h"

#define JANK_TYPE_INSPECTOR_TILE (jank_inspector_tile_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorTile, jank_inspector_tile, JANK, INSPECTOR_TILE, GtkBox)

/* value, remark: (transfer full) */
void jank_inspector_tile_set (JankInspectorTile *self, char *value, char *remark, const char *tone);
