/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last busy periods that were long enough for a stack, each with the heaviest one: most are no stalls,
 * but made a frame late. Names are looked up when somebody asks, and each function's once. Watcher thread only. */

#pragma once

#include "report/jank-report-frame-clock-private.h"
#include "watch/jank-stall-private.h"

#define JANK_BRIEF_STACKS_MAX 32

typedef struct _JankBriefStacks JankBriefStacks;

JankBriefStacks *jank_brief_stacks_new       (void);
void             jank_brief_stacks_free      (JankBriefStacks *self);

/* A busy period that has ended; one without a stack is not kept. */
void             jank_brief_stacks_add       (JankBriefStacks *self, const JankStall *stall);

/* The same, of a stall that became a report (both texts are copied; culprit nullable). */
void             jank_brief_stacks_add_stall (JankBriefStacks *self, const JankStall *stall, const char *report,
                                              const char *culprit);

/* Of the period that covers most of [began_ns, ended_ns]. Returns: (nullable): valid until the next add */
JankStack       *jank_brief_stacks_find      (JankBriefStacks *self, gint64 began_ns, gint64 ended_ns);

/* Tells late frames who made them late: their culprit and report, where a period is known. */
void             jank_brief_stacks_tell      (JankBriefStacks *self, JankCodeMap *map, JankReportFrameClock *frame_clock);

/* Who is to blame for one stack, and its innermost function. Returns: (transfer full) (nullable); ret_innermost:
 * (transfer full) (nullable) */
char            *jank_brief_stacks_blame     (JankBriefStacks *self, JankCodeMap *map, const JankStack *stack,
                                              char **ret_innermost);

/* What a person reads for a frame whose symbol is name (nullable): that, or where its function starts,
 * "libgtk-4.so.1+0x24cba8". Returns: (transfer full) */
char            *jank_brief_call_to_text    (JankCodeMap *map, const JankCall *frame, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankBriefStacks, jank_brief_stacks_free)
