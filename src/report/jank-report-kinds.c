/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One row a kind of report; what people are told of it is a row of text/jank-text-headline.c. */

#include "report/jank-report-build-private.h"

const char *const jank_report_kind_nicks[] = { JANK_REPORT_KIND_NICKS };

static const struct
{
  gboolean is_stall; /* the loop did not turn */
  gboolean is_wait;  /* it did, and a person or a frame waited for what it dispatched */
} kinds[JANK_N_REPORT_KINDS] = {
  [JANK_REPORT_STALL] = { .is_stall = TRUE },
  [JANK_REPORT_STARTUP] = { .is_stall = TRUE },
  [JANK_REPORT_FRAME] = { .is_wait = TRUE },
  [JANK_REPORT_INPUT] = { .is_wait = TRUE },
};

const JankReportKind jank_report_kind_of[] = {
  [JANK_STALL_LOOP] = JANK_REPORT_STALL,
  [JANK_STALL_STARTUP] = JANK_REPORT_STARTUP,
  [JANK_STALL_SPIN] = JANK_REPORT_SPIN,
  [JANK_STALL_CPU] = JANK_REPORT_CPU,
  [JANK_STALL_FRAMES] = JANK_REPORT_FRAME,
  [JANK_STALL_DUMP] = JANK_REPORT_DUMP,
  [JANK_STALL_STARVED] = JANK_REPORT_FRAME,
  [JANK_STALL_INPUT] = JANK_REPORT_INPUT,
};

const char *
jank_report_kind_to_nick (JankReportKind kind)
{
  g_assert ((guint) kind < JANK_N_REPORT_KINDS);
  return jank_report_kind_nicks[kind];
}

gboolean
jank_report_kind_is_stall (JankReportKind kind)
{
  return kinds[kind].is_stall;
}

gboolean
jank_report_kind_is_wait (JankReportKind kind)
{
  return kinds[kind].is_wait;
}
