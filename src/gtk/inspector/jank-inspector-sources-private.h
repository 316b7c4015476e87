/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ten sources that took most of the loop's time since the last update. */

#pragma once

#include "gtk/jank-gtk-names-private.h"
#include "gtk/jank-inspector-host-private.h"

#define JANK_TYPE_INSPECTOR_SOURCES (jank_inspector_sources_get_type ())
G_DECLARE_FINAL_TYPE (JankInspectorSources, jank_inspector_sources, JANK, INSPECTOR_SOURCES, GtkBox)

/* own_ns: the part of elapsed_ns that the loop spent on the inspector. */
void jank_inspector_sources_update (JankInspectorSources *self, const JankInspectorHost *host, gint64 elapsed_ns,
                                    gint64 own_ns);
/* The next update starts over. */
void jank_inspector_sources_reset  (JankInspectorSources *self);
