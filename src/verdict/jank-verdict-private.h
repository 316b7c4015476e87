/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* From the facts of a report to what they mean. Pure: it reads the report and nothing else. Any thread. */

#pragma once

#include "report/jank-report-private.h"

/* What the report says at present. Returns: (transfer full) */
JankReportVerdict *jank_verdict_find       (JankReport *report);

/* Gives the report its verdict, in place of the one that it has: once it is built, and after its names have changed. */
void               jank_verdict_update     (JankReport *report);

/* jank_report_from_json(); an older report gets the verdict, or the part of one, that it lacks. */
JankReport        *jank_verdict_load       (const char *text, gsize n_bytes, GError **error);

/* The step of the heaviest path that advice is about, JANK_REPORT_NO_INDEX without. ret_advice: (transfer full)
 * (nullable): what to call instead, “g_timeout_add() does not block the main loop” */
gint               jank_verdict_find_advised (JankReport *report, char **ret_advice);

/* Returns: (transfer full) (nullable): that alone */
static inline char *
jank_verdict_get_advice (JankReport *report)
{
  char *advice;

  jank_verdict_find_advised (report, &advice);
  return advice;
}

/* Which of a stack's calls are not shown: an interpreter's, where those of the script stand for them, and a library's
 * on its way into the kernel. calls: guint, of the report. Returns: (transfer full) (element-type gboolean) */
GArray            *jank_verdict_find_hidden (JankReport *report, const GArray *calls);

/* Parts of the verdict, for jank-verdict.c. */
void               jank_verdict_find_callee (JankReport *report, JankReportVerdict *verdict);
void               jank_verdict_find_parts  (JankReport *report, JankReportVerdict *verdict);
void               jank_verdict_find_waker  (JankReport *report, JankReportVerdict *verdict);
/* Where GLib's loop has called it, what runs the loop has not. */
gboolean           jank_verdict_is_dispatch (JankReport *report, const JankReportCall *call);
/* Returns: TRUE: an interpreter's garbage collector is the culprit, or was asked for by it */
gboolean           jank_verdict_find_collector (JankReport *report, JankReportVerdict *verdict);
