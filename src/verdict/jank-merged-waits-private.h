/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the samples of a report wait for, once several calls on one file, or on the files of one mount, are one wait.
 * Any thread. */

#pragma once

#include "base/jank-each-private.h"
#include "report/jank-report-private.h"

typedef struct _JankMergedWaits JankMergedWaits;

JankMergedWaits      *jank_merged_waits_new      (JankReport *report);
void                  jank_merged_waits_free     (JankMergedWaits *self);
/* Of the report's sample of that number. Several calls on one file are one wait, without a system call; so are the
 * files of one mount where none stands out, without a target. Returns: (transfer none) (nullable): it waited for
 * nothing */
const JankReportWait *jank_merged_waits_get      (JankMergedWaits *self, guint sample);
gboolean              jank_merged_waits_are_same (const JankReportWait *a, const JankReportWait *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankMergedWaits, jank_merged_waits_free)
