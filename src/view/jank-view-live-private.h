/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The page of what runs now: watched programs, and of one that hangs the path so far, while it grows, and the chain of
 * waits. Looks while it is shown. */

#pragma once

#include "view/jank-view-split-private.h"

#define JANK_TYPE_VIEW_LIVE (jank_view_live_get_type ())
G_DECLARE_FINAL_TYPE (JankViewLive, jank_view_live, JANK, VIEW_LIVE, JankViewSplit)

void jank_view_live_set_folder (JankViewLive *self, const char *store_folder);
