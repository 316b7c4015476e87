/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes a report of what the watcher knows of a stall. Watcher thread only. */

#pragma once

#include "settings/jank-settings-private.h"
#include "report/jank-brief-stacks-private.h"
#include "report/jank-report-private.h"
#include "symbols/jank-known-names-private.h"
#include "unwind/jank-code-map-private.h"
#include "watch/jank-stall-private.h"

/* What a report says about the program; all of it is copied. */
typedef struct
{
  const char *id;      /* unique in the store */
  const char *session; /* (nullable) */

  struct { const char *name, *id, *exe, *version; gint pid; } app; /* strings (nullable) */
  struct { const char *name, *version, *backend, *renderer; } toolkit; /* (nullable) */
  JankProcessFacts process;

  JankInteraction             interaction; /* kind NONE: none waited */
  gint64                      waited_ns;
  JankInteraction             interactions[JANK_INPUT_N_KEPT]; /* the newest, oldest first */
  guint                       n_interactions;

  const JankReportTag        *tags;
  guint                       n_tags;
  const JankReportFrameClock *frame_clock; /* (nullable) */
  JankBriefStacks            *briefs;      /* (nullable): of the late frames before the stall */
  JankKnownNames             *known;       /* (nullable): what earlier reports have learned */
  gboolean                    from_outside; /* of a program that was not watched */

  gint64      now_ns;      /* CLOCK_MONOTONIC; an ongoing stall is measured until then */
  gint64      now_real_us; /* the same moment, since the Unix epoch */
} JankReportContext;

/* Of the report of such a stall. */
extern const JankReportKind jank_report_kind_of[JANK_STALL_INPUT + 1];

/* Whether the program itself asked for the call that a report's only sample is of: a function of the program made it,
 * while the loop dispatched it, and no library on its own account. */
gboolean    jank_report_is_asked (JankReport *report);

/* Reads the symbol tables of every module on a sampled stack. The outcome is "recovered", or "ongoing" before the stall
 * has ended. Returns: (transfer full): not shared yet, so the caller may change it */
JankReport *jank_report_build (const JankStall *stall, JankCodeMap *map, JankPick pick,
                               const JankReportContext *context);
