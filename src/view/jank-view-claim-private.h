/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One line of a comparison as an item of a list: a figure, or a problem. Main thread. */

#pragma once

#include "compare/jank-comparison-private.h"
#include "view/jank-view-item-private.h"

/* i: below JANK_N_METRICS a figure, then a problem. */
JankViewItem *jank_view_claim_new             (const JankComparison *comparison, guint i);
/* Returns: (nullable): it is a figure */
const char   *jank_view_claim_get_fingerprint (const JankComparison *comparison, guint i);
