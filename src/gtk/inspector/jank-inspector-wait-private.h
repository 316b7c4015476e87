/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a thread did, short enough for a table's cell. Pure. */

#pragma once

#include "report/jank-report-private.h"

/* wait: (nullable). Returns: (transfer full): "Computing", "Sleep", "File: /a/b" … */
char *jank_inspector_wait_describe  (JankThreadState state, const JankReportWait *wait);

/* Returns: (transfer full): what took most of the stall; "" when unknown */
char *jank_inspector_wait_summarize (JankReport *report);
