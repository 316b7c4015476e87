/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The inspector's page “Jank”: four tabs. Works only while mapped. */

#pragma once

#include "gtk/jank-gtk-names-private.h"

#define JANK_TYPE_INSPECTOR_PAGE (jank_inspector_page_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorPage, jank_inspector_page, JANK, INSPECTOR_PAGE, GtkBox)
