/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the inspector shows under “Jank”: four tabs. Works while it is mapped, and only then. */

#pragma once

#include <gtk/gtk.h>

#define JANK_TYPE_INSPECTOR_PAGE (jank_inspector_page_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorPage, jank_inspector_page, JANK, INSPECTOR_PAGE, GtkBox)
