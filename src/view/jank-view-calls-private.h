/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The calls of a stall as a tree: from the loop inwards, or from where the time went to who called that. The
 * heaviest path is unfolded. Filled when it is first seen. Main thread. */

#pragma once

#include <gtk/gtk.h>

#include "report/jank-report-private.h"

#define JANK_TYPE_VIEW_CALLS (jank_view_calls_get_type ())
G_DECLARE_FINAL_TYPE (JankViewCalls, jank_view_calls, JANK, VIEW_CALLS, GtkBox)

JankViewCalls *jank_view_calls_new        (void);
/* report (nullable): a reference is kept */
void           jank_view_calls_set_report (JankViewCalls *self, JankReport *report);
