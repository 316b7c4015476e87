/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One line of a comparison as an item of a list: a figure, or a problem. Main thread. */

#pragma once

#include "view/jank-view-item-private.h"
#include "view/jank-view-comparison-private.h"

#define JANK_TYPE_VIEW_CLAIM (jank_view_claim_get_type ())
G_DECLARE_FINAL_TYPE (JankViewClaim, jank_view_claim, JANK, VIEW_CLAIM, JankViewItem)

/* i: below JANK_N_METRICS a figure, then a problem. A reference is kept. */
JankViewClaim *jank_view_claim_new             (JankViewComparison *comparison, guint i);
/* Returns: (nullable): it is a figure */
const char    *jank_view_claim_get_fingerprint (JankViewClaim *self);
