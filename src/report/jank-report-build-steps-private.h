/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The steps of jank_report_build(). Watcher thread only. */

#pragma once

#include "blame/jank-culprit-private.h"
#include "report/jank-report-builder-private.h"

/* Before calls are resolved. */
void            jank_report_find_heaviest (JankReportBuilder *self, JankPick pick);
void            jank_report_add_threads   (JankReportBuilder *self);
void            jank_report_add_sources   (JankReportBuilder *self);
/* wait (nullable); number: of the system call, -1: none. Returns: (transfer full) (nullable) */
JankReportWait *jank_report_wait_from     (const JankWait *wait, gint number);

/* After calls are resolved. */
void            jank_report_find_culprit  (JankReportBuilder *self);
void            jank_report_name_locks    (JankReport *report);
JankCulpritStep jank_report_build_get_step (JankReport *report, const JankReportCall *call);
/* path: of the report, as many as it has. Returns: how many of them are known not to have returned */
guint           jank_report_build_count_nesting (JankReport *report, const JankCulpritStep *path);
