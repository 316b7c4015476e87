/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tab “Now”: frame rate, hitch ratio, the loop, its time by source, and our own cost. */

#pragma once

#include "gtk/jank-gtk-names-private.h"

#define JANK_TYPE_INSPECTOR_NOW (jank_inspector_now_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorNow, jank_inspector_now, JANK, INSPECTOR_NOW, GtkBox)

/* Shows the last second, if one has passed. */
void jank_inspector_now_look (JankInspectorNow *self);
