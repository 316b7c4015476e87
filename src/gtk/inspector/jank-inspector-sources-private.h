/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the loop's time goes: the ten sources that took most of it since the last update. */

#pragma once

#include <gtk/gtk.h>

#include "gtk/jank-inspector-host-private.h"

#define JANK_TYPE_INSPECTOR_SOURCES (jank_inspector_sources_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorSources, jank_inspector_sources, JANK, INSPECTOR_SOURCES, GtkBox)

/* own_ns: what of elapsed_ns the loop spent on the inspector. */
void jank_inspector_sources_update (JankInspectorSources *self, const JankInspectorHost *host, gint64 elapsed_ns, gint64 own_ns);
/* The next update begins anew. */
void jank_inspector_sources_reset  (JankInspectorSources *self);
