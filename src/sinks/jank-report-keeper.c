/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sinks/jank-sinks-private.h"

#include "base/jank-clock-private.h"
#include "report/jank-brief-stacks-private.h"
#include "report/jank-report-private.h"
#include "store/jank-occurrences-private.h"
#include "store/jank-store-private.h"

/* Of one program. Whoever asks for ever does not push the reports of stalls out of the store. */
#define MAX_DUMPS 8

struct _JankReportKeeper
{
  /* (owned) (nullable): from started() on */
  JankStore       *store;
  JankOccurrences *occurrences;

  char            *dumps[MAX_DUMPS]; /* (owned) (nullable): ids of the newest */
  guint            n_dumps;
};

JankReportKeeper *
jank_report_keeper_new (void)
{
  return g_new0 (JankReportKeeper, 1);
}

static void
jank_report_keeper_started (gpointer data, JankRecord *record)
{
  JankReportKeeper *self = data;

  self->store = jank_store_new (record->settings->store, record->settings->max_reports, record->settings->max_bytes);
  self->occurrences = jank_occurrences_new (self->store, record->settings);
}

static void
jank_report_keeper_free (gpointer data)
{
  JankReportKeeper *self = data;

  g_clear_pointer (&self->occurrences, jank_occurrences_free);
  g_clear_pointer (&self->store, jank_store_free);
  for (guint i = 0; i < MAX_DUMPS; i++)
    g_free (self->dumps[i]);
  g_free (self);
}

static void
jank_report_keeper_changed (gpointer data, JankRecord *record)
{
  JankReportKeeper *self = data;

  jank_store_free (self->store);
  self->store = jank_store_new (record->settings->store, record->settings->max_reports, record->settings->max_bytes);
  jank_occurrences_set_settings (self->occurrences, self->store, record->settings);
}

static void
jank_report_keeper_ongoing (gpointer data, JankRecord *record, JankReport *report)
{
  jank_occurrences_ongoing (((JankReportKeeper *) data)->occurrences, report, &record->error);
}

static void
jank_report_keeper_ended (gpointer data, JankRecord *record, const JankStall *stall, JankReport *report)
{
  JankReportKeeper *self = data;

  jank_occurrences_ended (self->occurrences, report, jank_clock_now_ns (), &record->error);
  jank_brief_stacks_add_stall (record->briefs, stall, report->id, report->culprit.function);
}

/* Has no fingerprint: it is no problem, and equals no other. */
static void
jank_report_keeper_dumped (gpointer data, JankRecord *record, JankReport *report)
{
  JankReportKeeper *self = data;
  char **oldest = &self->dumps[self->n_dumps % MAX_DUMPS];

  report->id = jank_store_make_id ();
  if (!jank_store_write (self->store, report, record->error == NULL ? &record->error : NULL))
    {
      g_clear_pointer (&report->id, g_free);
      return;
    }
  if (*oldest != NULL)
    jank_store_remove (self->store, *oldest, NULL);
  jank_set_text (oldest, report->id);
  self->n_dumps++;
}

static void
jank_report_keeper_exiting (gpointer data, JankRecord *record)
{
  jank_occurrences_flush (((JankReportKeeper *) data)->occurrences, &record->error);
}

const JankSinkFuncs jank_report_keeper_sink = {
  .started = jank_report_keeper_started,
  .changed = jank_report_keeper_changed,
  .ongoing = jank_report_keeper_ongoing,
  .ended = jank_report_keeper_ended,
  .dumped = jank_report_keeper_dumped,
  .exiting = jank_report_keeper_exiting,
  .free = jank_report_keeper_free,
};
