/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The names of enumeration values as they stand in the report schema. They never change and are never
 * translated. Pure; any thread. */

#include "config.h"

#include "report/jank-report-private.h"

static const char *const kind_nicks[] = { "stall", "startup", "frame", "spin", "cpu" };
static const char *const severity_nicks[] = { "minor", "microhang", "hang", "frozen" };
static const char *const outcome_nicks[] = { "ongoing", "recovered", "exited", "killed" };

static const char *const state_nicks[] = { NULL, "computing", "preempted", "page-fault", "blocked" };

G_STATIC_ASSERT (G_N_ELEMENTS (state_nicks) == JANK_N_STATES);

static gint
find_nick (const char *const *nicks, guint n_nicks, const char *nick)
{
  for (guint i = 0; i < n_nicks; i++)
    if (g_strcmp0 (nicks[i], nick) == 0)
      return (gint) i;
  return -1;
}

const char *
jank_report_kind_to_nick (JankReportKind kind)
{
  g_assert ((guint) kind < G_N_ELEMENTS (kind_nicks));
  return kind_nicks[kind];
}

gboolean
jank_report_kind_is_stall (JankReportKind kind)
{
  return kind == JANK_REPORT_STALL || kind == JANK_REPORT_STARTUP;
}

gboolean
jank_report_kind_from_nick (const char *nick, JankReportKind *ret_kind)
{
  gint i = find_nick (kind_nicks, G_N_ELEMENTS (kind_nicks), nick);

  if (i >= 0)
    *ret_kind = (JankReportKind) i;
  return i >= 0;
}

const char *
jank_severity_to_nick (JankSeverity severity)
{
  g_assert ((guint) severity < G_N_ELEMENTS (severity_nicks));
  return severity_nicks[severity];
}

gboolean
jank_severity_from_nick (const char *nick, JankSeverity *ret_severity)
{
  gint i = find_nick (severity_nicks, G_N_ELEMENTS (severity_nicks), nick);

  if (i >= 0)
    *ret_severity = (JankSeverity) i;
  return i >= 0;
}

const char *
jank_outcome_to_nick (JankOutcome outcome)
{
  g_assert ((guint) outcome < G_N_ELEMENTS (outcome_nicks));
  return outcome_nicks[outcome];
}

gboolean
jank_outcome_from_nick (const char *nick, JankOutcome *ret_outcome)
{
  gint i = find_nick (outcome_nicks, G_N_ELEMENTS (outcome_nicks), nick);

  if (i >= 0)
    *ret_outcome = (JankOutcome) i;
  return i >= 0;
}

const char *
jank_report_state_to_nick (JankThreadState state)
{
  g_assert ((guint) state < G_N_ELEMENTS (state_nicks));
  return state_nicks[state];
}

JankThreadState
jank_report_state_from_nick (const char *nick)
{
  gint i = nick != NULL ? find_nick (state_nicks, G_N_ELEMENTS (state_nicks), nick) : -1;

  return i > 0 ? (JankThreadState) i : JANK_STATE_UNKNOWN;
}
