/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last busy periods that were long enough for a sample, each with its heaviest stack. Most are shorter than a stall
 * but made a frame late. A culprit is looked up once, when it is first needed. Watcher thread only. */

#pragma once

#include "report/jank-report-frame-clock-private.h"
#include "watch/jank-stall-private.h"

#define JANK_BRIEF_STACKS_MAX 32

typedef struct _JankBriefStacks JankBriefStacks;

JankBriefStacks *jank_brief_stacks_new       (void);
void             jank_brief_stacks_free      (JankBriefStacks *self);

/* stall: a busy period that has ended; ignored without a stack. */
void             jank_brief_stacks_add       (JankBriefStacks *self, const JankStall *stall);

/* A stall that became a report. Both texts are copied; culprit (nullable). */
void             jank_brief_stacks_add_stall (JankBriefStacks *self, const JankStall *stall, const char *report,
                                              const char *culprit);

/* The stack of the period that covers most of [began_ns, ended_ns]. Returns: (nullable): valid until the next add */
JankStack       *jank_brief_stacks_find      (JankBriefStacks *self, gint64 began_ns, gint64 ended_ns);

/* Fills the culprit and the report of late frames whose period is known, and adds what was dispatched before each.
 * ledger (nullable): that knows */
void             jank_brief_stacks_tell      (JankBriefStacks *self, JankCodeMap *map, const JankSourceLedger *ledger,
                                              JankReportFrameClock *frame_clock);

/* The culprit of one stack, and its innermost function. Returns: (transfer full) (nullable); ret_innermost:
 * (transfer full) (nullable) */
char            *jank_brief_stacks_blame     (JankCodeMap *map, const JankStack *stack, char **ret_innermost);

/* name (nullable), or else where the function starts: "libgtk-4.so.1+0x24cba8". Returns: (transfer full) */
char            *jank_brief_call_to_text    (JankCodeMap *map, const JankCall *frame, const char *name);
