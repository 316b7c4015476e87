/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reports whose first sentence is checked. */

#pragma once

#include "base/jank-clock-private.h"
#include "text/jank-text-report-private.h"
#include "report-fixture.h"
#include "test.h"

#define ID "20261121-153012-4242-1"
#define WHAT "Main loop stalled for 1.24 s (hang): "
#define WHO "compute_primes() (demo.c:123) "

/* What goes to another process makes the same words there. */
static inline void
check_gist (JankReport *report)
{
  g_autoptr (JankReport) gist = jank_text_gist (report);
  g_autofree char *doing = jank_text_doing (report), *culprit = jank_text_culprit (report);
  g_autofree char *gist_doing = jank_text_doing (gist), *gist_culprit = NULL;

  gist->culprit.file = g_strdup (report->culprit.file);
  gist->culprit.line = report->culprit.line;
  gist_culprit = jank_text_culprit (gist);
  g_assert_cmpstr (gist_doing, ==, doing);
  g_assert_cmpstr (gist_culprit, ==, culprit);
}

static inline void
assert_headline (JankReport *report, const char *expected)
{
  g_autofree char *headline = jank_text_headline (report), *cause = jank_text_cause (report);

  check_gist (report);
  g_assert_cmpstr (headline, ==, expected);
  /* `run` says the cause alone. */
  if (cause != NULL && !report->locks.deadlock && !jank_report_is_idle (report))
    g_assert_true (g_str_has_suffix (headline, cause));
}

/* All of the culprit's samples were in state, and waited for wait (transfer full) (nullable). */
static inline JankReport *
new_report (JankThreadState state, JankReportWait *wait)
{
  JankReport *report = report_fixture_new (ID);

  for (guint i = 0; i < report->samples->len; i++)
    ((JankReportSample *) report->samples->pdata[i])->state = state;
  ((JankReportSample *) report->samples->pdata[1])->wait = wait;
  for (guint i = 0; i < JANK_N_STATES; i++)
    report->stall.state_ns[i] = 0;
  return report;
}

static inline JankReportWait *
new_wait (const char *kind, const char *syscall, const char *target, const char *filesystem)
{
  JankReportWait *wait = jank_report_wait_new ();

  wait->kind = g_strdup (kind);
  wait->syscall = g_strdup (syscall);
  wait->target = g_strdup (target);
  wait->filesystem = g_strdup (filesystem);
  wait->mount = target == NULL && filesystem != NULL ? g_strdup ("/n") : NULL;
  return wait;
}
