/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A problem as an item of the list. Main thread. */

#pragma once

#include "view/jank-view-item-private.h"

/* problem: of list, to which a reference is kept */
JankViewItem *jank_view_problem_new          (JankViewList *list, const JankProblem *problem);
void          jank_view_problem_set_resolved (JankViewItem *self, gboolean resolved);

/* needle: case-folded. Whether it is in the culprit, a program or the reason. */
gboolean      jank_view_problem_has_text     (const JankViewItem *self, const char *needle);

/* All that the list has no room for, as one paragraph. Returns: (transfer full) */
char         *jank_view_problem_describe     (const JankViewItem *self);
