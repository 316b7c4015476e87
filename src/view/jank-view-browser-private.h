/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page of what was recorded: programs › problems › one stall. */

#pragma once

#include "view/jank-view-source-private.h"
#include "view/jank-view-split-private.h"

#define JANK_TYPE_VIEW_BROWSER (jank_view_browser_get_type ())
G_DECLARE_FINAL_TYPE (JankViewBrowser, jank_view_browser, JANK, VIEW_BROWSER, JankViewSplit)

/* source: a reference is kept. Begins to read it. */
void jank_view_browser_set_source (JankViewBrowser *self, JankViewSource *source);
/* Where a person writes what to look for. */
void jank_view_browser_search     (JankViewBrowser *self);
/* To another report of the problem. */
void jank_view_browser_step       (JankViewBrowser *self, gint n_newer);
