/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A report under construction. Calls are gathered first, each once, and stacks, path and sources refer to them by
 * index; then all calls are resolved in one batch. Watcher thread only. */

#pragma once

#include "base/jank-each-private.h"
#include "report/jank-report-build-private.h"
#include "symbols/jank-symbols-private.h"

typedef struct
{
  /* set at construction */
  const JankStall    *stall;
  JankCodeMap        *map;
  JankReport         *report;
  const JankSample   *samples; /* of the ring, oldest first */
  guint               n_samples;
  const JankCallNode *nodes;
  guint               n_nodes;
  JankLedgerRow      *rows;    /* (owned) (nullable): of the sources, heaviest first */
  guint               n_rows;

  GArray             *calls;   /* (owned) JankCall, as in report->calls; never grows beyond its first size */
  GHashTable         *index;   /* (owned) JankCall in calls → its index */
  GPtrArray          *stacks;  /* (owned) JankStack, borrowed, as in report->stacks */
  GHashTable         *notes;   /* (owned) function → text, (owned): what the stacks say that it is called for */
  JankSymbol         *symbols; /* (owned) one per call */
  guint               first_of_threads, end_of_threads; /* calls that only other threads make */
} JankReportBuilder;

void        jank_report_builder_init         (JankReportBuilder *self, const JankStall *stall, JankCodeMap *map,
                                              const JankReportContext *context);
void        jank_report_builder_clear        (JankReportBuilder *self); /* keeps the report */

/* Index of a call, or stack, in the report. */
guint       jank_report_builder_add_call     (JankReportBuilder *self, const JankCall *call);
gint        jank_report_builder_add_stack    (JankReportBuilder *self, const JankStack *stack); /* (nullable) */
gint        jank_report_builder_add_callback (JankReportBuilder *self, guint64 address);        /* 0: none */

/* Of the stacks: what the source serves. Returns: (transfer none) (nullable): nothing, or different things */
const char *jank_report_builder_find_served  (JankReportBuilder *self);

/* The stack of the earlier busy period that made a frame late. Returns: (transfer none) (nullable) */
JankStack  *jank_report_builder_find_brief   (const JankReportContext *context, const JankFrameVerdict *late);

/* Finds the names of all calls. None can be added afterwards. */
void        jank_report_builder_resolve      (JankReportBuilder *self, JankKnownNames *known);

/* The steps of jank_report_build(). Watcher thread only. */

/* Before calls are resolved. */
void            jank_report_find_heaviest (JankReportBuilder *self, JankPick pick);
void            jank_report_add_threads   (JankReportBuilder *self);
void            jank_report_add_sources   (JankReportBuilder *self);
/* wait (nullable); number: of the system call, -1: none. Returns: (transfer full) (nullable) */
JankReportWait *jank_report_wait_from     (const JankWait *wait, gint number);

/* After calls are resolved. */
void            jank_report_find_culprit  (JankReportBuilder *self);
void            jank_report_name_locks    (JankReport *report);
