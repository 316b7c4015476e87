/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tab “Settings”: changes take effect at once, and are kept only on request. Signal “changed”. */

#pragma once

#include "gtk/jank-gtk-names-private.h"

#define JANK_TYPE_INSPECTOR_SETTINGS (jank_inspector_settings_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorSettings, jank_inspector_settings, JANK, INSPECTOR_SETTINGS, GtkBox)

void jank_inspector_settings_update (JankInspectorSettings *self);
