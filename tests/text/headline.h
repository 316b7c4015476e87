/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reports whose first sentence is checked. */

#pragma once

#include "base/jank-clock-private.h"
#include "live/jank-live-file-private.h"
#include "text/jank-text-report-private.h"
#include "verdict/jank-verdict-private.h"
#include "report-fixture.h"
#include "test.h"

#define ID "20261121-153012-4242-1"
#define WHAT "Main loop stalled for 1.24 s (hang): "
#define WHO "compute_primes() (demo.c:123) "
/* Edits: all of the culprit's samples were in that state, and no other is known to have had a share. */
#define NO_STATES "stall.computing_ns=0; stall.blocked_ns=0"
#define ALL(state) "samples.*.state=" state "; " NO_STATES

/* What goes to another process makes the same words there. */
static inline void
check_gist (JankReport *report)
{
  g_autoptr (JankReport) gist = jank_live_gist_new (report);
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
  g_autofree char *headline = NULL, *cause = NULL;

  jank_verdict_update (report);
  headline = jank_text_headline (report);
  cause = jank_text_cause (report);
  check_gist (report);
  g_assert_cmpstr (headline, ==, expected);
  /* `run` says the cause alone. */
  if (cause != NULL && !report->locks.deadlock && !jank_report_is_idle (report))
    g_assert_true (g_str_has_suffix (headline, cause));
}

/* What is changed in the handmade report, and its first sentence then. */
typedef struct
{
  const char *name, *edits, *expected;
} HeadlineRow;

static inline void
headline_check (gconstpointer data)
{
  const HeadlineRow *row = data;
  g_autoptr (JankReport) report = report_fixture_new_edited (row->edits);

  assert_headline (report, row->expected);
}

static inline void
headline_check_bare (gconstpointer data)
{
  const HeadlineRow *row = data;
  g_autoptr (JankReport) report = report_fixture_new_bare_edited (row->edits);

  assert_headline (report, row->expected);
}
