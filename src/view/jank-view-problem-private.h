/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A problem as an item of the list. Main thread. */

#pragma once

#include "view/jank-view-item-private.h"
#include "view/jank-view-source-private.h"

#define JANK_TYPE_VIEW_PROBLEM (jank_view_problem_get_type ())
G_DECLARE_FINAL_TYPE (JankViewProblem, jank_view_problem, JANK, VIEW_PROBLEM, JankViewItem)

/* problem: of list, to which a reference is kept */
JankViewProblem   *jank_view_problem_new          (JankViewList *list, const JankProblem *problem);
const JankProblem *jank_view_problem_get          (JankViewProblem *self);
const JankViewList *jank_view_problem_get_list    (JankViewProblem *self);
gboolean           jank_view_problem_get_resolved (JankViewProblem *self);
void               jank_view_problem_set_resolved (JankViewProblem *self, gboolean resolved);

/* needle: case-folded. Whether it is in the culprit, a program or the reason. */
gboolean           jank_view_problem_has_text     (JankViewProblem *self, const char *needle);

/* All that the list has no room for, as one paragraph. Returns: (transfer full) */
char              *jank_view_problem_describe     (JankViewProblem *self);
