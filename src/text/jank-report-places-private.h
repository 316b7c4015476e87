/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where in its functions the samples of a report were: how much of a function's time is in a call that the compiler
 * inlined into it. One thread. */

#pragma once

#include "report/jank-report-private.h"

typedef struct _JankReportPlaces JankReportPlaces;

/* One call of a function, with the samples that it is on the stack of; of a recursion, the innermost call. */
typedef struct
{
  guint  call;
  gint64 total_ns, self_ns; /* self: with nothing inside but what was inlined */
} JankReportPlace;

/* report: its samples, and where its functions begin, must not change while the places are there. */
JankReportPlaces  *jank_report_places_new    (JankReport *report);
void               jank_report_places_free   (JankReportPlaces *self);

/* All places of the function of calls[call]. Returns: (transfer full) (element-type JankReportPlace) */
GArray            *jank_report_places_find   (JankReportPlaces *self, guint call);

/* What was inlined at a place, depth 0 the outermost. Returns: (nullable): nothing that deep */
const JankReportInlined *jank_report_places_get_inlined (JankReportPlaces *self, guint call, guint depth);

/* Of the places, with the function called name at that depth; NULL: with nothing inlined that deep. */
JankReportPlace    jank_report_places_sum    (JankReportPlaces *self, const GArray *places, guint depth,
                                              const char *name);
/* Leaves those alone. */
void               jank_report_places_keep   (JankReportPlaces *self, GArray *places, guint depth, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankReportPlaces, jank_report_places_free)
