/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tables of a report, whose rows stand below the structs in the headers. Names and nicks never change and are
 * never translated. Pure; any thread. */

#define JANK_REPORT_FIELDS
#include "report/jank-report-private.h"

const char *const jank_severity_nicks[] = { "minor", "microhang", "hang", "frozen" };
const char *const jank_outcome_nicks[] = { "ongoing", "recovered", "exited", "killed" };

static gboolean
finish_call (gpointer self)
{
  JankReportCall *call = self;

  call->symbol_offset = MIN (call->symbol_offset, call->offset);
  return TRUE;
}

static gboolean
finish_step (gpointer self)
{
  return ((JankReportStep *) self)->call != JANK_REPORT_NO_INDEX;
}

static gboolean
finish_branch (gpointer self)
{
  return ((JankReportBranch *) self)->step.call != JANK_REPORT_NO_INDEX;
}

static gboolean
finish_tag (gpointer self)
{
  JankReportTag *tag = self;

  return tag->name != NULL && tag->value != NULL;
}

static gboolean
finish_stall (gpointer self)
{
  JankReport *report = self;

  if ((gint) report->stall.severity < 0)
    report->stall.severity = jank_severity_of (report->stall.duration_ns);
  return TRUE;
}

static gboolean
finish_chain (gpointer self)
{
  JankReportChain *chain = self;

  chain->closes_at = chain->closes_at < (gint) chain->links->len ? chain->closes_at : -1;
  return chain->links->len > 0;
}

static gboolean
finish_verdict_wait (gpointer self)
{
  return ((JankReportVerdictWait *) self)->wait != NULL;
}

static gboolean
finish_verdict_part (gpointer self)
{
  return ((JankReportVerdictPart *) self)->function != NULL;
}

/* One of a newer version, or that says what its waits do not, is found again. */
static gboolean
finish_verdict (gpointer self)
{
  const JankReportVerdict *verdict = self;
  gint n_waits = (gint) verdict->waits->len;

  return (gint) verdict->kind >= 0 && (gint) verdict->doing >= 0 && verdict->wait < n_waits &&
         verdict->second < n_waits &&
         (verdict->kind != JANK_VERDICT_TWO_WAITS || MIN (verdict->wait, verdict->second) >= 0) &&
         (verdict->kind != JANK_VERDICT_KERNEL || verdict->kernel != NULL) &&
         (verdict->kind != JANK_VERDICT_GARBAGE_COLLECTOR || verdict->collector != NULL) &&
         verdict->parts->len % 2 == 0;
}

static gboolean
finish_numbers (gpointer self)
{
  JankFrameNumbers *numbers = self;

  numbers->fps_now = JANK_FRAME_NO_FPS;
  numbers->hitch_band = jank_hitch_band (numbers->hitch_ms_per_s);
  return TRUE;
}

static gboolean
finish_frame_clock (gpointer self)
{
  return ((JankReportFrameClock *) self)->numbers.counts.frames > 0;
}

static gboolean
jank_report_fields_has_thread (JankReport *report, gint tid)
{
  for (guint i = 0; i < report->threads->len; i++)
    if (((JankReportThread *) g_ptr_array_index (report->threads, i))->tid == tid)
      return TRUE;
  return FALSE;
}

/* Locks are of threads that are there. */
static gboolean
finish_report (gpointer self)
{
  JankReport *report = self;

  for (guint i = report->locks.chain->len; i > 0; i--)
    if (!jank_report_fields_has_thread (report, g_array_index (report->locks.chain, gint, i - 1)))
      g_array_remove_index (report->locks.chain, i - 1);
  /* A caller stands before what it calls. */
  for (guint i = 0; i < report->heaviest.branches->len; i++)
    {
      JankReportBranch *branch = &g_array_index (report->heaviest.branches, JankReportBranch, i);

      if (branch->from >= (gint) (report->heaviest.path->len + i))
        branch->from = JANK_REPORT_NO_INDEX;
    }
  report->locks.deadlock = report->locks.deadlock && report->locks.chain->len > 0;
  return TRUE;
}
