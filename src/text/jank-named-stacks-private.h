/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stacks of a report by the names of their functions, and with the functions that were inlined: text, trees, the
 * inspector and exports take names from here, so one report has the same calls in all of them. One thread. */

#pragma once

#include "report/jank-report-private.h"

typedef struct
{
  const char            *name;      /* of the stacks */
  const char            *holder;    /* of the stacks: name of the file that holds it, without folder; "": none */
  const JankReportModule *module;   /* of the report (nullable): that file */
  const char            *file;      /* of the source, of the report (nullable) */
  guint                  line;      /* of the source; 0: unknown */
  gboolean               inlined;   /* into the next call further out */
  gboolean               platform;  /* belongs to no particular program */
  gboolean               nameless;  /* the name says where it is, for want of one */
  gboolean               unread;    /* stands for calls that were not read */
  gboolean               folded;    /* a step of libc's on its way into the kernel: not shown */
} JankNamedCall;

typedef struct _JankNamedStacks JankNamedStacks;

/* report: must not change while the stacks are there. */
JankNamedStacks *jank_named_stacks_new      (JankReport *report);
void             jank_named_stacks_free     (JankNamedStacks *self);

/* Shows the interpreter's calls, too. Before the first stack. */
void             jank_named_stacks_keep_native (JankNamedStacks *self);

/* Of a stack, or JANK_REPORT_NO_INDEX: at least one call, outermost first. Far too many callers are left out, and an
 * interpreter's calls. Returns: (transfer none) (element-type JankNamedCall) */
const GArray    *jank_named_stacks_get      (JankNamedStacks *self, gint stack);

/* A call and what was inlined into it, outermost first. Returns: (transfer none) (element-type JankNamedCall) */
const GArray    *jank_named_stacks_get_call (JankNamedStacks *self, guint call);

/* Which of the stack's calls are left out. calls: guint, of the report. Returns: (transfer full) (element-type
 * gboolean) */
GArray          *jank_named_stacks_find_hidden (JankNamedStacks *self, const GArray *calls);

JankReport      *jank_named_stacks_get_report (const JankNamedStacks *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankNamedStacks, jank_named_stacks_free)
