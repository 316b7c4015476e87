/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page that compares two sets of sessions, as `jankwatch diff` does. Signal “problem-wanted” (fingerprint). */

#pragma once

#include <gtk/gtk.h>

#include "view/jank-view-comparison-private.h"

#define JANK_TYPE_VIEW_COMPARE (jank_view_compare_get_type ())
G_DECLARE_FINAL_TYPE (JankViewCompare, jank_view_compare, JANK, VIEW_COMPARE, GtkBox)

/* sets (element-type utf8): what is offered; the first two are what is compared first. */
void jank_view_compare_set_source (JankViewCompare *self, JankViewSource *source, GPtrArray *sets);
