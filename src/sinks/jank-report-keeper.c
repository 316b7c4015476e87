/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "sinks/jank-report-keeper-private.h"

#include "base/jank-clock-private.h"
#include "report/jank-brief-stacks-private.h"
#include "report/jank-report-private.h"
#include "store/jank-occurrences-private.h"
#include "store/jank-store-private.h"

struct _JankReportKeeper
{
  /* (owned) (nullable): from started() on */
  JankStore       *store;
  JankOccurrences *occurrences;
};

static JankStore *
open_store (const JankSettings *settings)
{
  return jank_store_new (settings->store, settings->max_reports, settings->max_bytes);
}

JankReportKeeper *
jank_report_keeper_new (void)
{
  return g_new0 (JankReportKeeper, 1);
}

static void
report_keeper_started (gpointer data, JankRecord *record)
{
  JankReportKeeper *self = data;

  self->store = open_store (record->settings);
  self->occurrences = jank_occurrences_new (self->store, record->settings);
}

static void
report_keeper_free (gpointer data)
{
  JankReportKeeper *self = data;

  g_clear_pointer (&self->occurrences, jank_occurrences_free);
  g_clear_pointer (&self->store, jank_store_free);
  g_free (self);
}

static void
report_keeper_changed (gpointer data, JankRecord *record)
{
  JankReportKeeper *self = data;

  jank_store_free (self->store);
  self->store = open_store (record->settings);
  jank_occurrences_set_settings (self->occurrences, self->store, record->settings);
}

static void
report_keeper_ongoing (gpointer data, JankRecord *record, JankReport *report)
{
  jank_occurrences_ongoing (((JankReportKeeper *) data)->occurrences, report, &record->error);
}

static void
report_keeper_ended (gpointer data, JankRecord *record, const JankStall *stall, JankReport *report)
{
  JankReportKeeper *self = data;

  jank_occurrences_ended (self->occurrences, report, jank_clock_now_ns (), &record->error);
  jank_brief_stacks_add_stall (record->briefs, stall, report->id, report->culprit.function);
}

static void
report_keeper_exiting (gpointer data, JankRecord *record)
{
  jank_occurrences_flush (((JankReportKeeper *) data)->occurrences, &record->error);
}

const JankSinkFuncs jank_report_keeper_sink = {
  .started = report_keeper_started,
  .changed = report_keeper_changed,
  .ongoing = report_keeper_ongoing,
  .ended = report_keeper_ended,
  .exiting = report_keeper_exiting,
  .free = report_keeper_free,
};
