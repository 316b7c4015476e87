/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The programs of a list as rows: all of them, then those with the most time first. Main thread. */

#pragma once

#include "view/jank-view-item-private.h"

/* Returns: (transfer full) (element-type JankViewItem) */
GPtrArray *jank_view_programs_new    (JankViewList *list);
/* program (nullable): all of them */
gboolean   jank_view_program_has     (const JankViewItem *program, const JankProblem *problem);
